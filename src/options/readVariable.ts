import { InvalidOption } from './checkOptions.js'

/** Variables by name, such as `process.env`. */
export type Variables = Readonly<Record<string, string | undefined>>

/**
 * Returns the value of a variable; undefined if it is empty. Drops one trailing line break, because mounted secrets have one.
 * Throws an `InvalidOption` that names the variable if its value has any other control character, because that would break
 * headers and signatures.
 */
export const readVariable = (env: Variables, name: string): string | undefined => {
  const value = env[name]?.replace(/\r?\n$/, '')
  if (value === undefined || value === '') return undefined
  if (/\p{Cc}/u.test(value)) throw new InvalidOption(name, 'text without control characters')
  return value
}
