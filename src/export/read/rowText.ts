/** Assembles rows from columns as JSON text, so that their numbers keep their digits. */
import type { SchemaElement } from 'hyparquet'
import { fromDate } from '../../codec/Instant.js'
import { type Column, columnsNamed } from '../column/Column.js'
import type { ColumnType, Shape } from '../column/Shape.js'

/** A value as JSON text; `undefined` if there is none. */
export type JsonText = string | undefined

/** Fields of an object: values, by column index, and nested objects. */
interface ObjectField {
  readonly key: string
  readonly at?: number
  readonly fields?: ReadonlyArray<ObjectField>
}

/** The columns of a file, in the codec's structure. */
export interface FileColumns {
  readonly types: ReadonlyArray<ColumnType>
  readonly rowText: (values: ReadonlyArray<JsonText>) => string
}

/** Finds the columns with these names. A column that the codec lacks is treated as text. */
export const fileColumns = (shape: Shape, names: ReadonlyArray<string>): FileColumns => {
  const known = columnsNamed(shape)
  const columns = names.map(
    (name): Pick<Column, 'path' | 'type'> =>
      known.get(name) ?? { path: name.split('.'), type: 'text' },
  )
  const fields = fieldsOf(columns.map(({ path }, at) => ({ path, at })))
  return {
    types: columns.map(({ type }) => type),
    rowText: (values) => objectText(fields, values) ?? '{}',
  }
}

interface Placed {
  readonly path: ReadonlyArray<string>
  readonly at: number
}

const fieldsOf = (columns: ReadonlyArray<Placed>): ReadonlyArray<ObjectField> => {
  const byKey = new Map<string, Array<Placed>>()
  for (const { path, at } of columns) {
    const [key = '', ...rest] = path
    byKey.set(key, [...(byKey.get(key) ?? []), { path: rest, at }])
  }
  return [...byKey].map(([key, inner]) => {
    const whole = inner.find(({ path }) => path.length === 0)
    return whole === undefined ? { key, fields: fieldsOf(inner) } : { key, at: whole.at }
  })
}

/** Omits objects without a value. */
const objectText = (
  fields: ReadonlyArray<ObjectField>,
  values: ReadonlyArray<JsonText>,
): JsonText => {
  let text = ''
  for (const { key, at, fields: inner } of fields) {
    const value = inner === undefined ? values[at ?? -1] : objectText(inner, values)
    if (value !== undefined) text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${value}`
  }
  return text === '' ? undefined : `{${text}}`
}

// values

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** Returns the JSON of a text in a typed column. Text that does not match the type becomes a JSON string. */
export const jsonTextOf = (type: ColumnType, text: string): string => {
  switch (type) {
    case 'integer':
    case 'decimal':
      return NUMBER.test(text) ? text : JSON.stringify(text)
    case 'boolean':
      return text === 'true' || text === 'false' ? text : JSON.stringify(text)
    case 'json':
      return text
    default:
      return JSON.stringify(text)
  }
}

/** Returns the JSON of values in a Parquet column, whose type is in the file's `element`. */
export const storedTextOf = (
  type: ColumnType,
  { converted_type, scale = 0 }: Pick<SchemaElement, 'converted_type' | 'scale'>,
): ((value: unknown) => JsonText) => {
  const textOf = (value: unknown): string => {
    if (typeof value !== 'bigint') return jsonTextOf(type, `${value}`)
    switch (converted_type) {
      case 'DECIMAL':
        return decimalText(value, scale)
      case 'TIMESTAMP_MICROS':
        return JSON.stringify(timeText(value))
      default:
        return `${value}`
    }
  }
  return (value) => (value === null || value === undefined ? undefined : textOf(value))
}

/** Returns the digits of a decimal, without trailing zeros. */
const decimalText = (units: bigint, scale: number): string => {
  const digits = `${units < 0n ? -units : units}`.padStart(scale + 1, '0')
  const fraction = digits.slice(digits.length - scale).replace(/0+$/, '')
  const text = `${digits.slice(0, digits.length - scale)}${fraction === '' ? '' : `.${fraction}`}`
  return units < 0n ? `-${text}` : text
}

const SECOND = 1_000_000n

/** Returns a time in microseconds since 1970 in the format of the API, with its fraction if it has one. */
const timeText = (micros: bigint): string => {
  const rest = ((micros % SECOND) + SECOND) % SECOND
  const [time = '', offset] = fromDate(new Date(Number((micros - rest) / 1_000n))).split('+')
  const fraction = rest === 0n ? '' : `.${`${rest}`.padStart(6, '0').replace(/0+$/, '')}`
  return `${time}${fraction}+${offset}`
}
