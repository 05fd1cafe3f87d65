/** The value of a column in a row. */
import { digitsOf } from '../../decode/index.js'
import { O } from '../../fp.js'
import { isInherited } from './inherited.js'
import type { Numbers } from './Numbers.js'

// model

/** Undefined where it is missing, or what should hold it is. What all objects inherit is no value of a row. */
export type Read = (row: unknown) => unknown

/** The digits of a number as they came; undefined where they are not known. */
export type Digits = (row: unknown) => string | undefined

// constructors

export const isObject = (u: unknown): u is Readonly<Record<string, unknown>> =>
  typeof u === 'object' && u !== null

const field = (key: string): Read =>
  isInherited(key)
    ? (holder) => (isObject(holder) && Object.hasOwn(holder, key) ? holder[key] : undefined)
    : (holder) => (isObject(holder) ? holder[key] : undefined)

/** The value at a path of keys. */
export const reader = (path: ReadonlyArray<string>): Read => {
  const [only, ...others] = path.map(field)
  if (only === undefined) return (row) => row
  return others.length === 0
    ? only
    : (row) => others.reduce((holder, read) => read(holder), only(row))
}

/** Of no number, unless they are written `exact`. */
export const digitsReader = (path: ReadonlyArray<string>, numbers: Numbers): Digits => {
  if (numbers === 'fast') return () => undefined
  const holderOf = reader(path.slice(0, -1))
  const digits = digitsOf(path[path.length - 1] ?? '')
  return (row) => {
    const holder = holderOf(row)
    return isObject(holder) ? O.toUndefined(digits(holder)) : undefined
  }
}
