/** Readers of 2xx responses. Other statuses are read by `failureOf.ts`. */
import type { AnyEndpoint } from '../../api/Endpoint.js'
import { following, type Position } from '../../api/Paging.js'
import { Envelope } from '../../codec/common.js'
import { type Cause, causes } from '../../decode/causes.js'
import { isOverflow, LESS_DEEP } from '../../decode/decodeSafely.js'
import { compile, type Decoder } from '../../decode/index.js'
import { redact } from '../../decode/redact.js'
import { fieldsOf } from '../../decode/unknown.js'
import { E, O, pipe, withoutUndefined } from '../../fp.js'
import type { Page } from '../../stream/index.js'
import type { Failure, Undecodable } from '../Failure.js'
import type { HttpResponse } from '../transport/Transport.js'
import { JSON_TEXT, type RequestContext, undecodable } from './failureOf.js'
import { rawRows } from './rawRows.js'

// model

/** Reads a value from a 2xx response. */
export type ResponseReader<A> = (
  context: RequestContext,
) => (response: HttpResponse) => E.Either<Failure, A>

/** A value with the response that it was read from. */
export interface Answer<A> {
  /** The value, as the call itself emits it. */
  readonly value: A
  /** HTTP status: 2xx. */
  readonly status: number
  /** Returns a header of the response, by its name in any letter case. */
  readonly header: (name: string) => string | undefined
  /** Number of requests sent for this call, logins aside. */
  readonly attempts: number
  /** Identifies the request at the service, for its support. */
  readonly traceId?: string
}

/** `JSON.parse`, or a parser that keeps more of the text. Throws for text that is no JSON. */
export type ParseText = (text: string) => unknown

/** Returns what is wrong with the envelope of a page, if the page must not be read. `isNull`: its `items` were. */
export type EnvelopeCheck = (
  position: Position,
  envelope: Envelope,
  isNull: boolean,
) => Cause | undefined

// constructors

/** Reads one value. A row that answers `anything` may respond with other text, or nothing. */
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
    const value = decode(E.isRight(json) ? json.right : response.body || undefined)
    return E.isRight(value) ? value : E.left(undecodable(context, causes(value.left)))
  }

/** Reads the response beside the value. */
export const answerReader =
  <A>(read: ResponseReader<A>): ResponseReader<Answer<A>> =>
  (context) =>
  (response) => {
    const { attempts, traceId } = context
    const { status, header } = response // without its body, which would live as long as the answer
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

/** Reads a page of a list. Each row is decoded by itself. */
export const pageReader = <A>(
  decode: Decoder<A>,
  parseText: ParseText = JSON.parse,
  check?: EnvelopeCheck,
): ((position: Position) => ResponseReader<Page<Failure, A, Position>>) => {
  const decodeEnvelope = compile(Envelope)
  return (position) => (context) => (response) => {
    const json = parse(context, response, parseText)
    if (E.isLeft(json)) return json
    const isNull = fieldsOf(json.right).items === null // as some services write an empty list
    const envelope = decodeEnvelope(isNull ? { ...fieldsOf(json.right), items: [] } : json.right)
    if (E.isLeft(envelope)) return E.left(undecodable(context, causes(envelope.left)))
    const wrong = check?.(position, envelope.right, isNull)
    if (wrong !== undefined) return E.left(undecodable(context, [wrong]))
    const raw = envelope.right.items
    const items = raw.map((row, i): E.Either<Failure, A> => {
      const item = decode(row)
      return E.isRight(item) ? item : E.left(undecodable(context, causes(item.left), `items[${i}]`))
    })
    return E.right({
      items,
      raw: rawRows(response, raw),
      position,
      next: following(position, envelope.right),
    })
  }
}

const parse = (
  context: RequestContext,
  { body, invalidBody }: HttpResponse,
  parseText: ParseText,
): E.Either<Undecodable, unknown> => {
  if (invalidBody !== undefined) {
    return E.left(undecodable(context, [{ path: '', ...invalidBody }]))
  }
  try {
    return E.right(parseText(body))
  } catch (thrown) {
    const expected = isOverflow(thrown) ? LESS_DEEP : JSON_TEXT
    const actual = body === '' ? 'empty' : redact(body)
    return E.left(undecodable(context, [{ path: '', expected, actual }]))
  }
}

// ids of rows

/** Returns the `id` of a row, by which rows are told apart unless another key is given. */
export const rowId = (row: unknown): string | undefined => {
  const { id } = fieldsOf(row)
  return typeof id === 'string' ? id : undefined
}

/**
 * Returns a text that differs between pages with different rows: the number of rows, and the ids of the first, the
 * middle and the last. None for rows without unique ids, which may be equal on different pages.
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
