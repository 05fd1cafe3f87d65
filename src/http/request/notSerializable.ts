import { redact } from '../../decode/redact.js'
import { isDate } from '../../decode/unknown.js'
import { E } from '../../fp.js'

interface Finding {
  /** Description of the value. */
  readonly what: string
  /** Path to it. */
  readonly path: ReadonlyArray<string>
}

/**
 * Describes the first value, at any depth, that `JSON.stringify` would reject, leave out, or replace by something
 * else; `undefined` if there is none.
 */
export const notSerializable = (u: unknown): string | undefined =>
  E.getOrElse((): string | undefined => 'something else')(
    E.tryCatch(() => {
      const finding = find(u, '') // throws for circular values, as `stringify` does
      if (finding === undefined) {
        JSON.stringify(u)
        return undefined
      }
      const { what, path } = finding
      return path.length === 0 ? what : `${redact(u)} with ${what} at ${path.join('.')}`
    }, String),
  )

const WITHOUT_JSON: ReadonlySet<string> = new Set(['undefined', 'function', 'symbol', 'bigint'])

const find = (u: unknown, name: string): Finding | undefined => {
  const json = toJson(u, name)
  const what = describe(u, json)
  if (what !== undefined) return { what, path: [] }
  if (typeof json !== 'object' || json === null) return undefined
  for (const [at, value] of Array.isArray(json) ? json.entries() : Object.entries(json)) {
    const key = `${at}`
    // a field that is undefined counts as left out; in an array, JSON makes it null
    const finding = value === undefined && !Array.isArray(json) ? undefined : find(value, key)
    if (finding !== undefined) return { ...finding, path: [key, ...finding.path] }
  }
  return undefined
}

/** Describes a value that itself has no JSON. */
const describe = (u: unknown, json: unknown): string | undefined => {
  if (isDate(u) && Number.isNaN(u.getTime())) return 'invalid Date'
  if (WITHOUT_JSON.has(typeof json) || (typeof json === 'number' && !Number.isFinite(json))) {
    return redact(json)
  }
  return isOpaque(json) ? json.constructor.name : undefined
}

/** Objects with internal state only: JSON writes `{}` for a `Map`, a `RegExp`, a `Promise`. */
const isOpaque = (u: unknown): u is object => {
  if (typeof u !== 'object' || u === null || Array.isArray(u)) return false
  const prototype: unknown = Object.getPrototypeOf(u)
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null
  return !isPlain && Object.keys(u).length === 0
}

/** Tags of these objects, whatever realm they are of. */
const BOXED: ReadonlySet<string> = new Set(['[object Number]', '[object Boolean]'])

/** Applies `toJSON` and unwraps `Number` and `Boolean` objects, as `JSON.stringify` does. */
const toJson = (u: unknown, name: string): unknown => {
  if (u === undefined || u === null) return u
  const toJSON: unknown = typeof u === 'string' ? undefined : Reflect.get(Object(u), 'toJSON')
  const json = typeof toJSON === 'function' ? Reflect.apply(toJSON, u, [name]) : u
  return BOXED.has(Object.prototype.toString.call(json)) ? Object(json).valueOf() : json
}
