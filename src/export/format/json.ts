/** One JSON text a line, or one array of them all. */
import type { Column } from '../column/Column.js'
import type { Numbers } from '../column/money.js'
import { jsonFields } from './jsonFields.js'
import { jsonOf } from './jsonValue.js'
import type { TextFormat } from './text.js'

/** The JSON text of a row: whole, as it came, or of some of its fields. */
export const jsonRow = (
  numbers: Numbers,
  columns?: ReadonlyArray<Column>,
): ((row: unknown) => string) =>
  columns === undefined ? jsonOf(numbers) : jsonFields(columns, numbers)

export const ndjsonText = (json: (row: unknown) => string): TextFormat<unknown> => ({
  start: '',
  rows: (rows) => {
    let text = ''
    for (const row of rows) text += `${json(row)}\n`
    return text
  },
  end: () => '',
})

/** A line for each row, so that it can be read by eye and compared by line. */
export const jsonText = (json: (row: unknown) => string): TextFormat<unknown> => ({
  start: '[',
  rows: (rows, before) => {
    let text = ''
    for (const row of rows) text += `${text === '' && before === 0 ? '\n' : ',\n'}${json(row)}`
    return text
  },
  end: (rows) => (rows === 0 ? ']\n' : '\n]\n'),
})
