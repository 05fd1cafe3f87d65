import { lastValueFrom } from 'rxjs'
import { expect, it } from 'vitest'
import { charges } from '../../../src/cli/export/resources.js'
import { exportTo, sync } from '../../../src/export/index.js'
import { createClient } from '../../../src/index.js'
import { createSandbox, sandboxCredentials } from '../../../src/sandbox/index.js'
import { folder } from '../../export/sync/databases.js'
import { virtualTime } from '../../support/idleClock.js'

const file = folder()

/** A client of a sandbox in which a page takes a second, and the seconds in which it sends. */
const open = () => {
  const { timer, run } = virtualTime()
  const began = timer.now()
  const sandbox = createSandbox({ charges: 3_000, latency: 1_000, timer })
  const sent = new Map<number, number>()
  const client = createClient({
    baseUrl: 'https://sandbox',
    credentials: sandboxCredentials,
    fetch: (input, init) => {
      const second = Math.floor((timer.now() - began) / 1_000)
      sent.set(second, (sent.get(second) ?? 0) + 1)
      return sandbox.fetch(input, init)
    },
    timer,
  })
  return { client, timer, run, sent: () => [4, 5, 6, 7, 8].map((second) => sent.get(second)) }
}

it('an export of charges uses the quota up by itself', async () => {
  const { client, timer, run, sent } = open()
  const source = charges.source(client, { page_size: 10 }, undefined)
  await run(lastValueFrom(exportTo(source, { out: async () => {}, timer })))
  expect(sent()).toEqual([20, 20, 20, 20, 20])
})

it('so does a sync', async () => {
  const { client, timer, run, sent } = open()
  const timed = {
    snapshot: (filter: object) => client.charges.snapshot({ page_size: 10, ...filter }),
  }
  await run(lastValueFrom(sync(timed, { to: file('c.sqlite'), timer })))
  expect(sent()).toEqual([20, 20, 20, 20, 20])
})
