/** Finds numbers that may have been rounded when they were parsed. */
import { digitsOf } from '../../decode/index.js'
import { O } from '../../fp.js'
import type { Column } from './Column.js'
import { isExact, isWhole } from './decimal.js'
import { digitsReader, isObject, reader } from './readField.js'
import { type RowCheck, unrepresentable } from './UnrepresentableRow.js'

/** The numbers that a column accepts. */
interface Kind {
  readonly isExact: (n: number) => boolean
  /** Returns true for accepted digits. Default: accepts all digits. */
  readonly accepts?: (digits: string) => boolean
  readonly expected: string
}

const DIGITS = "or its digits (read with numbers: 'exact')"

const AMOUNT: Kind = { isExact, expected: `a number below 549,755,813,888, ${DIGITS}` }

const INTEGER: Kind = {
  isExact: Number.isSafeInteger,
  accepts: isWhole,
  expected: `a whole number below 2^53, ${DIGITS}`,
}

/** A number in a field that no codec describes. */
const ANY: Kind = {
  isExact: (n) => isExact(n) || Number.isSafeInteger(n),
  expected: `a number below 549,755,813,888, a whole number below 2^53, ${DIGITS}`,
}

const fits = ({ isExact, accepts }: Kind, value: number, digits: string | undefined): boolean =>
  digits === undefined ? isExact(value) : (accepts?.(digits) ?? true)

/** Returns the path to the first inexact number in an object or list. */
const findInside = (
  parent: Readonly<Record<string, unknown>>,
  kind: Kind,
): ReadonlyArray<string> | undefined => {
  for (const key of Object.keys(parent)) {
    const value = parent[key]
    if (typeof value === 'number') {
      if (!fits(kind, value, O.toUndefined(digitsOf(key)(parent)))) return [key]
    } else if (isObject(value)) {
      const path = findInside(value, kind)
      if (path !== undefined) return [key, ...path]
    }
  }
  return undefined
}

/** Checks the numbers in these columns, including numbers nested in their values. */
export const exactColumns = (columns: ReadonlyArray<Column>): RowCheck => {
  const checks = columns.filter(mayHaveNumbers).map(({ path, type }) => ({
    path,
    read: reader(path),
    digits: digitsReader(path),
    kind: type === 'decimal' ? AMOUNT : type === 'integer' ? INTEGER : ANY,
  }))
  return (row) => {
    for (const { path, read, digits, kind } of checks) {
      const value = read(row)
      if (typeof value === 'number') {
        if (!fits(kind, value, digits(row, value))) return unrepresentable(path, kind.expected)
      } else if (isObject(value)) {
        const inner = findInside(value, kind)
        if (inner !== undefined) return unrepresentable([...path, ...inner], kind.expected)
      }
    }
    return undefined
  }
}

const mayHaveNumbers = ({ type, isDescribed }: Column): boolean =>
  !isDescribed || type === 'decimal' || type === 'integer' || type === 'json'

/** Checks every number of a row, including fields that no codec knows. */
export const exactRow: RowCheck = (row) => {
  const path = isObject(row) ? findInside(row, ANY) : undefined
  return path && unrepresentable(path, ANY.expected)
}
