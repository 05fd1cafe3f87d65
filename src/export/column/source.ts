import { isInherited } from './inherited.js'

/** Whether code may look it up as it is named: else `reader` does. */
export const hasSource = (path: ReadonlyArray<string>): boolean => !path.some(isInherited)

/** The value of a column as code: `row?.["fee"]?.["amount"]`. */
export const sourceOf = (path: ReadonlyArray<string>): string =>
  `row${path.map((key) => `?.[${JSON.stringify(key)}]`).join('')}`
