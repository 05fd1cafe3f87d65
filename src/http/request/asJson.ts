import { fieldsOf, parsed } from '../../decode/unknown.js'

/** The fields of a value as they are written. */
export const jsonFields = (u: unknown): Readonly<Record<string, unknown>> =>
  fieldsOf(parsed(JSON.stringify(u)))
