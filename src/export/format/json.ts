/** JSON lines, or one JSON array. */
import { withDigitsOf } from '../../decode/digits.js'
import { stringifyExact } from '../../decode/index.js'
import { type Around, rowText } from '../../stream/rawRows.js'
import type { Column } from '../column/Column.js'
import { serializable } from '../column/json.js'
import { isObject, type Read, reader } from '../column/readField.js'
import { type TextFindings, wellFormedBytes, wellFormedJson } from '../column/text.js'
import type { Format } from './Format.js'
import { joined, type Text, type TextFormat, textEncoder } from './textEncoder.js'

// texts of rows

/** Returns the JSON texts of rows, with other text around them. */
export type JsonTexts = (
  rows: ReadonlyArray<unknown>,
  around: Around,
  findings: TextFindings,
) => Text

/** Writes whole rows, copying their original text if it is known; or only some of their fields. */
export const jsonTexts = (columns?: ReadonlyArray<Column>): JsonTexts => {
  const json = columns === undefined ? stringifyExact : jsonFields(columns)
  return (rows, around, findings) => {
    const raw = columns === undefined ? rowText(rows) : undefined
    if (raw === undefined) return joined(rows, (row) => wellFormedJson(json(row), findings), around)
    const indices = rows.map((_, i) => i)
    return (allocate) => wellFormedBytes(raw.join(indices, around, allocate), findings)
  }
}

export const ndjsonText = (json: JsonTexts): TextFormat<unknown> => ({
  start: '',
  rows: (rows, _, findings) => json(rows, { between: '\n', after: '\n' }, findings),
  end: () => '',
})

/** Creates the format of an array with one line per row, which can be read and compared by line. */
export const jsonText = (json: JsonTexts): TextFormat<unknown> => ({
  start: '[',
  rows: (rows, before, findings) =>
    json(rows, { before: before === 0 ? '\n' : ',\n', between: ',\n' }, findings),
  end: (rows) => (rows === 0 ? ']\n' : '\n]\n'),
})

// some fields of rows

interface Field {
  readonly key: string
  readonly read: Read
  /** The selected fields of an object that is not written in full. */
  readonly fields: ReadonlyArray<Field> | undefined
}

/** Arranges paths as nested objects, in the order of the paths. An object that is itself selected includes all its fields. */
const fieldsOf = (paths: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<Field> => {
  const byKey = new Map<string, Array<ReadonlyArray<string>>>()
  for (const [key = '', ...rest] of paths) byKey.set(key, [...(byKey.get(key) ?? []), rest])
  return [...byKey].map(([key, inner]) => ({
    key,
    read: reader([key]),
    fields: inner.some((rest) => rest.length === 0) ? undefined : fieldsOf(inner),
  }))
}

const pick = (u: unknown, fields: ReadonlyArray<Field>): unknown => {
  if (!isObject(u)) return u
  const picked = fields.map(({ key, read, fields }) => [
    key,
    fields ? pick(read(u), fields) : read(u),
  ])
  return withDigitsOf(u)(Object.fromEntries(picked))
}

/** Writes the given fields of a row, nested as in the row. */
const jsonFields = (columns: ReadonlyArray<Column>): ((row: unknown) => string) => {
  const fields = fieldsOf(columns.map(({ path }) => path))
  return (row) => stringifyExact(pick(row, fields))
}

// lines of anything

/** Creates a format for rows that no codec describes, such as rejected ones. */
export const jsonLines = (): Format<unknown> => ({
  name: 'ndjson',
  compress: 'none',
  extension: 'ndjson',
  columns: [],
  check: serializable(),
  encoder: textEncoder(ndjsonText(jsonTexts()), 'none'),
})
