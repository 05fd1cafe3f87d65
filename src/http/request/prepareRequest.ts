import { type AnyEndpoint, method, paramsAt, pathNames, template } from '../../api/Endpoint.js'
import { fromDate } from '../../codec/Instant.js'
import { jsonText } from '../../codec/jsonText.js'
import { Time } from '../../codec/times.js'
import { type Causes, parameterCauses } from '../../decode/causes.js'
import { redact } from '../../decode/redact.js'
import { fieldsOf, isDate, isRecord, parsed } from '../../decode/unknown.js'
import { E, type IO } from '../../fp.js'

// model

/** A request built from parameters, without base URL, time limits and authorization. */
export interface PreparedRequest {
  readonly method: 'GET' | 'POST'
  /** The path, with its parameters. */
  readonly path: string
  /** Path and query. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** The parameters in path, query, headers and body, as JSON. */
  readonly sentParams: IO<Readonly<Record<string, unknown>>>
}

export interface PrepareOptions {
  /** Checks parameters against the rules of the interface. */
  readonly check: boolean
  /** Current time, in ms since 1970. */
  readonly now: IO<number>
}

// constructors

/** Builds the request of a row; on the left, why the parameters cannot be sent. */
export const prepareRequest =
  (row: AnyEndpoint, { check, now }: PrepareOptions) =>
  (params: unknown): E.Either<Causes, PreparedRequest> => {
    const given = params ?? {}
    const placed = (encoded: Readonly<Record<string, unknown>>) =>
      place(row, ownFields(given, encoded))
    if (!check) return placed(uncheckedParams(row, given))
    const codec = paramsAt(now())(row)
    const checked = codec.decode(given)
    if (E.isRight(checked)) return placed(encode(row, checked.right))
    // parameters in the decoded form of a codec that transforms: a Date, say, for a text on the wire
    const wire = codec.is(given) ? E.tryCatch(() => codec.encode(given), String) : E.left('')
    return E.isRight(wire) && isRecord(wire.right) && E.isRight(codec.decode(wire.right))
      ? placed(wire.right)
      : E.left(parameterCauses(checked.left))
  }

/** Leaves out what a codec read from `Object.prototype`. */
const ownFields = (given: object, encoded: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(encoded).filter(([name]) => Object.hasOwn(given, name) || !(name in given)),
  )

/** Puts each parameter where it belongs: path, header, query or body. */
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
      ? { body: jsonText(whole === undefined ? body : body[whole]) }
      : {}),
    sentParams: () => jsonFields(Object.fromEntries(given)),
  })
}

/** Place of a parameter that is not in the path. */
const placeOf = (
  { at, route }: AnyEndpoint,
  name: string,
): NonNullable<AnyEndpoint['at'][string]> | 'body' =>
  (Object.hasOwn(at, name) ? at[name] : undefined) ?? (method(route) === 'GET' ? 'query' : 'body')

/** Keeps fields that the codec would drop where the interface shows no parameters: callers may know of more. */
const uncheckedParams = (row: AnyEndpoint, given: object): Readonly<Record<string, unknown>> => ({
  ...(row.unspecified.includes('params') ? given : {}),
  ...encode(row, given),
})

/** Encodes with the codec of the row; unchecked parameters that it cannot encode are sent as they are. */
const encode = (row: AnyEndpoint, params: unknown): Readonly<Record<string, unknown>> => {
  const encoded: unknown = E.getOrElse(() => params)(
    E.tryCatch(() => row.params.encode(params), String),
  )
  return typeof encoded === 'object' && encoded !== null ? { ...encoded } : {}
}

/** `.` and `..` would change the path, however encoded; a lone surrogate cannot be encoded. */
const isSegment = (u: unknown): boolean =>
  typeof u === 'string' && u !== '' && u !== '.' && u !== '..' && !/\p{Surrogate}/u.test(u)

/** Text of a parameter outside the body: a Date as the times of a filter are written, any other as JSON. */
const paramText = (u: unknown): string => {
  if (typeof u === 'string') return u
  return isDate(u) && Time.is(u) ? fromDate(u) : JSON.stringify(u)
}

/** Returns the fields of a value as `JSON.stringify` writes them. */
export const jsonFields = (u: unknown): Readonly<Record<string, unknown>> =>
  fieldsOf(parsed(JSON.stringify(u)))

/**
 * Tests whether a text can be the value of a header unchanged. `fetch` would repeat others in its error, and would
 * trim space, so that a secret with space around it would not be recognized in a response.
 */
export const isHeaderValue = (text: string): boolean =>
  /^[\x21-\x7e\x80-\xff]+([\t\x20]+[\x21-\x7e\x80-\xff]+)*$/.test(text)

export const HEADER_VALUE = 'a text that fits a header, without space around it'

// values that JSON cannot say

/**
 * Describes the first value, at any depth, that `JSON.stringify` would reject, leave out, or replace by something
 * else; `undefined` if there is none.
 */
const notSerializable = (u: unknown): string | undefined => {
  const paths = new Map<unknown, ReadonlyArray<string>>()
  let found: string | undefined
  /** Sees each value with its holder, after `toJSON`. */
  function look(this: unknown, key: string, json: unknown): unknown {
    const path = paths.size === 0 ? [] : [...(paths.get(this) ?? []), key]
    paths.set(json, path)
    // a field that is undefined counts as left out; in an array, JSON makes it null
    const isLeftOut = json === undefined && path.length > 0 && !Array.isArray(this)
    const problem = isLeftOut ? undefined : unsayable(Reflect.get(Object(this), key), json)
    if (problem !== undefined) {
      found ??= path.length === 0 ? problem : `${redact(u)} with ${problem} at ${path.join('.')}`
    }
    return found === undefined ? json : null
  }
  try {
    JSON.stringify(u, look)
    return found
  } catch {
    return 'something else' // circular, or a `toJSON` that throws
  }
}

const WITHOUT_JSON: ReadonlySet<string> = new Set(['undefined', 'function', 'symbol', 'bigint'])

/** Describes a value that itself has no JSON; `json` is what `toJSON` made of it. */
const unsayable = (u: unknown, json: unknown): string | undefined => {
  if (isDate(u) && Number.isNaN(u.getTime())) return 'invalid Date'
  const value: unknown = isBoxed(json) ? json.valueOf() : json
  if (WITHOUT_JSON.has(typeof value) || (typeof value === 'number' && !Number.isFinite(value))) {
    return redact(value)
  }
  return isOpaque(value) ? value.constructor.name : undefined
}

/** `Number` and `Boolean` objects, of any realm. */
const isBoxed = (u: unknown): u is object =>
  ['[object Number]', '[object Boolean]'].includes(Object.prototype.toString.call(u))

/** Objects with internal state only: JSON writes `{}` for a `Map`, a `RegExp`, a `Promise`. */
const isOpaque = (u: unknown): u is object => {
  if (typeof u !== 'object' || u === null || Array.isArray(u)) return false
  const prototype: unknown = Object.getPrototypeOf(u)
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null
  return !isPlain && Object.keys(u).length === 0
}
