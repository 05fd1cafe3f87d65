/** Finds numbers that may have been rounded when they were read. */
import { digitsOf } from '../../decode/index.js'
import { O } from '../../fp.js'
import type { Column } from './Column.js'
import { isExact, isWhole, type Numbers } from './decimal.js'
import { isObject, reader } from './readField.js'
import { type RowCheck, unrepresentable } from './UnrepresentableRow.js'

// model

/** The numbers that a column takes. */
interface Kind {
  readonly isExact: (n: number) => boolean
  /** Accepts the digits that came; all digits without it. */
  readonly accepts?: (digits: string) => boolean
  readonly expected: string
}

interface Inexact {
  readonly path: ReadonlyArray<string>
  readonly expected: string
}

// constructors

const DIGITS = "or its digits (read and written with numbers: 'exact')"

const AMOUNT: Kind = { isExact, expected: `a number below 549,755,813,888, ${DIGITS}` }

const INTEGER: Kind = {
  isExact: Number.isSafeInteger,
  accepts: isWhole,
  expected: `a whole number below 2^53, ${DIGITS}`,
}

/** A number in a field that no codec describes. */
const ANY: Kind = {
  isExact: (n) => isExact(n) || Number.isSafeInteger(n),
  expected: `a number below 549,755,813,888, a whole one below 2^53, ${DIGITS}`,
}

/** Finds the first inexact number in a field, however deep. */
const find = (
  parent: Readonly<Record<string, unknown>>,
  key: string,
  kind: Kind,
  numbers: Numbers,
): Inexact | undefined => {
  const value = parent[key]
  if (typeof value === 'number') {
    if (kind.accepts === undefined && kind.isExact(value)) return undefined
    const digits = numbers === 'exact' ? O.toUndefined(digitsOf(key)(parent)) : undefined
    const fits = digits === undefined ? kind.isExact(value) : (kind.accepts?.(digits) ?? true)
    return fits ? undefined : { path: [key], expected: kind.expected }
  }
  if (!isObject(value)) return undefined
  for (const inner of Object.keys(value)) {
    const found = find(value, inner, kind, numbers)
    if (found !== undefined) return { ...found, path: [key, ...found.path] }
  }
  return undefined
}

/**
 * Checks the numbers of these columns, and those inside of their values. `cells`: whether the digits of numbers that
 * have a column of their own are written, see `digitsReader`.
 */
export const exactColumns = (
  columns: ReadonlyArray<Column>,
  numbers: Numbers,
  cells: Numbers = 'exact',
): RowCheck => {
  const checks = columns.filter(mayHaveNumbers).map(({ path, type }) => ({
    path: path.slice(0, -1),
    key: path.at(-1) ?? '',
    read: reader(path),
    parentOf: reader(path.slice(0, -1)),
    kind: type === 'decimal' ? AMOUNT : type === 'integer' ? INTEGER : ANY,
  }))
  return (row) => {
    for (const { path, key, read, parentOf, kind } of checks) {
      const value = read(row)
      const isNumber = typeof value === 'number'
      if (!isNumber && !isObject(value)) continue
      const parent = parentOf(row)
      if (!isObject(parent)) continue
      const found = find(parent, key, kind, isNumber ? cells : numbers)
      if (found !== undefined) return unrepresentable([...path, ...found.path], found.expected)
    }
    return undefined
  }
}

const mayHaveNumbers = ({ type, isDescribed }: Column): boolean =>
  !isDescribed || type === 'decimal' || type === 'integer' || type === 'json'

/** Checks every number of a row, also in fields that no codec names. */
export const exactRow =
  (numbers: Numbers): RowCheck =>
  (row) => {
    const found = find({ row }, 'row', ANY, numbers)
    return found && unrepresentable(found.path.slice(1), found.expected)
  }
