import { redact } from '../../decode/redact.js'
import { E } from '../../fp.js'

/** A value that JSON has no words for. */
interface Silence {
  /** In words. */
  readonly what: string
  /** Where it is in the value. */
  readonly path: ReadonlyArray<string>
}

/** What JSON cannot say of a value, at any depth: it would fail, leave it out, or write something else in its place. */
export const notSerializable = (u: unknown): string | undefined =>
  E.getOrElse((): string | undefined => 'something else')(
    E.tryCatch(() => {
      const found = silent(u, '') // throws for what holds itself, as `stringify` does
      if (found === undefined) {
        JSON.stringify(u)
        return undefined
      }
      const { what, path } = found
      return path.length === 0 ? what : `${redact(u)} with ${what} at ${path.join('.')}`
    }, String),
  )

/** Types of which JSON says nothing. */
const SILENT: ReadonlySet<string> = new Set(['undefined', 'function', 'symbol', 'bigint'])

/** The first such value, as a field of this name. One that JSON takes for another is looked at as that. */
const silent = (u: unknown, name: string): Silence | undefined => {
  const said = saidOf(u, name)
  const what = wordlessOf(u, said)
  if (what !== undefined) return { what, path: [] }
  if (typeof said !== 'object' || said === null) return undefined
  for (const [at, value] of Array.isArray(said) ? said.entries() : Object.entries(said)) {
    const key = `${at}`
    // a field that is undefined is one that was left out; a list has a `null` there
    const found = value === undefined && !Array.isArray(said) ? undefined : silent(value, key)
    if (found !== undefined) return { ...found, path: [key, ...found.path] }
  }
  return undefined
}

/** The value itself, in words, if JSON has none for it. `said` is what JSON takes it for. */
const wordlessOf = (u: unknown, said: unknown): string | undefined => {
  if (u instanceof Date && Number.isNaN(u.getTime())) return 'invalid Date'
  if (SILENT.has(typeof said) || (typeof said === 'number' && !Number.isFinite(said))) {
    return redact(said)
  }
  return isOpaque(said) ? said.constructor.name : undefined
}

/** What has all that it holds inside: JSON writes `{}` for a `Map`, a `RegExp`, a `Promise`. */
const isOpaque = (u: unknown): u is object => {
  if (typeof u !== 'object' || u === null || Array.isArray(u)) return false
  const prototype: unknown = Object.getPrototypeOf(u)
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null
  return !isPlain && Object.keys(u).length === 0
}

/** What JSON takes a value for. */
const saidOf = (u: unknown, name: string): unknown => {
  if (u === undefined || u === null) return u
  const toJSON: unknown = typeof u === 'string' ? undefined : Reflect.get(Object(u), 'toJSON')
  const said = typeof toJSON === 'function' ? Reflect.apply(toJSON, u, [name]) : u
  return said instanceof Number || said instanceof Boolean ? said.valueOf() : said
}
