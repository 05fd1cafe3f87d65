/** One JSON text a line, or one array of them all. */
import { textsOf } from '../asCame.js'
import type { Column } from '../column/Column.js'
import type { Numbers } from '../column/money.js'
import { jsonFields } from './jsonFields.js'
import { jsonOf } from './jsonValue.js'
import type { TextFormat } from './text.js'

/** The JSON texts of rows, with something in between. */
type Texts = (rows: ReadonlyArray<unknown>, between: string) => string

/** Rows whole, letter by letter as they came where that is known; or some of their fields. */
export const jsonTexts = (numbers: Numbers, columns?: ReadonlyArray<Column>): Texts => {
  if (columns !== undefined) return joining(jsonFields(columns, numbers))
  const anew = joining(jsonOf(numbers))
  return (rows, between) => {
    const texts = textsOf(rows)
    return texts === undefined
      ? anew(rows, between)
      : texts.join(
          rows.map((_, i) => i),
          between,
        )
  }
}

const joining =
  (json: (row: unknown) => string): Texts =>
  (rows, between) => {
    let text = ''
    for (const row of rows) text += text === '' ? json(row) : between + json(row)
    return text
  }

export const ndjsonText = (json: Texts): TextFormat<unknown> => ({
  start: '',
  rows: (rows) => (rows.length === 0 ? '' : `${json(rows, '\n')}\n`),
  end: () => '',
})

/** A line for each row, so that it can be read by eye and compared by line. */
export const jsonText = (json: Texts): TextFormat<unknown> => ({
  start: '[',
  rows: (rows, before) =>
    rows.length === 0 ? '' : `${before === 0 ? '\n' : ',\n'}${json(rows, ',\n')}`,
  end: (rows) => (rows === 0 ? ']\n' : '\n]\n'),
})
