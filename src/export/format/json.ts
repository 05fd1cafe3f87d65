/** One JSON text a line, or one array of them all. */
import { withDigitsOf } from '../../decode/digits.js'
import { type Around, rowText } from '../../stream/rawRows.js'
import type { Column } from '../column/Column.js'
import { isExact, type Numbers } from '../column/decimal.js'
import { jsonOf, serializable } from '../column/json.js'
import { isObject, type Read, reader } from '../column/readField.js'
import { type TextFindings, wellFormedBytes, wellFormedJson } from '../column/text.js'
import type { Format } from './Format.js'
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

interface Field {
  readonly key: string
  readonly read: Read
  /** The fields of an object that is not written whole. */
  readonly fields: ReadonlyArray<Field> | undefined
}

/** Arranges paths as objects, in their order. An object that is named whole has its fields anyway. */
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

/** Writes these fields of a row, objects in objects as they were. */
const jsonFields = (
  columns: ReadonlyArray<Column>,
  numbers: Numbers,
): ((row: unknown) => string) => {
  const fields = fieldsOf(columns.map(({ path }) => path))
  const cells = columns.map(({ path }) => reader(path))
  const [json, exactJson] = [jsonOf(numbers), jsonOf('exact')]
  const isLarge = (value: unknown): boolean => typeof value === 'number' && !isExact(value)
  return (row) => {
    const text = cells.some((read) => isLarge(read(row))) ? exactJson : json // see `digitsReader`
    return text(pick(row, fields))
  }
}

// lines of anything

/** Makes a format for rows that no codec describes, such as rejected ones. */
export const jsonLines = (numbers: Numbers = 'fast'): Format<unknown> => ({
  name: 'ndjson',
  compress: 'none',
  extension: 'ndjson',
  columns: [],
  check: serializable(),
  encoder: textEncoder(ndjsonText(jsonTexts(numbers)), 'none'),
})
