/** One JSON text a line, or one array of them all. */
import { textsOf } from '../asCame.js'
import type { Column } from '../column/Column.js'
import type { Numbers } from '../column/money.js'
import { jsonFields } from './jsonFields.js'
import { jsonOf } from './jsonValue.js'
import type { TextFormat } from './text.js'

/** The JSON text of each row. */
type Texts = (rows: ReadonlyArray<unknown>) => ReadonlyArray<string>

/** Rows whole, letter by letter as they came where that is known; or some of their fields. */
export const jsonTexts = (numbers: Numbers, columns?: ReadonlyArray<Column>): Texts => {
  if (columns !== undefined) {
    const fields = jsonFields(columns, numbers)
    return (rows) => rows.map(fields)
  }
  const json = jsonOf(numbers)
  return (rows) => textsOf(rows) ?? rows.map(json)
}

export const ndjsonText = (json: Texts): TextFormat<unknown> => ({
  start: '',
  rows: (rows) => (rows.length === 0 ? '' : `${json(rows).join('\n')}\n`),
  end: () => '',
})

/** A line for each row, so that it can be read by eye and compared by line. */
export const jsonText = (json: Texts): TextFormat<unknown> => ({
  start: '[',
  rows: (rows, before) =>
    rows.length === 0 ? '' : `${before === 0 ? '\n' : ',\n'}${json(rows).join(',\n')}`,
  end: (rows) => (rows === 0 ? ']\n' : '\n]\n'),
})
