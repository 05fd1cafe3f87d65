/** The columns of a table. They are the same as those of a file, but their names are valid in SQL without quotes. */
import { toMinorUnits } from '../../decode/minorUnits.js'
import { E } from '../../fp.js'
import { type Column, columnsOf } from '../column/Column.js'
import { exactColumns } from '../column/exactNumbers.js'
import { serializable } from '../column/json.js'
import { reader } from '../column/readField.js'
import type { ColumnType, Shape } from '../column/Shape.js'
import { type Stored, storable, storedColumn } from '../column/storedValue.js'
import { noFindings } from '../column/text.js'
import { type RowCheck, unrepresentable } from '../column/UnrepresentableRow.js'

export interface TableColumn {
  /** The name of the column, such as `amount` or `quote_summary_expires_at`. */
  readonly name: string
  readonly type: ColumnType
  /** Returns the stored value. A decimal is text, digit by digit; a time is in microseconds since 1970. */
  readonly of: (row: unknown) => Stored
}

export interface TableShape {
  readonly columns: ReadonlyArray<TableColumn>
  /** Returns why a row cannot be stored without changing its values. */
  readonly check: RowCheck
}

/** Returns a column for each field of a codec. `minorUnits` adds `amount_minor` for each amount that has a `currency`. */
export const tableShape = (
  shape: Shape,
  { minorUnits }: { readonly minorUnits: boolean },
): TableShape => {
  const columns = columnsOf(shape)
  const options = { amounts: 'text' as const }
  const checks = [hasId, serializable(), exactColumns(columns), storable(columns, options)]
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

/** Maximum length of a Postgres name, in characters. */
const NAME_LENGTH = 63

/** Returns the name of a column. A long name is truncated at the start, because the end of a path is more specific. */
const nameOf = (path: ReadonlyArray<string>): string => {
  const name = path.join('_')
  return name.length > NAME_LENGTH && path.length > 1 ? nameOf(path.slice(1)) : name
}

/** Rejects rows without an id, because they could not be found again. */
const hasId: RowCheck = (row) =>
  isId(reader(['id'])(row)) ? undefined : unrepresentable(['id'], 'a non-empty string')

const isId = (u: unknown): boolean => typeof u === 'string' && u !== ''

/** Limit of signed 64-bit integers. */
const MOST = 2n ** 63n

/** Returns the column of an amount in minor units. Its value is null for an amount that is not a 64-bit whole number. */
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
