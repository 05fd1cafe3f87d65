/** Columns of a file: fields of rows, and those of nested objects under dotted names. */
import { InvalidOption } from '../../options/index.js'
import { type ColumnType, columnTypes, type Shape } from './Shape.js'

// model

/** A field of rows that has its own column. */
export interface Column {
  /** Its name, such as `quote_summary.expires_at`. */
  readonly name: string
  /** The keys from the row to the value. */
  readonly path: ReadonlyArray<string>
  readonly type: ColumnType
  /** The type is that of the codec: values have it, once decoded. */
  readonly isDescribed: boolean
}

// constructors

/** Returns a column for each field of a codec, in its order; an object is the columns of its fields. */
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

/** Returns all columns that a file of rows may have, by their names: fields, and objects whole. */
export const columnsNamed = (shape: Shape): ReadonlyMap<string, Column> =>
  new Map(
    [...objectsOf(shape), ...columnsOf(shape)].map((column) => [column.name, column] as const),
  )

/**
 * Returns the columns of these names, in this order. `NAME:TYPE` gives a column another type, or names a field that
 * the codec does not have: `fee_rate:decimal`. Throws an `InvalidOption` that lists the names there are.
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
        const which = name === '' ? 'one without a name' : name
        throw wrong(`among ${all}, and others as NAME:TYPE: there is no ${which}`)
      }
      if (type !== undefined && !isType(type)) {
        const types = columnTypes.join(', ')
        throw wrong(`of the types ${types}: there is no type ${type} for ${name}`)
      }
      if (columns.has(name)) throw wrong(`different columns: ${name} is named twice`)
      const { path, type: own = 'json' } = found ?? { path: name.split('.') }
      columns.set(name, { name, path, type: type ?? own, isDescribed: type === undefined })
    }
    if (columns.size === 0) throw wrong('at least one column')
    return [...columns.values()]
  }

const isType = (text: string): text is ColumnType => columnTypes.some((type) => type === text)
