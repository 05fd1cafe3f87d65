/** A row and parameters, as a request: pure. */
import {
  type AnyEndpoint,
  method,
  type Place,
  paramsAt,
  pathNames,
  template,
} from '../../api/Endpoint.js'
import { fromDate } from '../../codec/Instant.js'
import { Time } from '../../codec/times.js'
import { type Causes, causes } from '../../decode/causes.js'
import { redact } from '../../decode/redact.js'
import { isRecord } from '../../decode/unknown.js'
import { E, type IO } from '../../fp.js'
import { jsonFields } from './asJson.js'
import { HEADER_VALUE, isHeaderValue } from './headerText.js'
import { notSerializable } from './notSerializable.js'

// model

/** What the parameters say, written as the wire wants it; who asks is added when it is sent. */
export interface PreparedRequest {
  readonly method: 'GET' | 'POST'
  /** The path, filled in. */
  readonly path: string
  /** The path and the query. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** The parameters that it carries, wherever they stand, as JSON has them. */
  readonly written: IO<Readonly<Record<string, unknown>>>
}

export interface PrepareOptions {
  /** Whether parameters are held against the interface's rules before anything is sent. */
  readonly check: boolean
  /** The time of sending, in ms since 1970. */
  readonly now: IO<number>
}

// constructors

/** The request; on the left, why the parameters cannot be sent. */
export const prepareRequest =
  (row: AnyEndpoint, { check, now }: PrepareOptions) =>
  (params: unknown): E.Either<Causes, PreparedRequest> => {
    const given = params ?? {}
    if (!check) return place(row, uncheckedParams(row, given))
    const codec = paramsAt(now())(row)
    const checked = codec.decode(given)
    if (E.isRight(checked)) return place(row, encode(row, checked.right))
    // of a codec that transforms, what it makes: a Date, say, where the wire has a text
    const wire = codec.is(given) ? E.tryCatch(() => codec.encode(given), String) : E.left('')
    return E.isRight(wire) && isRecord(wire.right) && E.isRight(codec.decode(wire.right))
      ? place(row, wire.right)
      : E.left(causes(checked.left))
  }

/** Each parameter where it belongs: path, header, query or body. */
const place = (
  row: AnyEndpoint,
  encoded: Readonly<Record<string, unknown>>,
): E.Either<Causes, PreparedRequest> => {
  const given = Object.entries(encoded).filter(([, value]) => value !== undefined)
  for (const [path, value] of given) {
    const actual = notSerializable(value)
    if (actual !== undefined) return E.left([{ path, expected: 'what JSON can say', actual }])
  }
  const path = pathNames(row.route)
  const headers: Record<string, string> = {}
  const query = new URLSearchParams()
  const body: Record<string, unknown> = {}
  let whole: string | undefined

  for (const [name, value] of given) {
    if (path.includes(name)) continue
    const at = placeOf(row, name)
    if (at === 'whole body') whole ??= name
    if (at === 'whole body' || at === 'body') body[name] = value
    else if (at === 'query') for (const one of [value].flat()) query.append(name, paramText(one))
    else if (isHeaderValue(paramText(value))) headers[at.slice('header '.length)] = paramText(value)
    else return E.left([{ path: name, expected: HEADER_VALUE, actual: 'another value' }])
  }

  const beside = Object.keys(body).find((name) => name !== whole)
  if (whole !== undefined && beside !== undefined) {
    const expected = `left out, or somewhere else (at), since ${whole} is the whole body`
    return E.left([{ path: beside, expected, actual: redact(body[beside]) }])
  }
  const missing = path.find((name) => !isSegment(encoded[name]))
  if (missing !== undefined) {
    const expected = 'Unicode text that is not empty, "." or ".."'
    const actual = encoded[missing] === undefined ? 'missing' : redact(encoded[missing])
    return E.left([{ path: missing, expected, actual }])
  }
  const filled = template(row.route).replace(/\{([^}]+)\}/g, (_, name: string) =>
    encodeURIComponent(paramText(encoded[name])),
  )
  const search = query.toString()
  return E.right({
    method: method(row.route),
    path: filled,
    target: search === '' ? filled : `${filled}?${search}`,
    headers,
    ...(method(row.route) === 'POST'
      ? { body: JSON.stringify(whole === undefined ? body : body[whole]) }
      : {}),
    written: () => jsonFields(Object.fromEntries(given)),
  })
}

/** Where a parameter that is not in the path goes. */
const placeOf = ({ at, route }: AnyEndpoint, name: string): Place | 'body' =>
  (Object.hasOwn(at, name) ? at[name] : undefined) ?? (method(route) === 'GET' ? 'query' : 'body')

/** Where the interface shows no parameters, a caller may know of more than the codec lets through. */
const uncheckedParams = (row: AnyEndpoint, given: object): Readonly<Record<string, unknown>> => ({
  ...(row.unspecified.includes('params') ? given : {}),
  ...encode(row, given),
})

/** As the wire wants it; parameters that nobody checked, and that cannot be written so, as they are. */
const encode = (row: AnyEndpoint, params: unknown): Readonly<Record<string, unknown>> => {
  const encoded: unknown = E.getOrElse(() => params)(
    E.tryCatch(() => row.params.encode(params), String),
  )
  return typeof encoded === 'object' && encoded !== null ? { ...encoded } : {}
}

/** `.` and `..` would be taken for steps in the path, whatever their encoding; half a pair has none. */
const isSegment = (u: unknown): boolean =>
  typeof u === 'string' && u !== '' && u !== '.' && u !== '..' && !/\p{Surrogate}/u.test(u)

/** Where no codec says how: a time as the times of a filter are written, anything else as JSON has it. */
const paramText = (u: unknown): string => {
  if (typeof u === 'string') return u
  return u instanceof Date && Time.is(u) ? fromDate(u) : JSON.stringify(u)
}
