/** The values of a column as a typed file stores them: exactly, or not at all. */

import { stringifyExact } from '../../decode/index.js'
import type { Column } from './Column.js'
import { PRECISION, SCALE, scaledNumber, scaledText, wholeText } from './decimal.js'
import { digitsReader, reader } from './readField.js'
import { noFindings, type TextFindings, wellFormed, wellFormedJson } from './text.js'
import { dateAsText, microsOf } from './time.js'
import { type RowCheck, unrepresentable } from './UnrepresentableRow.js'

/** A stored value: a decimal in ten-thousandths, a time in microseconds, a whole number, text, or nothing. */
export type Stored = bigint | string | boolean | null

export interface StoreOptions {
  /** How to store amounts: as `DECIMAL(18, 4)`, or as text. */
  readonly amounts: 'decimal' | 'text'
}

export interface StoredColumn {
  /** Returns `undefined` for a value that cannot be stored exactly. */
  readonly store: (row: unknown) => Stored | undefined
  readonly expected: string
}

const WHOLE_DIGITS = PRECISION - SCALE
const DECIMAL = `a number of at most ${WHOLE_DIGITS} digits and ${SCALE} decimals (or write amounts as text)`

export const storedColumn = (
  { path, type }: Column,
  { amounts }: StoreOptions,
  findings: TextFindings,
): StoredColumn => {
  const read = reader(path)
  const digits = digitsReader(path)

  const column = <A>(
    expected: string,
    is: (value: unknown) => value is A,
    convert: (value: A, row: unknown) => Stored | undefined,
  ): StoredColumn => ({
    expected,
    store: (row) => {
      const value = dateAsText(read(row))
      if (value === undefined || value === null) return null
      return is(value) ? convert(value, row) : undefined
    },
  })

  switch (type) {
    case 'text':
      return column('a string', isString, (text) => wellFormed(text, findings))
    case 'boolean':
      return column('true or false', isBoolean, (value) => value)
    case 'time':
      return column('a valid time, to the microsecond', isString, microsOf)
    case 'integer':
      return column('a whole number below 2^53, or its digits, at most 18', isNumber, (n, row) => {
        const text = digits(row, n)
        if (text !== undefined) return wholeText(text)
        return Number.isSafeInteger(n) ? BigInt(n) : undefined
      })
    case 'decimal':
      return amounts === 'text'
        ? column('a number', isNumber, (n, row) => digits(row, n) ?? String(n))
        : column(DECIMAL, isNumber, (n, row) => {
            const text = digits(row, n)
            return text === undefined ? scaledNumber(n) : scaledText(text)
          })
    case 'json':
      return column(
        'JSON',
        isAnything,
        (value, row) => digits(row, value) ?? wellFormedJson(stringifyExact(value), findings),
      )
  }
}

const isAnything = (_: unknown): _ is unknown => true
const isString = (u: unknown): u is string => typeof u === 'string'
const isNumber = (u: unknown): u is number => typeof u === 'number'
const isBoolean = (u: unknown): u is boolean => typeof u === 'boolean'

/** Checks that every column can store its value of the row. */
export const storable = (columns: ReadonlyArray<Column>, options: StoreOptions): RowCheck => {
  const checks = columns
    .filter(({ type }) => type !== 'json')
    .map((column) => ({ ...storedColumn(column, options, noFindings()), path: column.path }))
  return (row) => {
    for (const { store, expected, path } of checks) {
      if (store(row) === undefined) return unrepresentable(path, expected)
    }
    return undefined
  }
}
