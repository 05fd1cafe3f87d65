import { jsonTexts, ndjsonText } from './format/json.js'
import type { Output } from './Output.js'

// model

/**
 * Where rows go: a function. It takes the rows of a page, and answers when they are written; until then
 * no page but the next is asked for.
 */
export type Sink<A> = (rows: ReadonlyArray<A>) => Promise<unknown>

// constructors

/** One JSON text a line: as it came where that is known, or with its fields in the order they came in. */
export const ndjson = (output: Output): Sink<unknown> => {
  const lines = ndjsonText(jsonTexts('fast'))
  return (rows) => output.write(lines.rows(rows, 0))
}
