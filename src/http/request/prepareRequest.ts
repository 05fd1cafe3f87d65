import { type AnyEndpoint, method, paramsAt, pathNames, template } from '../../api/Endpoint.js'
import { fromDate } from '../../codec/Instant.js'
import { jsonText } from '../../codec/jsonText.js'
import { Time } from '../../codec/times.js'
import { type Causes, parameterCauses } from '../../decode/causes.js'
import { redact } from '../../decode/redact.js'
import { fieldsOf, isDate, isRecord, parsed } from '../../decode/unknown.js'
import { E, type IO } from '../../fp.js'

/** A request built from parameters, but without base URL, time limits and authorization. */
export interface PreparedRequest {
  readonly method: 'GET' | 'POST'
  /** The path with its parameters filled in. */
  readonly path: string
  /** Path and query. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** The parameters in path, query, headers and body, as JSON. */
  readonly sentParams: IO<Readonly<Record<string, unknown>>>
}

export interface PrepareOptions {
  /** Checks parameters against the rules of the API. */
  readonly check: boolean
  /** Current time, in ms since 1970. */
  readonly now: IO<number>
}

/** Builds the request of an endpoint, or returns the reason why the parameters cannot be sent. */
export const prepareRequest = (row: AnyEndpoint, { check, now }: PrepareOptions) => {
  const inPath = pathNames(row.route)
  return (params: unknown): E.Either<Causes, PreparedRequest> => {
    const given = params ?? {}
    const placed = (encoded: Readonly<Record<string, unknown>>) =>
      place(row, inPath, ownFields(given, encoded))
    if (!check) return placed(uncheckedParams(row, given))
    const codec = paramsAt(now())(row)
    const checked = codec.decode(given)
    if (E.isRight(checked)) return placed(encode(row, checked.right))
    // parameters may be in the decoded form of a codec that transforms, such as a Date for a string on the wire
    const wire = codec.is(given) ? E.tryCatch(() => codec.encode(given), String) : E.left('')
    return E.isRight(wire) && isRecord(wire.right) && E.isRight(codec.decode(wire.right))
      ? placed(wire.right)
      : E.left(parameterCauses(checked.left))
  }
}

/** Drops fields that a codec has read from `Object.prototype`. */
const ownFields = (given: object, encoded: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(encoded).filter(([name]) => Object.hasOwn(given, name) || !(name in given)),
  )

/** Puts each parameter in its place: path, header, query or body. */
const place = (
  row: AnyEndpoint,
  path: ReadonlyArray<string>,
  encoded: Readonly<Record<string, unknown>>,
): E.Either<Causes, PreparedRequest> => {
  const given = Object.entries(encoded).filter(([, value]) => value !== undefined)
  for (const [path, value] of given) {
    const actual = notSerializable(value)
    if (actual !== undefined)
      return E.left([{ path, expected: 'a JSON-serializable value', actual }])
  }
  const headers: Record<string, string> = {}
  let query: URLSearchParams | undefined
  const body: Record<string, unknown> = {}
  let whole: string | undefined

  for (const [name, value] of given) {
    if (path.includes(name)) continue
    const at = placeOf(row, name)
    if (at === 'whole body') whole ??= name
    if (at === 'whole body' || at === 'body') body[name] = value
    else if (at === 'query') {
      query ??= new URLSearchParams()
      for (const one of [value].flat()) query.append(name, paramText(one))
    } else if (isHeaderValue(paramText(value)))
      headers[at.slice('header '.length)] = paramText(value)
    else return E.left([{ path: name, expected: HEADER_VALUE, actual: 'another value' }])
  }

  const beside = Object.keys(body).find((name) => name !== whole)
  if (whole !== undefined && beside !== undefined) {
    const expected = `omitted, or placed outside the body with "at", because ${whole} is the entire body`
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
  const search = query?.toString() ?? ''
  return E.right({
    method: method(row.route),
    path: filled,
    target: search === '' ? filled : `${filled}?${search}`,
    headers,
    ...(method(row.route) === 'POST'
      ? { body: jsonText(whole === undefined ? body : body[whole]) }
      : {}),
    sentParams: sentParamsOf(encoded),
  })
}

/** Keeps only the parameters of a request, because the request may wait for a long time. */
const sentParamsOf =
  (encoded: Readonly<Record<string, unknown>>): PreparedRequest['sentParams'] =>
  () =>
    jsonFields(encoded)

/** Returns the place of a parameter that is not in the path. */
const placeOf = (
  { at, route }: AnyEndpoint,
  name: string,
): NonNullable<AnyEndpoint['at'][string]> | 'body' =>
  (Object.hasOwn(at, name) ? at[name] : undefined) ?? (method(route) === 'GET' ? 'query' : 'body')

/** Keeps fields that the codec would drop if the API description shows no parameters, because callers may know more fields. */
const uncheckedParams = (row: AnyEndpoint, given: object): Readonly<Record<string, unknown>> => ({
  ...(row.unspecified.includes('params') ? given : {}),
  ...encode(row, given),
})

/** Encodes with the endpoint's codec. Unchecked parameters that the codec cannot encode are sent unchanged. */
const encode = (row: AnyEndpoint, params: unknown): Readonly<Record<string, unknown>> => {
  const encoded: unknown = E.getOrElse(() => params)(
    E.tryCatch(() => row.params.encode(params), String),
  )
  return typeof encoded === 'object' && encoded !== null ? { ...encoded } : {}
}

/** Returns true for a valid path segment. `.` and `..` change the path even if encoded; a lone surrogate cannot be encoded. */
const isSegment = (u: unknown): boolean =>
  typeof u === 'string' && u !== '' && u !== '.' && u !== '..' && !/\p{Surrogate}/u.test(u)

/** Returns a parameter outside the body as a string: a Date like the times of a filter, any other value as JSON. */
const paramText = (u: unknown): string => {
  if (typeof u === 'string') return u
  return isDate(u) && Time.is(u) ? fromDate(u) : JSON.stringify(u)
}

/** Returns the fields of a value as `JSON.stringify` writes them. */
export const jsonFields = (u: unknown): Readonly<Record<string, unknown>> =>
  fieldsOf(parsed(JSON.stringify(u)))

/**
 * Returns true if a string can be sent unchanged as the value of a header. `fetch` would include an invalid value in its error.
 * It would also trim whitespace, so a secret surrounded by whitespace would not be recognized in a response.
 */
export const isHeaderValue = (text: string): boolean =>
  /^[\x21-\x7e\x80-\xff]+([\t\x20]+[\x21-\x7e\x80-\xff]+)*$/.test(text)

export const HEADER_VALUE = 'a valid header value without leading or trailing whitespace'

// values that JSON cannot express

/** Describes the first value, at any depth, that `JSON.stringify` would reject, omit or replace; `undefined` if there is none. */
const notSerializable = (u: unknown): string | undefined => {
  const paths = new Map<unknown, ReadonlyArray<string>>()
  let found: string | undefined
  /** Visits each value with its parent (`this`), after its `toJSON` was called. */
  function look(this: unknown, key: string, json: unknown): unknown {
    const path = paths.size === 0 ? [] : [...(paths.get(this) ?? []), key]
    paths.set(json, path)
    // an undefined field counts as omitted, but JSON turns an undefined array item into null
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
    return 'something else' // circular, or with a `toJSON` that throws
  }
}

const WITHOUT_JSON: ReadonlySet<string> = new Set(['undefined', 'function', 'symbol', 'bigint'])

/** Describes a value that JSON cannot express. `json`: the result of its `toJSON`. */
const unsayable = (u: unknown, json: unknown): string | undefined => {
  if (isDate(u) && Number.isNaN(u.getTime())) return 'invalid Date'
  const value: unknown = isBoxed(json) ? json.valueOf() : json
  if (WITHOUT_JSON.has(typeof value) || (typeof value === 'number' && !Number.isFinite(value))) {
    return redact(value)
  }
  return isOpaque(value) ? value.constructor.name : undefined
}

/** Returns true for `Number` and `Boolean` objects of any realm. */
const isBoxed = (u: unknown): u is object =>
  ['[object Number]', '[object Boolean]'].includes(Object.prototype.toString.call(u))

/** Returns true for objects that only have internal state. JSON writes `{}` for a `Map`, a `RegExp` or a `Promise`. */
const isOpaque = (u: unknown): u is object => {
  if (typeof u !== 'object' || u === null || Array.isArray(u)) return false
  const prototype: unknown = Object.getPrototypeOf(u)
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null
  return !isPlain && Object.keys(u).length === 0
}
