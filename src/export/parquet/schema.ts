/**
 * The schema of a Parquet file: every column typed, and every one may be null. The writer is given JSON
 * as text, and told so: told that it is JSON, it would write JSON of the text. The file says what it is.
 */
import type { SchemaElement } from 'hyparquet'
import type { Column } from '../column/Column.js'
import { PRECISION, SCALE } from '../column/decimal.js'
import type { StoreOptions } from '../column/store.js'

export type Told = 'to the writer' | 'to readers'

export const schemaOf = (
  columns: ReadonlyArray<Column>,
  options: Pick<StoreOptions, 'decimal'>,
  told: Told,
): Array<SchemaElement> => [
  { name: 'rows', num_children: columns.length },
  ...columns.map((column) => elementOf(column, options, told)),
]

const elementOf = (
  { name, type }: Column,
  { decimal }: Pick<StoreOptions, 'decimal'>,
  told: Told,
): SchemaElement => {
  const text: SchemaElement = {
    name,
    repetition_type: 'OPTIONAL',
    type: 'BYTE_ARRAY',
    converted_type: 'UTF8',
  }
  const long: SchemaElement = { name, repetition_type: 'OPTIONAL', type: 'INT64' }
  switch (type) {
    case 'text':
      return text
    case 'json':
      return told === 'to readers'
        ? { ...text, converted_type: 'JSON', logical_type: { type: 'JSON' } }
        : text
    case 'boolean':
      return { name, repetition_type: 'OPTIONAL', type: 'BOOLEAN' }
    case 'integer':
      return long
    case 'time':
      return {
        ...long,
        converted_type: 'TIMESTAMP_MICROS',
        logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
      }
    case 'decimal':
      return decimal === 'text'
        ? text
        : { ...long, converted_type: 'DECIMAL', precision: PRECISION, scale: SCALE }
  }
}
