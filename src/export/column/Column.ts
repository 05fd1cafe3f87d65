/** Columns of a file: fields of rows, and fields of nested objects under dotted names. */
import { InvalidOption } from '../../options/index.js'
import { type ColumnType, columnTypes, type Shape } from './Shape.js'

/** A field of rows that has its own column. */
export interface Column {
  /** The name of the column, such as `quote_summary.expires_at`. */
  readonly name: string
  /** The keys from the row to the value. */
  readonly path: ReadonlyArray<string>
  readonly type: ColumnType
  /** True if the codec determines the type; decoded values then have that type. */
  readonly isDescribed: boolean
}

/** Returns a column for each field of a codec, in the codec's order. An object becomes the columns of its fields. */
export const columnsOf = (shape: Shape, path: ReadonlyArray<string> = []): ReadonlyArray<Column> =>
  shape._tag === 'Struct'
    ? [...shape.fields].flatMap(([key, field]) => columnsOf(field, [...path, key]))
    : [
        {
          name: path.join('.'),
          path,
          type: shape._tag === 'Leaf' ? shape.type : 'json',
          isDescribed: true,
        },
      ]

/** Returns a column of JSON for each object of a codec. */
const objectsOf = (shape: Shape, path: ReadonlyArray<string> = []): ReadonlyArray<Column> =>
  shape._tag === 'Struct'
    ? [
        { name: path.join('.'), path, type: 'json', isDescribed: true },
        ...[...shape.fields].flatMap(([key, field]) => objectsOf(field, [...path, key])),
      ]
    : []

/** Returns all columns that a file of rows may have, by name: fields, and whole objects. */
export const columnsNamed = (shape: Shape): ReadonlyMap<string, Column> =>
  new Map(
    [...objectsOf(shape), ...columnsOf(shape)].map((column) => [column.name, column] as const),
  )

/**
 * Returns the columns with these names, in this order. `NAME:TYPE` gives a column another type, or names a field that the codec
 * lacks: `fee_rate:decimal`. Throws an `InvalidOption` that lists the known names.
 */
export const chosenColumns =
  (shape: Shape) =>
  (names: ReadonlyArray<string>): ReadonlyArray<Column> => {
    const fields = columnsOf(shape)
    const known = columnsNamed(shape)
    const wrong = (expected: string) => new InvalidOption('columns', expected)

    const columns = new Map<string, Column>()
    for (const asked of names) {
      const [, name = '', type] = /^(.*?)(?::([^:]*))?$/s.exec(asked) ?? []
      const found = name === '' ? undefined : known.get(name)
      if (found === undefined && (name === '' || type === undefined)) {
        const all = fields.map((field) => field.name).join(', ')
        const which = name === '' ? 'column with an empty name' : name
        throw wrong(`any of ${all}, or NAME:TYPE for another field; there is no ${which}`)
      }
      if (type !== undefined && !isType(type)) {
        const types = columnTypes.join(', ')
        throw wrong(`of the types ${types}, but ${name} has the unknown type ${type}`)
      }
      if (columns.has(name)) throw wrong(`different columns, but ${name} is named twice`)
      const { path, type: own = 'json' } = found ?? { path: name.split('.') }
      columns.set(name, { name, path, type: type ?? own, isDescribed: type === undefined })
    }
    if (columns.size === 0) throw wrong('at least one column')
    return [...columns.values()]
  }

const isType = (text: string): text is ColumnType => columnTypes.some((type) => type === text)
