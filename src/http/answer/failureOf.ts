/** Converts responses and missing responses to failures. No other code does that. */
import type { Position } from '../../api/Paging.js'
import { type Causes, causesUnder } from '../../decode/causes.js'
import { plural } from '../../decode/plural.js'
import { oneLine } from '../../decode/redact.js'
import { fieldsOf, isRecord, parsed } from '../../decode/unknown.js'
import { withoutUndefined } from '../../fp.js'
import type { Cut, SnapshotCut } from '../../stream/index.js'
import type {
  AnyFailure,
  Failure,
  TimedOut,
  Truncated,
  Undecodable,
  Unreachable,
} from '../Failure.js'
import { type Scrub, scrubAll } from '../secrets.js'
import { NOT_UTF8 } from '../transport/body.js'
import { connectionAdvice } from '../transport/connectionAdvice.js'
import type { HttpResponse, TransportError } from '../transport/Transport.js'
import { codes } from './errors.js'
import { type Problem, problem } from './problem.js'

/** The request that a response or failure belongs to. */
export interface RequestContext {
  readonly endpoint: string
  /** True if the outcome matters. It then remains unknown after a response that is not the service's own. */
  readonly isWrite: boolean
  /** Number of requests sent for the call, including this one. */
  readonly attempts: number
  /** Removes text that contains a secret of this request. */
  readonly scrub: Scrub
  /** If set, the only codes of a response that are shown. Text is not shown, because the request had a card number. */
  readonly onlyCodes?: ReadonlySet<string>
  /** Identifies the request at the service. Known once there is a 2xx response. */
  readonly traceId?: string
  /** The 2xx response, once there is one. */
  readonly response?: Pick<HttpResponse, 'status' | 'header'>
}

/**
 * Creates the failure for a response that is not 2xx. A 400 with one of `faultCodes` is treated like a 5xx, and so is a
 * response of a gateway, which does not know what the service did.
 */
export const httpFailure = (
  context: RequestContext,
  response: HttpResponse,
  faultCodes: ReadonlyArray<string> = codes.fault,
): Failure => {
  const { endpoint, attempts } = context
  const { status } = response
  const { code, message: text, traceId, ...rest } = problemOf(context, response)
  const body = parsed(response.body)
  const isCut = response.incompleteBody === true && !isRecord(body)
  const common = {
    endpoint,
    attempts,
    ...withoutUndefined({ traceId }),
    ...responseOf(context, response),
    message: `${endpoint}: ${status} ${code}: ${text}${isCut ? ' (the body is incomplete)' : ''}`,
  }
  if (status === 401) return { ...common, _tag: 'Unauthorized', code }
  if (status === 429) {
    const message = `${common.message} (gave up after ${plural(attempts, 'attempt')})`
    return { ...common, _tag: 'Throttled', code, message }
  }
  const isFault = status >= 500 || (status === 400 && faultCodes.includes(code))
  if (isFault || isGatewayAnswer(context, status, body)) {
    return { ...common, _tag: 'ServerFault', status, code }
  }
  return {
    ...common,
    _tag: 'Refused',
    status,
    code,
    ...withoutUndefined({ source: rest.source, details: rest.details }),
  }
}

/** Statuses with which a gateway gave up on a request, or did not forward it. */
const GIVEN_UP: ReadonlySet<number> = new Set([408, 425, 499])

/** Returns true for a response that is not the service's own: a redirect, or a 4xx without an error code after a write. */
const isGatewayAnswer = (
  { isWrite }: Pick<RequestContext, 'isWrite'>,
  status: number,
  body: unknown,
): boolean => {
  const { code } = fieldsOf(body)
  const hasCode = typeof code === 'string' && code !== ''
  return status < 400 || GIVEN_UP.has(status) || (isWrite && !hasCode)
}

/** Creates the failure for a request without a response. */
export const transportFailure = (
  { endpoint, attempts, scrub, onlyCodes }: RequestContext,
  error: TransportError,
): Unreachable | TimedOut => {
  if (error._tag === 'TimedOut') {
    const message = `${endpoint}: no ${AWAITED[error.phase]} within ${error.limit} ms`
    return { ...error, endpoint, attempts, message }
  }
  const { mayHaveArrived } = error
  const clean = cleaner(scrub)
  const code = clean(error.code) // a custom `fetch` may set any code
  const reason = onlyCodes === undefined ? clean(error.reason) : 'the reason is not shown'
  const text = reason.startsWith(`${code}: `) ? reason.slice(code.length + 2) : reason // Bun repeats the code in the message
  const advice = connectionAdvice(code)
  const shown = advice === undefined ? text : OPENSSL.test(text) ? advice : `${advice} (${text})`
  const message = `${endpoint}: ${code}: ${shown}`
  return { _tag: 'Unreachable', endpoint, attempts, code, mayHaveArrived, message }
}

/** Matches errors of OpenSSL, which name its source files. */
const OPENSSL = /^[\dA-F]+:error:/

const AWAITED = {
  connect: 'connection',
  headers: 'response',
  body: 'further part of the response',
  whole: 'end of the response',
} as const

/** Creates the failure for a 2xx response that does not decode, or for a part of it at a path. */
export const undecodable = (context: RequestContext, all: Causes, at = ''): Undecodable => {
  const under = causesUnder(at, all)
  const [{ path, expected, actual }] = under
  const { endpoint, attempts, traceId, response } = context
  return {
    _tag: 'Undecodable',
    endpoint,
    attempts,
    ...withoutUndefined({ traceId }),
    ...(response === undefined ? {} : responseOf(context, response)),
    path,
    expected,
    actual,
    causes: under,
    message: `${endpoint}: ${path || 'the response'} should be ${expected}, but is ${actual}`,
  }
}

/** `expected` text for a body that is not JSON. */
export const JSON_TEXT = 'JSON'

/** Returns true for a body that is not JSON, such as an incomplete one. The next response may be complete. */
export const isGarbledBody = (failure: Undecodable): boolean =>
  failure.path === '' && [JSON_TEXT, NOT_UTF8.expected].includes(failure.expected)

/** Returns true for an object without an id, such as `{}`, which cannot be the requested one. */
export const isWithoutId = ({ causes }: Undecodable): boolean =>
  causes.some(({ path, actual }) => path === 'id' && actual === 'missing')

/** Reads the error object of a response. Its text is stripped of secrets, truncated, and put on one line. */
const problemOf = (
  { scrub, onlyCodes }: RequestContext,
  { status, body, header }: HttpResponse,
): Problem => {
  // if it is not JSON, only the start is read, and that may end within a secret
  const found = problem(status, isRecord(parsed(body)) ? body : cut(scrub)(body))
  if (onlyCodes !== undefined) {
    const code = onlyCodes.has(found.code) ? found.code : `http_${status}`
    return { code, message: 'the response is not shown, because the request had a card number' }
  }
  const clean = cleaner(scrub)
  const { code, message, source, details } = found
  const traceId = found.traceId ?? traceHeader(header)
  return {
    code: clean(code),
    message: clean(message),
    ...(traceId === undefined ? {} : { traceId: clean(traceId) }),
    ...(source === undefined ? {} : { source: clean(source) }),
    ...(details === undefined ? {} : { details: scrubAll(cut(scrub))(details) }),
  }
}

/** Reads the service's id of a request. These headers are not documented. */
const traceHeader = (header: HttpResponse['header']): string | undefined =>
  header('x-request-id') ?? header('request-id')

/** Adds the data of a request's 2xx response to its context. */
export const withTraceId = (
  context: RequestContext,
  { status, header }: Pick<HttpResponse, 'status' | 'header'>,
): RequestContext => {
  const traceId = context.onlyCodes === undefined ? traceHeader(header) : undefined
  return {
    ...context,
    response: { status, header }, // without the body, which would live as long as the context
    ...(traceId === undefined ? {} : { traceId: cleaner(context.scrub)(traceId) }),
  }
}

/** Headers that show the origin of a response and the reason for it. Cookies, and text from the caller, are not included. */
const TOLD_HEADERS = [
  ...['content-type', 'date', 'retry-after', 'server', 'via', 'x-cache'],
  ...['x-request-id', 'request-id', 'x-amzn-requestid', 'x-amz-cf-id', 'cf-ray'],
  ...['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'],
]

/** Returns the part of a response's head that failures keep. */
const responseOf = (
  { scrub, onlyCodes }: Pick<RequestContext, 'scrub' | 'onlyCodes'>,
  { status, header }: Pick<HttpResponse, 'status' | 'header'>,
): Pick<Failure, 'status' | 'headers'> => {
  if (onlyCodes !== undefined) return { status }
  const clean = cleaner(scrub)
  const shown = TOLD_HEADERS.flatMap((name) => {
    const value = header(name)
    return value === undefined ? [] : [[name, clean(value)] as const]
  })
  return { status, ...(shown.length === 0 ? {} : { headers: Object.fromEntries(shown) }) }
}

/** Maximum length of text from the service in a failure, in characters. */
const MAX_TEXT = 500

/** Truncates text. Also looks for secrets beyond the cut, because the cut may go through one. */
const cut =
  (scrub: Scrub): Scrub =>
  (text) =>
    scrub(text.slice(0, 2 * MAX_TEXT)).slice(0, MAX_TEXT)

const cleaner =
  (scrub: Scrub): Scrub =>
  (text) =>
    oneLine(cut(scrub)(text))

// lists that ended early

export interface TruncatedAt<At> {
  readonly endpoint: string
  /** Position of the missing part. */
  readonly position: At
  /** Number of pages delivered. */
  readonly pages: number
  /** Text about the end of the list: `ended before page_num 3, after 3 pages`. */
  readonly ended: string
}

type AnyCut<F> = Cut<F, Position> | SnapshotCut<F>

/** Creates the failure of a list or snapshot that ended early, from that of a page or of the guard that stopped it. */
export const truncated = <F extends AnyFailure, At>(
  { endpoint, position, pages, ended }: TruncatedAt<At>,
  cut: AnyCut<F>,
): F | Truncated<At> => {
  const common = { _tag: 'Truncated', endpoint, position, pages } as const
  const where = `${endpoint}: incomplete: ${oneLine(ended.slice(0, 500))}:` // a bookmark is text from outside
  if (cut._tag !== 'Failed') {
    return { ...common, attempts: 0, message: `${where} ${reasonOf(cut)}`, guard: cut._tag }
  }
  const { failure } = cut
  // without any page, it is a failed call; a snapshot whose inner list was truncated has its own position
  if (pages === 0 && failure._tag !== 'Truncated') return failure
  const { attempts, traceId } = failure
  const message = `${where} ${failure.message}`
  return { ...common, attempts, ...withoutUndefined({ traceId }), cause: failure, message }
}

const reasonOf = (cut: Exclude<AnyCut<never>, { readonly _tag: 'Failed' }>): string => {
  switch (cut._tag) {
    case 'Repeated':
      return 'this page has already been read'
    case 'SameRows':
      return 'this page has already been read: its rows are the same as on an earlier page'
    case 'OnlyEmpty':
      return cut.pages === 1
        ? 'the last page had no new row'
        : `the last ${cut.pages} pages had no new row`
    case 'TooLong':
      return 'the list has more pages than maxPages allows'
    case 'Moved':
      return cut.isUneven
        ? 'the pages within one second have different lengths, so the number of rows in that second is unknown'
        : 'the rows within one second kept changing'
    case 'OutsideFilter':
      return 'the service returned rows outside the requested time range'
    case 'RowsMissing':
      return `${plural(cut.rows, 'row')} at the edge of a page did not appear again when that time was requested`
    case 'OrderChanged':
      return 'the rows are no longer in the order of the first pages, so rows may be missing'
    case 'Unordered':
      return `the rows of the last ${cut.answers} pages were in no order`
  }
}
