/** The values of a column as a typed file stores them, exactly or not at all. */
import type { Column } from './Column.js'
import { PRECISION, SCALE, scaledNumber, scaledText, wholeText } from './decimal.js'
import { jsonOf, wellFormed } from './jsonOf.js'
import { asText, microsOf } from './moment.js'
import type { Numbers } from './Numbers.js'
import { digitsReader, type Read, reader } from './read.js'
import { type Fitting, misfit } from './UnrepresentableRow.js'

// model

/** A decimal in ten-thousandths, a time in microseconds, a whole number; text; nothing. */
export type Stored = bigint | string | boolean | null

/** How numbers are stored. */
export interface StoreOptions {
  readonly numbers: Numbers
  /** Amounts as `DECIMAL(18, 4)`, or as text. */
  readonly amounts: 'decimal' | 'text'
}

/** A column of a typed file. */
export interface Store {
  /** Undefined for what cannot be stored as it is. */
  readonly of: (row: unknown) => Stored | undefined
  /** In words, for who reads why. */
  readonly expected: string
}

// constructors

/** Of a value that is there. */
type Convert = (value: unknown, row: unknown) => Stored | undefined

export const storeOf = (column: Column, { numbers, amounts }: StoreOptions): Store => {
  const read: Read = reader(column.path)
  const digits = digitsReader(column.path, numbers)
  const json = jsonOf(numbers)

  const converted = (expected: string, convert: Convert): Store => ({
    expected,
    of: (row) => {
      const value = read(row)
      return value === undefined || value === null ? null : convert(value, row)
    },
  })

  switch (column.type) {
    case 'text':
      return converted('a text', (value) => {
        const text = asText(value)
        return typeof text === 'string' ? text : undefined
      })
    case 'boolean':
      return converted('true or false', (value) => (typeof value === 'boolean' ? value : undefined))
    case 'time':
      return converted('a time in the calendar, to the microsecond', (value) => {
        const text = asText(value)
        return typeof text === 'string' ? microsOf(text) : undefined
      })
    case 'integer':
      return converted('a whole number below 2^53, or its digits, at most 18', (value, row) => {
        if (typeof value !== 'number') return undefined
        const text = digits(row)
        if (text !== undefined) return wholeText(text)
        return Number.isSafeInteger(value) ? BigInt(value) : undefined
      })
    case 'decimal':
      return amounts === 'text'
        ? converted('a number', (value, row) =>
            typeof value === 'number' ? (digits(row) ?? String(value)) : undefined,
          )
        : converted(
            `a number of at most ${PRECISION - SCALE} digits and ${SCALE} decimals (or write amounts as text)`,
            (value, row) => {
              if (typeof value !== 'number') return undefined
              const text = digits(row)
              return text === undefined ? scaledNumber(value) : scaledText(text)
            },
          )
    case 'json':
      return converted('JSON', (value, row) => digits(row) ?? wellFormed(json(value)))
  }
}

/** Whether every column can store what a row has for it. */
export const storable = (columns: ReadonlyArray<Column>, options: StoreOptions): Fitting => {
  const looks = columns
    .filter(({ type }) => type !== 'json')
    .map((column) => ({ ...storeOf(column, options), path: column.path }))
  return (row) => {
    for (const { of, expected, path } of looks) {
      if (of(row) === undefined) return misfit(path, expected)
    }
    return undefined
  }
}
