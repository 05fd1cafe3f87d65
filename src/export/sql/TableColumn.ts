/** The columns of a table: those of a file, under names that SQL takes without quotes. */
import { toMinorUnits } from '../../decode/minorUnits.js'
import { E } from '../../fp.js'
import { type Column, columnsOf } from '../column/Column.js'
import type { Numbers } from '../column/decimal.js'
import { exactColumns } from '../column/exactNumbers.js'
import { serializable } from '../column/json.js'
import { reader } from '../column/readField.js'
import type { ColumnType, Shape } from '../column/Shape.js'
import { type Stored, storable, storedColumn } from '../column/storedValue.js'
import { noFindings } from '../column/text.js'
import { type RowCheck, unrepresentable } from '../column/UnrepresentableRow.js'

// model

/** A column of a table. */
export interface TableColumn {
  /** Its name, such as `amount` or `quote_summary_expires_at`. */
  readonly name: string
  readonly type: ColumnType
  /** A decimal is text, digit by digit; a time is in microseconds since 1970. */
  readonly of: (row: unknown) => Stored
}

/** The columns of a table, and the rows that they can store. */
export interface TableShape {
  readonly columns: ReadonlyArray<TableColumn>
  /** Returns why a row cannot be stored without a change to its values. */
  readonly check: RowCheck
}

// constructors

/** A column for each field of a codec; `minorUnits` adds `amount_minor` to each amount beside a `currency`. */
export const tableShape = (
  shape: Shape,
  { numbers, minorUnits }: { readonly numbers: Numbers; readonly minorUnits: boolean },
): TableShape => {
  const columns = columnsOf(shape)
  const options = { numbers, amounts: 'text' as const }
  const checks = [hasId, serializable(), exactColumns(columns, numbers), storable(columns, options)]
  const stored = (column: Column): TableColumn => {
    const { store } = storedColumn(column, options, noFindings())
    return { name: nameOf(column.path), type: column.type, of: (row) => store(row) ?? null }
  }
  return {
    columns: columns.flatMap((column) => {
      const own = stored(column)
      const minor = minorUnits ? minorColumn(column, own, columns) : undefined
      return minor === undefined ? [own] : [own, minor]
    }),
    check: (row) => {
      for (const check of checks) {
        const why = check(row)
        if (why !== undefined) return why
      }
      return undefined
    },
  }
}

/** Characters of a name that Postgres tells apart. */
const NAME_LENGTH = 63

/** A name that is too long loses its beginning: the end of a path says more. */
const nameOf = (path: ReadonlyArray<string>): string => {
  const name = path.join('_')
  return name.length > NAME_LENGTH && path.length > 1 ? nameOf(path.slice(1)) : name
}

/** A row without an id cannot be found again. */
const hasId: RowCheck = (row) =>
  isId(reader(['id'])(row)) ? undefined : unrepresentable(['id'], 'a text that is not empty')

const isId = (u: unknown): boolean => typeof u === 'string' && u !== ''

/** Whole numbers that 64 bits hold. */
const MOST = 2n ** 63n

/** An amount in minor units of the currency beside it; null where that is no such whole number. */
const minorColumn = (
  { path, type }: Column,
  { name, of }: TableColumn,
  all: ReadonlyArray<Column>,
): TableColumn | undefined => {
  const currency = [...path.slice(0, -1), 'currency']
  if (type !== 'decimal' || !all.some((other) => nameOf(other.path) === nameOf(currency))) {
    return undefined
  }
  const currencyOf = reader(currency)
  return {
    name: `${name}_minor`,
    type: 'integer',
    of: (row) => {
      const amount = of(row)
      const code = currencyOf(row)
      if (typeof amount !== 'string' || typeof code !== 'string') return null
      const units = toMinorUnits(code)(amount)
      return E.isRight(units) && units.right < MOST && units.right >= -MOST ? units.right : null
    },
  }
}
