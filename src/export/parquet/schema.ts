/**
 * The schema of a Parquet file: every column typed, and every one may be null. The file says of bytes
 * what they are. The writer is not told: it would write JSON of JSON, and encode all texts of a row group
 * before it writes the first.
 */
import type { SchemaElement } from 'hyparquet'
import type { Column } from '../column/Column.js'
import { PRECISION, SCALE } from '../column/decimal.js'
import type { StoreOptions } from '../column/store.js'

/** To whom the schema is told. */
export type Audience = 'the writer' | 'readers'

/** The root, and an element for each column. */
export const schemaOf = (
  columns: ReadonlyArray<Column>,
  options: Pick<StoreOptions, 'amounts'>,
  audience: Audience,
): Array<SchemaElement> => [
  { name: 'rows', num_children: columns.length },
  ...columns.map((column) => elementOf(column, options, audience)),
]

const elementOf = (
  { name, type }: Column,
  { amounts }: Pick<StoreOptions, 'amounts'>,
  audience: Audience,
): SchemaElement => {
  const bytes: SchemaElement = { name, repetition_type: 'OPTIONAL', type: 'BYTE_ARRAY' }
  const text: SchemaElement = audience === 'readers' ? { ...bytes, converted_type: 'UTF8' } : bytes
  const long: SchemaElement = { name, repetition_type: 'OPTIONAL', type: 'INT64' }
  switch (type) {
    case 'text':
      return text
    case 'json':
      return audience === 'readers'
        ? { ...bytes, converted_type: 'JSON', logical_type: { type: 'JSON' } }
        : bytes
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
      return amounts === 'text'
        ? text
        : { ...long, converted_type: 'DECIMAL', precision: PRECISION, scale: SCALE }
  }
}
