/** Rows to an HTTP endpoint that keeps batches unseen until they are published: each row once, whatever is killed when. */
import type { Destination, Prepared, Store } from 'payments-rx/export'

export const httpDestination = <Row>(url: string, store: Store): Destination<Row> => {
  let rows: ReadonlyArray<Row> = []
  let own: { readonly batch?: string } = {}

  const send = async (method: 'PUT' | 'POST', path: string, body?: unknown): Promise<void> => {
    const answer = await fetch(`${url}/${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (answer.ok) return
    const error = new Error(`${method} ${url}/${path}: ${answer.status}`)
    throw Object.assign(error, { code: `HTTP ${answer.status}` }) // the run ends with WriteFailed
  }

  /** The endpoint shows a batch once, however often it is told to. */
  const publish = async ({ batch }: typeof own): Promise<void> => {
    if (batch !== undefined) await send('POST', `${batch}/publish`)
  }

  const step = async (): Promise<Prepared> => {
    if (rows.length === 0) return { own }
    const next = { batch: crypto.randomUUID() }
    await send('PUT', next.batch, rows) // durable, and unseen
    rows = []
    return {
      own: next, // kept with the position of the list, under one checksum
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
    check: () => undefined,
    resume: async (found) => {
      own = (found ?? {}) as typeof own
      await publish(own) // a kill may have come before
    },
    write: async (page) => {
      rows = [...rows, ...page]
    },
    reject: async () => {}, // counted, and reported to `onReject`
    commit: step,
    finish: step,
    close: async () => {},
  }
}
