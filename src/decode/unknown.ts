/** Looks at values of which nothing is known. */

export const isRecord = (u: unknown): u is Record<string, unknown> =>
  typeof u === 'object' && u !== null && !Array.isArray(u)

/** The fields of an object; none where there is no object. */
export const fieldsOf = (u: unknown): Readonly<Record<string, unknown>> => (isRecord(u) ? u : {})

/** A text that is not empty; a number as text. */
export const wordOf = (u: unknown): string | undefined =>
  typeof u === 'string' && u !== '' ? u : typeof u === 'number' ? String(u) : undefined

/** What a text says as JSON; `undefined`, which JSON cannot say, where it is none. */
export const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
