/**
 * ```ts
 * interface Sink<A>
 * ```
 *
 * Where rows go. It takes a page of them and answers when they are written; until then no further page
 * than the next is asked for.
 */
import type { Output } from './Output.js'

// model

export interface Sink<A> {
  readonly write: (rows: ReadonlyArray<A>) => Promise<void>
}

// constructors

/** One JSON text a line, in the order the fields came in. */
export const ndjson = (output: Output): Sink<unknown> => ({
  write: async (rows) => {
    let text = ''
    for (const row of rows) text += `${JSON.stringify(row)}\n`
    await output.write(text)
  },
})
