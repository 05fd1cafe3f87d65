/** One JSON text a line, or one array of them all. */
import type { TextFormat } from './text.js'

export const ndjsonText: TextFormat<unknown> = {
  start: '',
  rows: (rows) => {
    let text = ''
    for (const row of rows) text += `${JSON.stringify(row)}\n`
    return text
  },
  end: () => '',
}

/** A line for each row, so that it can be read by eye and compared by line. */
export const jsonText: TextFormat<unknown> = {
  start: '[',
  rows: (rows, before) => {
    let text = ''
    for (const row of rows) {
      text += `${text === '' && before === 0 ? '\n' : ',\n'}${JSON.stringify(row)}`
    }
    return text
  },
  end: (rows) => (rows === 0 ? ']\n' : '\n]\n'),
}
