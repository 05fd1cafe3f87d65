/** Reads the value of a column from a row. */
import { mayGenerate, newFunction } from '../../decode/generate/newFunction.js'
import { digitsOf } from '../../decode/index.js'
import { O } from '../../fp.js'

/** Returns `undefined` if the field is missing, or its parent is not an object. */
export type Read = (row: unknown) => unknown

export const isObject = (u: unknown): u is Readonly<Record<string, unknown>> =>
  typeof u === 'object' && u !== null

const PROTOTYPES = [Object, Array, String, Number, Boolean].map(({ prototype }) => prototype)

/** Returns true for keys such as `constructor`, `length` or `0`, which a value may inherit. */
const isInherited = (key: string): boolean =>
  PROTOTYPES.some((prototype) => key in prototype) || /^\d+$/.test(key)

const field = (key: string): Read =>
  isInherited(key)
    ? (parent) => (isObject(parent) && Object.hasOwn(parent, key) ? parent[key] : undefined)
    : (parent) => (isObject(parent) ? parent[key] : undefined)

/**
 * Returns a function that reads the value at a path of keys. Inherited properties do not count. If code generation is allowed,
 * each path has its own code, and therefore its own inline cache; a computed key takes ten times as long.
 */
export const reader = (path: ReadonlyArray<string>): Read => {
  if (path.length > 0 && !path.some(isInherited) && mayGenerate()) {
    return newFunction<Read>(
      ['row'],
      `return row${path.map((key) => `?.[${JSON.stringify(key)}]`).join('')}`,
    )
  }
  const [first, ...others] = path.map(field)
  if (first === undefined) return (row) => row
  return others.length === 0
    ? first
    : (row) => others.reduce((parent, read) => read(parent), first(row))
}

/** Returns a function that reads the digits of the number at a path, if they were kept. */
export const digitsReader = (
  path: ReadonlyArray<string>,
): ((row: unknown, value: unknown) => string | undefined) => {
  const parentOf = reader(path.slice(0, -1))
  const digits = digitsOf(path.at(-1) ?? '')
  return (row, value) => {
    if (typeof value !== 'number') return undefined
    const parent = parentOf(row)
    return isObject(parent) ? O.toUndefined(digits(parent)) : undefined
  }
}
