/** Reads values of which nothing is known. */
export { isDate } from '../options/rules.js'

export const isRecord = (u: unknown): u is Record<string, unknown> =>
  typeof u === 'object' && u !== null && !Array.isArray(u)

/** Returns the object itself; an empty one for any other value. */
export const fieldsOf = (u: unknown): Readonly<Record<string, unknown>> => (isRecord(u) ? u : {})

/** Returns a text that is not empty, or a number as text. */
export const wordOf = (u: unknown): string | undefined =>
  typeof u === 'string' && u !== '' ? u : typeof u === 'number' ? String(u) : undefined

/** Parses JSON; `undefined`, which JSON cannot say, where it is none. */
export const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

// depth

/** Levels that are kept of a value that may be nested without an end: those below are left out. */
export const LEVELS = 50

/** Levels of a row that is written, or put aside as it came. `JSON.stringify` and readers give up at some thousands. */
export const ROW_LEVELS = 500

/** Stands for what was left out. */
export const LEFT_OUT = '[...]'
