/** Reads values of unknown type. */
export { isDate } from '../options/rules.js'

export const isRecord = (u: unknown): u is Record<string, unknown> =>
  typeof u === 'object' && u !== null && !Array.isArray(u)

/** Returns the object itself, or an empty object for any other value. */
export const fieldsOf = (u: unknown): Readonly<Record<string, unknown>> => (isRecord(u) ? u : {})

/** Returns a non-empty string, or a number as a string. */
export const wordOf = (u: unknown): string | undefined =>
  typeof u === 'string' && u !== '' ? u : typeof u === 'number' ? String(u) : undefined

/** Parses JSON. Returns `undefined`, which JSON cannot express, if the text is not valid JSON. */
export const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

// depth

/** Maximum nesting depth that is kept of a value that may be arbitrarily deep. Deeper levels are omitted. */
export const LEVELS = 50

/** Maximum depth of a row that is written or set aside unchanged. `JSON.stringify` and readers fail at some thousand levels. */
export const ROW_LEVELS = 500

/** Takes the place of an omitted level. */
export const LEFT_OUT = '[...]'
