/** What is no success, as a failure: pure. */
import { type Problem, problem } from '../../codec/Problem.js'
import { plural } from '../../decode/plural.js'
import { isRecord, parsed } from '../../decode/unknown.js'
import { defined, O } from '../../fp.js'
import type { Millis } from '../../stream/index.js'
import { codes } from '../codes.js'
import type { Failure, TimedOut, Unreachable } from '../Failure.js'
import { oneLine } from '../oneLine.js'
import { type Scrub, scrubAll } from '../secrets/scrub.js'
import type { HttpResponse, TransportError } from '../transport/Transport.js'
import type { RequestContext } from './RequestContext.js'

// constructors

/** An answer that is not 2xx. A 400 with one of the codes of `faults` says what a 5xx says. */
export const httpFailure = (
  asking: RequestContext,
  answer: HttpResponse,
  faults: ReadonlyArray<string> = codes.fault,
): Failure => {
  const { scrub, endpoint, attempts } = asking
  const { status } = answer
  const said = problemOf(answer, scrub)
  const traceId = said.traceId ?? traceOf(answer, scrub)
  const brokenOff = answer.brokenOff === true && !isRecord(parsed(answer.body))
  const common = {
    endpoint,
    attempts,
    ...defined({ traceId }),
    message: `${endpoint}: ${status} ${said.code}: ${said.message}${brokenOff ? ' (the body broke off)' : ''}`,
  }
  if (status === 401) return { ...common, _tag: 'Unauthorized', code: said.code }
  if (status === 429) {
    const message = `${common.message} (gave up after ${plural(attempts, 'attempt')})`
    return { ...common, _tag: 'Throttled', message }
  }
  if (status >= 500 || (status === 400 && faults.includes(said.code))) {
    return { ...common, _tag: 'ServerFault', status, code: said.code }
  }
  return {
    ...common,
    _tag: 'Refused',
    status,
    code: said.code,
    ...defined({ source: said.source, details: said.details }),
    ...(brokenOff ? { brokenOff } : {}),
  }
}

/** No answer at all. */
export const transportFailure = (
  { endpoint, attempts, scrub }: RequestContext,
  outage: TransportError,
): Unreachable | TimedOut => {
  if (outage._tag === 'TimedOut') {
    const message = `${endpoint}: no ${AWAITED[outage.phase]} within ${outage.limit} ms`
    return { ...outage, endpoint, attempts, message }
  }
  const { mayHaveArrived } = outage
  const shown = shower(scrub)
  const code = shown(outage.code) // a `fetch` of the caller's own may put anything there
  const reason = shown(outage.reason)
  const said = reason.startsWith(`${code}: `) ? reason : `${code}: ${reason}` // Bun says both
  const message = `${endpoint}: ${said}`
  return { _tag: 'Unreachable', endpoint, attempts, code, mayHaveArrived, message }
}

/** What did not come in time, by its phase. */
const AWAITED = {
  connect: 'connection',
  headers: 'answer',
  body: 'further part of the answer',
  whole: 'end of the answer',
} as const

/**
 * An object may spell a secret in escapes, so it is read before it is scrubbed; of what is none only the
 * beginning is kept, which may end within a secret, as the body itself does that broke off: so it is scrubbed
 * before it is read.
 */
const problemOf = ({ status, body }: HttpResponse, scrub: Scrub): Problem => {
  const said = problem(status, isRecord(parsed(body)) ? body : scrub(body, 'may be cut'))
  const { code, message, traceId, source, details } = said
  const shown = shower(scrub)
  return {
    code: shown(code),
    message: shown(message),
    ...(traceId === undefined ? {} : { traceId: shown(traceId) }),
    ...(source === undefined ? {} : { source: shown(source) }),
    ...(details === undefined ? {} : { details: scrubAll(scrub)(details) }),
  }
}

/** On one line, which may put the words of a secret together. */
const shower =
  (scrub: Scrub) =>
  (text: string): string =>
    scrub(oneLine(scrub(text)))

/** Not documented; read if it comes. */
const traceOf = ({ header }: HttpResponse, scrub: Scrub): string | undefined => {
  const id = header('x-request-id') ?? header('request-id')
  return id === undefined ? undefined : shower(scrub)(id)
}

// interop

/** A 429, and how long the service asks to wait: seconds or a date, in ms from now. */
export const throttleOf =
  (now: Millis) =>
  ({ status, header }: HttpResponse): O.Option<{ readonly retryAfter?: Millis }> => {
    if (status !== 429) return O.none
    const text = header('retry-after')?.trim() ?? ''
    const after = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now
    // "at once" is no answer to a refusal: then the backoff of the interface applies
    return O.some(after > 0 ? { retryAfter: after } : {})
  }
