/** The value of a column in a row. */
import { digitsOf } from '../../decode/index.js'
import { O } from '../../fp.js'

// model

/** Undefined where it is missing, or what should hold it is. */
export type Read = (row: unknown) => unknown

/** The digits of a number as they came; undefined where they are not known. */
export type Digits = (row: unknown) => string | undefined

// constructors

export const isObject = (u: unknown): u is Readonly<Record<string, unknown>> =>
  typeof u === 'object' && u !== null

const field = (holder: unknown, key: string): unknown =>
  isObject(holder) ? holder[key] : undefined

export const reader = (path: ReadonlyArray<string>): Read => {
  const [only, ...others] = path
  if (only === undefined) return (row) => row
  return others.length === 0 ? (row) => field(row, only) : (row) => path.reduce(field, row)
}

export const digitsReader = (path: ReadonlyArray<string>): Digits => {
  const holderOf = reader(path.slice(0, -1))
  const digits = digitsOf(path[path.length - 1] ?? '')
  return (row) => {
    const holder = holderOf(row)
    return isObject(holder) ? O.toUndefined(digits(holder)) : undefined
  }
}
