/** The destination of the page "Write your own destination", with an endpoint in memory. */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lastValueFrom } from 'rxjs'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { parseExact } from '../../src/decode/index.js'
import {
  checkDestination,
  type Destination,
  diskStore,
  exportTo,
  follow,
  type Store,
  sync,
} from '../../src/export/index.js'
import { createClient } from '../../src/index.js'
import { createSandbox, sandboxCredentials } from '../../src/sandbox/index.js'
import { SEED } from '../support/runs.js'

const ROOT = join(import.meta.dirname, '../..')
const EXAMPLE = join(ROOT, 'docs/examples/httpDestination.ts')

interface Row {
  readonly id: string
  readonly version: number
}

const { httpDestination }: { httpDestination: <A>(url: string, store: Store) => Destination<A> } =
  await import(EXAMPLE)

const home = mkdtempSync(join(tmpdir(), 'payments-rx-http-'))
const batches = new Map<string, ReadonlyArray<Row>>()
const published = new Set<string>()
/** The batch that came last, as it was sent. */
let text = ''
const server = createServer(async (request, response) => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk)
  const [, place = '', batch = '', publish] = (request.url ?? '').split('/')
  const key = `${place}/${batch}`
  if (publish === undefined) {
    text = Buffer.concat(chunks).toString()
    batches.set(key, JSON.parse(text))
  } else published.add(key)
  response.end()
})
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
afterAll(() => {
  server.close()
  rmSync(home, { recursive: true })
})

it('sends all digits of numbers', async () => {
  const { port } = server.address() as AddressInfo // it listens on one
  const store = diskStore({ folder: mkdtempSync(join(home, 'digits-')) })
  const destination = httpDestination<unknown>(`http://127.0.0.1:${port}/digits`, store)
  const row = '{"id":"a","amount":900719925474099.37,"metadata":{"n":1234567890123456789}}'
  await destination.write([parseExact(row)], { number: 0, isLast: true })
  await destination.commit('pace')
  expect(text).toBe(`[${row}]`)
})

it('keeps the laws of destinations', async () => {
  const { port } = server.address() as AddressInfo // it listens on one
  let made = 0
  await checkDestination<Row>(
    async () => {
      const folder = mkdtempSync(join(home, 'state-'))
      const place = `p${++made}`
      const other = `${place}/of another program`
      return {
        open: async () =>
          httpDestination(`http://127.0.0.1:${port}/${place}`, diskStore({ folder })),
        read: async () =>
          [...published]
            .filter((key) => key.startsWith(`${place}/`))
            .flatMap((key) => batches.get(key) ?? [])
            .map(({ id, version }) => ({ key: id, version })),
        row: (id, version) => ({ id, version }),
        plant: async () => batches.set(other, []),
        planted: async () => batches.has(other) && !published.has(other),
      }
    },
    { games: 10, seed: SEED },
  )
})

it('is for exports: sync and follow refuse it before anything is sent', () => {
  const store = diskStore({ folder: mkdtempSync(join(home, 'state-')) })
  const fetch = vi.fn()
  const { charges } = createClient({ baseUrl: 'https://x', credentials: sandboxCredentials, fetch })
  const to = httpDestination('http://endpoint', store)
  const why = "to should be a destination whose rows are 'byId', because http://endpoint"
  expect(() => sync(charges, { to })).toThrow(why)
  expect(() => follow(charges, { to })).toThrow(why)
  expect(fetch).not.toHaveBeenCalled()
})

it.each([
  ['refuses', async () => new Response('', { status: 503 }), 'HTTP 503'],
  [
    'is not there',
    async () => {
      // as Node says it of a host with two addresses
      const cause = Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' })
      throw new TypeError('fetch failed', { cause })
    },
    'ECONNREFUSED',
  ],
])('ends an export with an error as a value where the endpoint %s', async (_, answer, code) => {
  vi.stubGlobal('fetch', answer)
  onTestFinished(() => {
    vi.unstubAllGlobals()
  })
  const store = diskStore({ folder: mkdtempSync(join(home, 'state-')) })
  const { fetch } = createSandbox({ charges: 20 })
  const { charges } = createClient({ baseUrl: 'https://x', credentials: sandboxCredentials, fetch })
  const out = httpDestination('http://endpoint', store)
  const last = await lastValueFrom(exportTo(charges.snapshot(), { out }))
  const message = expect.stringMatching(/^cannot write http:\/\/endpoint: .*(503|ECONNREFUSED)/)
  expect(last).toMatchObject({ left: { _tag: 'WriteFailed', code, message } })
})

it('is the code of the page, in 60 lines', () => {
  const code = readFileSync(EXAMPLE, 'utf8')
  expect(readFileSync(join(ROOT, 'docs/destinations.md'), 'utf8')).toContain(code)
  expect(code.split('\n').length).toBeLessThanOrEqual(60)
})
