import { redact } from '../decode/redact.js'
import { E } from '../fp.js'

/** What JSON cannot say of a value, at any depth: it would fail, leave it out, or write `null` in its place. */
export const unsayable = (u: unknown): string | undefined =>
  E.getOrElse((): string | undefined => 'something else')(
    E.tryCatch(() => {
      const found = silent(u, '') // throws for what holds itself, as `stringify` does
      if (found === undefined) JSON.stringify(u)
      const isWithin = found !== undefined && typeof u === 'object' && !(u instanceof Date)
      return isWithin ? `${redact(u)} with ${found} in it` : found
    }, String),
  )

/** Types of which JSON says nothing. */
const SILENT: ReadonlySet<string> = new Set(['undefined', 'function', 'symbol', 'bigint'])

/** The first such value, as a field of this name. One that JSON takes for another is looked at as that. */
const silent = (u: unknown, name: string): string | undefined => {
  if (u instanceof Date && Number.isNaN(u.getTime())) return 'invalid Date'
  const said = saidOf(u, name)
  if (SILENT.has(typeof said) || (typeof said === 'number' && !Number.isFinite(said))) {
    return redact(said)
  }
  if (typeof said !== 'object' || said === null) return undefined
  for (const [key, value] of Array.isArray(said) ? said.entries() : Object.entries(said)) {
    // a field that is undefined is one that was left out; a list has a `null` there
    const found = value === undefined && !Array.isArray(said) ? undefined : silent(value, `${key}`)
    if (found !== undefined) return found
  }
  return undefined
}

const saidOf = (u: unknown, name: string): unknown => {
  if (typeof u !== 'object' && typeof u !== 'bigint') return u
  const toJSON: unknown = Reflect.get(Object(u), 'toJSON')
  return typeof toJSON === 'function' ? Reflect.apply(toJSON, u, [name]) : u
}
