/** One JSON text a line, or one array of them all. */
import type { Around } from '../../stream/rawRows.js'
import { rowText } from '../../stream/rawRows.js'
import type { Column } from '../column/Column.js'
import { jsonOf } from '../column/jsonOf.js'
import type { Numbers } from '../column/Numbers.js'
import { jsonFields } from './jsonFields.js'
import type { Text, TextFormat } from './text.js'

/** The JSON texts of rows, with something around them. */
type Texts = (rows: ReadonlyArray<unknown>, around: Around) => Text

/** So many letters are put in their place at a time: a page of them would live for too long. */
const PART = 1 << 16

/** Rows whole, letter by letter as they came where that is known; or some of their fields. */
export const jsonTexts = (numbers: Numbers, columns?: ReadonlyArray<Column>): Texts => {
  if (columns !== undefined) return joining(jsonFields(columns, numbers))
  const anew = joining(jsonOf(numbers))
  return (rows, around) => {
    const texts = rowText(rows)
    if (texts === undefined) return anew(rows, around)
    const places = rows.map((_, i) => i)
    return (allocate) => texts.join(places, around, allocate)
  }
}

/** Each row written anew. */
const joining =
  (json: (row: unknown) => string): Texts =>
  (rows, around) =>
    inParts(rows, json, around)

/** In parts of about `PART` letters. */
function* inParts(
  rows: ReadonlyArray<unknown>,
  json: (row: unknown) => string,
  { before = '', between, after = '' }: Around,
): Iterable<string> {
  let text = before
  let isFirst = true
  for (const row of rows) {
    text += isFirst ? json(row) : between + json(row)
    isFirst = false
    if (text.length < PART) continue
    yield text
    text = ''
  }
  yield text + after
}

/** A line for each row, and nothing else. */
export const ndjsonText = (json: Texts): TextFormat<unknown> => ({
  start: '',
  rows: (rows) => (rows.length === 0 ? [] : json(rows, { between: '\n', after: '\n' })),
  end: () => '',
})

/** One array, with a line for each row: it can be read by eye and compared by line. */
export const jsonText = (json: Texts): TextFormat<unknown> => ({
  start: '[',
  rows: (rows, before) =>
    rows.length === 0 ? [] : json(rows, { before: before === 0 ? '\n' : ',\n', between: ',\n' }),
  end: (rows) => (rows === 0 ? ']\n' : '\n]\n'),
})
