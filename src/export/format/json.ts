/** One JSON text a line, or one array of them all. */
import { type Around, rowText } from '../../stream/rawRows.js'
import type { Column } from '../column/Column.js'
import type { Numbers } from '../column/decimal.js'
import { jsonOf, serializable } from '../column/json.js'
import { digitsReader, isObject, reader } from '../column/readField.js'
import { type TextFindings, wellFormedBytes, wellFormedJson } from '../column/text.js'
import { type Compression, extensionOf, type Format } from './Format.js'
import { joined, type Text, type TextFormat, textEncoder } from './textEncoder.js'

// texts of rows

/** Returns the JSON texts of rows, with something around them. */
export type JsonTexts = (
  rows: ReadonlyArray<unknown>,
  around: Around,
  findings: TextFindings,
) => Text

/** Writes whole rows, copied as they came where their text is known; or some of their fields. */
export const jsonTexts = (numbers: Numbers, columns?: ReadonlyArray<Column>): JsonTexts => {
  const json = columns === undefined ? jsonOf(numbers) : jsonFields(columns, numbers)
  return (rows, around, findings) => {
    const raw = columns === undefined ? rowText(rows) : undefined
    if (raw === undefined) return joined(rows, (row) => wellFormedJson(json(row), findings), around)
    const indices = rows.map((_, i) => i)
    return (allocate) => wellFormedBytes(raw.join(indices, around, allocate), findings)
  }
}

/** A line for each row. */
export const ndjsonText = (json: JsonTexts): TextFormat<unknown> => ({
  start: '',
  rows: (rows, _, findings) => json(rows, { between: '\n', after: '\n' }, findings),
  end: () => '',
})

/** One array, with a line for each row: it can be read by eye and compared by line. */
export const jsonText = (json: JsonTexts): TextFormat<unknown> => ({
  start: '[',
  rows: (rows, before, findings) =>
    json(rows, { before: before === 0 ? '\n' : ',\n', between: ',\n' }, findings),
  end: (rows) => (rows === 0 ? ']\n' : '\n]\n'),
})

// some fields of rows

/** Returns the text of a field; `undefined` where it is missing. */
type FieldText = (row: unknown) => string | undefined

/** The fields of an object by their names, in order. */
type Tree = Map<string, Tree | FieldText>

/** Writes these fields of a row, in their order, objects in objects as they were. */
const jsonFields = (
  columns: ReadonlyArray<Column>,
  numbers: Numbers,
): ((row: unknown) => string) => {
  const json = jsonOf(numbers)

  const fieldText = (path: ReadonlyArray<string>): FieldText => {
    const read = reader(path)
    const digits = digitsReader(path, numbers)
    return (row) => {
      const value = read(row)
      return value === undefined ? undefined : (digits(row, value) ?? json(value))
    }
  }

  const objectText = (tree: Tree, path: ReadonlyArray<string>): FieldText => {
    const read = reader(path)
    const members = [...tree].map(([key, inner]) => ({
      name: `${JSON.stringify(key)}:`,
      text: typeof inner === 'function' ? inner : objectText(inner, [...path, key]),
    }))
    return (row) => {
      const object = read(row)
      if (!isObject(object)) return object === undefined ? undefined : json(object)
      const texts = members.flatMap(({ name, text }) => {
        const value = text(row)
        return value === undefined ? [] : [name + value]
      })
      return `{${texts.join(',')}}`
    }
  }

  const text = objectText(treeOf(columns, fieldText), [])
  return (row) => text(row) ?? 'null'
}

/** Arranges columns as objects. An object that is a column hides columns of its fields: it has them. */
const treeOf = (
  columns: ReadonlyArray<Column>,
  fieldText: (path: ReadonlyArray<string>) => FieldText,
): Tree => {
  const root: Tree = new Map()
  for (const { path } of columns) {
    let at: Tree | FieldText = root
    for (const [depth, key] of path.entries()) {
      if (typeof at === 'function') break
      const known: Tree | FieldText | undefined = at.get(key)
      const isLast = depth === path.length - 1
      const next: Tree | FieldText = isLast ? fieldText(path) : (known ?? new Map())
      at.set(key, next)
      at = next
    }
  }
  return root
}

// lines of anything

/** Makes a format for rows that no codec describes, such as rejected ones. */
export const jsonLines = ({
  compress = 'none',
  numbers = 'fast',
}: {
  readonly compress?: Compression
  readonly numbers?: Numbers
} = {}): Format<unknown> => ({
  name: 'ndjson',
  compress,
  extension: extensionOf('ndjson', compress),
  columns: [],
  check: serializable(),
  encoder: textEncoder(ndjsonText(jsonTexts(numbers)), compress),
})
