/** Reads pages in one view of a list, and works on each for 50 ms. Reports each finished page to its parent. */
import { Readable } from 'node:stream'
import { ReadableStream } from 'node:stream/web'
import { setTimeout as wait } from 'node:timers/promises'
import { createClient } from 'payments-rx'
import { concatMap, filter, from, lastValueFrom } from 'rxjs'

const SIZE = 2_000
const WORK = 50

const [name = '', baseUrl = ''] = process.argv.slice(2)

const none = Number.POSITIVE_INFINITY
const payments = createClient({
  baseUrl,
  credentials: { clientId: 'sandbox', apiKey: 'sandbox-key' },
  limits: { global: none, endpoint: none, concurrency: 50, logins: none },
})
const list = payments.charges.list({ page_size: SIZE })

let asked = 0
let done = 0
let most = 0
payments.events
  .pipe(filter(({ _tag, ...event }) => _tag === 'Sent' && Object(event).endpoint.includes('GET')))
  .subscribe(() => {
    asked++
    most = Math.max(most, asked - done)
  })

const work = async (): Promise<void> => {
  await wait(WORK)
  done++
  if (done % 10 === 0) process.send?.({ done, most })
}

const eachPage = async (pages: AsyncIterable<unknown>): Promise<void> => {
  for await (const _ of pages) await work()
}

const eachItem = async (items: AsyncIterable<unknown>): Promise<void> => {
  let count = 0
  for await (const _ of items) if (++count % SIZE === 0) await work()
}

const views: Readonly<Record<string, () => Promise<unknown>>> = {
  drain: () => lastValueFrom(list.drain(() => from(work()))),
  'parallel(10).drain': () => lastValueFrom(list.parallel(10).drain(() => from(work()))),
  'for await of pages': () => eachPage(list.pages),
  'for await of items': () => eachItem(list),
  'Readable.from(pages)': () => eachPage(Readable.from(list.pages)),
  'Readable.from(items)': () => eachItem(Readable.from(list)),
  'ReadableStream.from(pages)': () => eachPage(ReadableStream.from(list.pages)),
  'ReadableStream.from(items)': () => eachItem(ReadableStream.from(list)),
  'pages.pipe(concatMap)': () => lastValueFrom(list.pages.pipe(concatMap(work))),
}

await views[name]?.()
process.send?.({ done, most })
process.disconnect?.()
