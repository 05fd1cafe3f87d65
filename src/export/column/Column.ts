/** What stands side by side in a table: fields of rows, those of nested objects under dotted names. */
import { InvalidOption } from '../../options/index.js'
import { type ColumnType, columnTypes, type Shape } from './Shape.js'

// model

/** A field of rows that stands in its own column. */
export interface Column {
  /** Its name, such as `quote_summary.expires_at`. */
  readonly name: string
  /** From the row to the value. */
  readonly path: ReadonlyArray<string>
  readonly type: ColumnType
  /** What the codec says of the value; of a number that the caller calls so, the caller. */
  readonly shape: Shape
}

// constructors

/** A column for each field that the codec names, in its order; an object is the columns of its fields. */
export const columnsOf = (shape: Shape, path: ReadonlyArray<string> = []): ReadonlyArray<Column> =>
  shape._tag === 'Struct'
    ? [...shape.fields].flatMap(([key, field]) => columnsOf(field, [...path, key]))
    : [{ name: path.join('.'), path, type: shape._tag === 'Leaf' ? shape.type : 'json', shape }]

/** The objects themselves, as JSON. */
const wholes = (shape: Shape, path: ReadonlyArray<string> = []): ReadonlyArray<Column> =>
  shape._tag === 'Struct'
    ? [
        ...(path.length === 0
          ? []
          : [{ name: path.join('.'), path, type: 'json' as const, shape }]),
        ...[...shape.fields].flatMap(([key, field]) => wholes(field, [...path, key])),
      ]
    : []

/**
 * Returns the columns of these names, in this order. `NAME:TYPE` gives a column another type, or names a field that
 * the codec does not know: `fee_rate:decimal`. Throws an `InvalidOption` that says which names there are.
 */
export const chosenColumns =
  (shape: Shape) =>
  (names: ReadonlyArray<string>): ReadonlyArray<Column> => {
    const leaves = columnsOf(shape)
    const nameable = new Map(
      [...wholes(shape), ...leaves].map((column) => [column.name, column] as const),
    )
    const known = leaves.map(({ name }) => name).join(', ')
    const wrong = (expected: string) => new InvalidOption('columns', expected)

    const columns: Array<Column> = []
    for (const asked of names) {
      const { name, type } = typed(asked)
      const found = nameable.get(name)
      if (found === undefined && (name === '' || type === undefined)) {
        const which = name === '' ? 'one without a name' : name
        throw wrong(`among ${known}, and others as NAME:TYPE: there is no ${which}`)
      }
      if (type !== undefined && !isType(type)) {
        const types = columnTypes.join(', ')
        throw wrong(`of the types ${types}: there is no type ${type} for ${name}`)
      }
      if (columns.some((other) => other.name === name)) {
        throw wrong(`different columns: ${name} is named twice`)
      }
      if (found !== undefined) columns.push(type === undefined ? found : retyped(found, type))
      else if (type !== undefined) columns.push(unnamed(name, type))
    }
    if (columns.length === 0) throw wrong('at least one column')
    return columns
  }

/** A column that the caller gives another type. What may be in it all the same the codec knows. */
const retyped = (column: Column, type: ColumnType): Column => ({
  ...column,
  type,
  shape: column.shape._tag === 'Leaf' && isNumber(type) ? { _tag: 'Leaf', type } : column.shape,
})

/** A field that the codec does not name: anything may be in it, whatever it is called. */
const unnamed = (name: string, type: ColumnType): Column => ({
  name,
  path: name.split('.'),
  type,
  shape: { _tag: 'Leaf', type: isNumber(type) ? type : 'json' },
})

const isNumber = (type: ColumnType): boolean => type === 'integer' || type === 'decimal'

/** The parts of `NAME:TYPE`, whatever the type is. */
const typed = (asked: string): { readonly name: string; readonly type?: string } => {
  const at = asked.lastIndexOf(':')
  return at < 0 ? { name: asked } : { name: asked.slice(0, at), type: asked.slice(at + 1) }
}

const isType = (text: string): text is ColumnType => columnTypes.some((type) => type === text)
