/** Sends rows to an HTTP endpoint that hides a batch until it is published: exactly once, even if the process is killed. */
import { stringifyExact } from 'payments-rx/decode'
import type { Destination, Prepared, Store } from 'payments-rx/export'

export const httpDestination = <Row>(url: string, store: Store): Destination<Row> => {
  let rows: ReadonlyArray<Row> = []
  let own: { readonly batch?: string } = {}

  const send = async (method: 'PUT' | 'POST', path: string, body?: unknown): Promise<void> => {
    const answer = await fetch(`${url}/${path}`, {
      method,
      ...(body === undefined ? {} : { body: stringifyExact(body) }), // with all digits of numbers
    })
    if (answer.ok) return
    const error = new Error(`${method} ${url}/${path}: ${answer.status}`)
    throw Object.assign(error, { code: `HTTP ${answer.status}` }) // the run ends with WriteFailed
  }

  /** Publishing a batch twice has no further effect. */
  const publish = async ({ batch }: typeof own): Promise<void> => {
    if (batch !== undefined) await send('POST', `${batch}/publish`)
  }

  const step = async (): Promise<Prepared> => {
    if (rows.length === 0) return { own }
    const next = { batch: crypto.randomUUID() }
    await send('PUT', next.batch, rows) // durable but hidden
    rows = []
    return {
      own: next, // saved with the list's position, under one checksum
      settle: async () => {
        await publish(next)
        own = next
      },
    }
  }

  return {
    name: url,
    store,
    commitEvery: 1_000,
    rows: 'appended', // each batch adds rows, as exports need
    check: () => undefined,
    resume: async (found) => {
      own = (found ?? {}) as typeof own
      await publish(own) // the last run may have been killed before this
    },
    write: async (page) => {
      rows = [...rows, ...page]
    },
    reject: async () => {}, // rejects are counted, and passed to `onReject`
    commit: step,
    finish: step,
    close: async () => {},
  }
}
