import type { Output } from './Output.js'

// model

/**
 * Where rows go: a function. It takes the rows of a page, and answers when they are written; until then
 * no page but the next is asked for.
 */
export type Sink<A> = (rows: ReadonlyArray<A>) => Promise<unknown>

// constructors

/** One JSON text a line, in the order the fields came in. */
export const ndjson =
  (output: Output): Sink<unknown> =>
  (rows) => {
    let text = ''
    for (const row of rows) text += `${JSON.stringify(row)}\n`
    return output.write(text)
  }
