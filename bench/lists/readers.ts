/** Reads all charges in one of several ways, and reports to its parent how long that took. */
import { createClient } from 'payments-rx'
import { sandboxCredentials } from 'payments-rx/sandbox'
import { lastValueFrom, mergeMap, range, take, tap } from 'rxjs'
import Stripe from 'stripe'

const SIZE = 2_000

const [name = '', baseUrl = '', port = '', total = ''] = process.argv.slice(2)

const payments = createClient({ baseUrl, credentials: sandboxCredentials })
const charges = payments.charges.list({ page_size: SIZE })

/** Emits the rows of a list. None of them may be a failure. */
const count = async (pages: AsyncIterable<unknown>): Promise<number> => {
  let rows = 0
  for await (const page of pages) {
    const { right, left } = Object(page)
    if (right === undefined) throw new Error(left?.message)
    rows += right.items.length
  }
  return rows
}

const readers: Readonly<Record<string, () => Promise<number>>> = {
  'parallel(10), for await of pages': () => count(charges.parallel(10).pages),

  'parallel(10), items in RxJS': async () => {
    let rows = 0
    const items = charges.parallel(10).pipe(tap((item) => (rows += item._tag === 'Right' ? 1 : 0)))
    await lastValueFrom(items)
    return rows
  },

  'parallel(10) as they come': () => count(charges.parallel(10, { ordered: false }).pages),

  'every page at once, if one knew how many': async () => {
    let rows = 0
    const pages = range(0, Math.ceil(Number(total) / SIZE)).pipe(
      mergeMap((page_num) => charges.from({ page_num }).pages.pipe(take(1))),
      tap((page) => (rows += page._tag === 'Right' ? page.right.items.length : 0)),
    )
    await lastValueFrom(pages)
    return rows
  },

  'for await of pages': () => count(charges.pages),

  'fetch in a for loop': async () => {
    const login = await fetch(`${baseUrl}/api/v1/authentication/login`, {
      method: 'POST',
      headers: {
        'x-client-id': sandboxCredentials.clientId,
        'x-api-key': sandboxCredentials.apiKey,
      },
    })
    const { token } = await login.json()
    let rows = 0
    for (let page = 0, more = true; more; page++) {
      const answer = await fetch(`${baseUrl}/api/v1/charges?page_num=${page}&page_size=${SIZE}`, {
        headers: { authorization: `Bearer ${token}` },
      })
      const { items, has_more } = await answer.json()
      rows += items.length
      more = has_more
    }
    return rows
  },

  'stripe, auto-pagination': async () => {
    const stripe = new Stripe('sk_test_bench', {
      host: '127.0.0.1',
      port,
      protocol: 'http',
      telemetry: false,
    })
    let rows = 0
    for await (const _ of stripe.charges.list({ limit: SIZE })) rows++
    return rows
  },
}

const began = performance.now()
const rows = await readers[name]?.()
process.send?.({ rows, ms: performance.now() - began })
process.disconnect?.()
