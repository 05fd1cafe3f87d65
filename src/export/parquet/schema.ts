/** The schema of a Parquet file: every column typed, and every one may be null. */
import type { SchemaElement } from 'hyparquet'
import type { Column } from '../column/Column.js'
import { PRECISION, SCALE } from '../column/decimal.js'
import type { StoreOptions } from '../column/store.js'

export const schemaOf = (
  columns: ReadonlyArray<Column>,
  options: Pick<StoreOptions, 'decimal'>,
): Array<SchemaElement> => [
  { name: 'rows', num_children: columns.length },
  ...columns.map((column) => elementOf(column, options)),
]

const elementOf = (
  { name, type }: Column,
  { decimal }: Pick<StoreOptions, 'decimal'>,
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
      // only the newer of the two ways to say so: the older one makes the writer write JSON of the text
      return {
        name,
        repetition_type: 'OPTIONAL',
        type: 'BYTE_ARRAY',
        logical_type: { type: 'JSON' },
      }
    case 'boolean':
      return { name, repetition_type: 'OPTIONAL', type: 'BOOLEAN' }
    case 'integer':
      return long
    case 'time':
      return { ...long, converted_type: 'TIMESTAMP_MICROS' }
    case 'decimal':
      return decimal === 'text'
        ? text
        : { ...long, converted_type: 'DECIMAL', precision: PRECISION, scale: SCALE }
  }
}
