/** Readers of 2xx responses. `failureOf.ts` reads responses with other statuses. */
import type { AnyEndpoint } from '../../api/Endpoint.js'
import { following, type Position, preceding } from '../../api/Paging.js'
import { Envelope } from '../../codec/common.js'
import { type Cause, causes } from '../../decode/causes.js'
import { isOverflow, LESS_DEEP } from '../../decode/decodeSafely.js'
import { compile, type Decoder } from '../../decode/index.js'
import { redact } from '../../decode/redact.js'
import { fieldsOf, parsed } from '../../decode/unknown.js'
import { E, O, pipe, withoutUndefined } from '../../fp.js'
import type { Page } from '../../stream/index.js'
import type { Failure, Undecodable } from '../Failure.js'
import type { HttpResponse } from '../transport/Transport.js'
import { JSON_TEXT, type RequestContext, undecodable } from './failureOf.js'
import { exactRows, rawRows } from './rawRows.js'

/** Reads a value from a 2xx response. */
export type ResponseReader<A> = (
  context: RequestContext,
) => (response: HttpResponse) => E.Either<Failure, A>

/** A value, together with the response that it was read from. */
export interface Answer<A> {
  /** The value that the call itself emits. */
  readonly value: A
  /** HTTP status: 2xx. */
  readonly status: number
  /** Returns a header of the response. The case of its name does not matter. */
  readonly header: (name: string) => string | undefined
  /** Number of requests sent for this call, excluding logins. */
  readonly attempts: number
  /** The service's id of the request, for its support team. */
  readonly traceId?: string
}

/** `JSON.parse`, or a parser that keeps more of the text. Throws if the text is not JSON. */
export type ParseText = (text: string) => unknown

/** Returns the reason why a page must not be read, if its envelope gives one. `isNull`: its `items` are null. */
export type EnvelopeCheck = (
  position: Position,
  envelope: Envelope,
  isNull: boolean,
) => Cause | undefined

/** Reads one value. An endpoint whose `answer` is `anything` may respond with any text, or with nothing. */
export const valueReader =
  <A>(
    decode: Decoder<A>,
    parseText: ParseText = JSON.parse,
    form: AnyEndpoint['answer'] = 'json',
  ): ResponseReader<A> =>
  (context) =>
  (response) => {
    const json = parse(context, response, parseText)
    if (E.isLeft(json) && form === 'json') return json
    if (E.isRight(json) && json.right.isTooDeep) {
      return E.left(
        undecodable(context, [{ path: '', expected: LESS_DEEP, actual: redact(response.body) }]),
      )
    }
    const value = decode(E.isRight(json) ? json.right.value : response.body || undefined)
    return E.isRight(value) ? value : E.left(undecodable(context, causes(value.left)))
  }

/** Reads the value, and keeps the response. */
export const answerReader =
  <A>(read: ResponseReader<A>): ResponseReader<Answer<A>> =>
  (context) =>
  (response) => {
    const { attempts, traceId } = context
    const { status, header } = response // without the body, which would live as long as the result
    return pipe(
      read(context)(response),
      E.map((value) => ({
        value,
        status,
        header: (name) => header(name.toLowerCase()),
        attempts,
        ...withoutUndefined({ traceId }),
      })),
    )
  }

/** Reads a page of a list. Each row is decoded separately. */
export const pageReader = <A>(
  decode: Decoder<A>,
  parseText: ParseText = JSON.parse,
  check?: EnvelopeCheck,
): ((position: Position) => ResponseReader<Page<Failure, A, Position>>) => {
  const decodeEnvelope = compile(Envelope)
  return (position) => (context) => (response) => {
    const json = parse(context, response, parseText)
    if (E.isLeft(json)) return json
    const { value, isTooDeep } = json.right
    const isNull = fieldsOf(value).items === null // some services write an empty list this way
    const envelope = decodeEnvelope(isNull ? { ...fieldsOf(value), items: [] } : value)
    if (E.isLeft(envelope)) return E.left(undecodable(context, causes(envelope.left)))
    const wrong = check?.(position, envelope.right, isNull)
    if (wrong !== undefined) return E.left(undecodable(context, [wrong]))
    const came = rawRows(response, envelope.right.items)
    const exactRow = exactRows(came)
    const raw = isTooDeep
      ? rawRows(
          response,
          came.map((_, i) => exactRow(i)),
        )
      : came // all rows except those that are nested too deeply
    const items = raw.map((row, i): E.Either<Failure, A> => {
      const item = decode(row)
      return E.isRight(item) ? item : E.left(undecodable(context, causes(item.left), `items[${i}]`))
    })
    return E.right({
      items,
      raw,
      position,
      next: following(position, envelope.right),
      ...withoutUndefined({ previous: preceding(envelope.right) }),
    })
  }
}

interface Parsed {
  readonly value: unknown
  /** True if it is nested too deeply for a parser that keeps the digits of numbers. */
  readonly isTooDeep: boolean
}

const parse = (
  context: RequestContext,
  { body, invalidBody }: HttpResponse,
  parseText: ParseText,
): E.Either<Undecodable, Parsed> => {
  if (invalidBody !== undefined) {
    return E.left(undecodable(context, [{ path: '', ...invalidBody }]))
  }
  try {
    return E.right({ value: parseText(body), isTooDeep: false })
  } catch (thrown) {
    const value = isOverflow(thrown) ? parsed(body) : undefined
    if (value !== undefined) return E.right({ value, isTooDeep: true })
    const expected = isOverflow(thrown) ? LESS_DEEP : JSON_TEXT
    const actual = body === '' ? 'empty' : redact(body)
    return E.left(undecodable(context, [{ path: '', expected, actual }]))
  }
}

// ids of rows

/** Returns the `id` of a row. It identifies the row unless another key is given. */
export const rowId = (row: unknown): string | undefined => {
  const { id } = fieldsOf(row)
  return typeof id === 'string' ? id : undefined
}

/**
 * Returns a string that differs between pages with different rows: it consists of the number of rows, and the ids of the first,
 * middle and last row. Returns none for rows without unique ids, because these may be equal on different pages.
 */
export const rowsFingerprint = ({
  raw,
}: {
  readonly raw: ReadonlyArray<unknown>
}): O.Option<string> => {
  const ids = [raw[0], raw[raw.length >> 1], raw.at(-1)].map(rowId)
  return ids.every((id) => id !== undefined) && (raw.length === 1 || ids[0] !== ids[2])
    ? O.some(JSON.stringify([raw.length, ...ids]))
    : O.none
}
