/** `follow`: what comes and changes, as lines of JSON, by a sandbox that the test changes meanwhile. */
import { Writable } from 'node:stream'
import { lastValueFrom, Subject } from 'rxjs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Signal } from '../../src/cli/Terminal.js'
import { type Client, createClient, orThrow, toError, unlimited } from '../../src/index.js'
import { type Listening, listen, sandboxCredentials } from '../../src/sandbox/index.js'
import { cli } from './support.js'

let sandbox: Listening
let payments: Client

beforeEach(async () => {
  sandbox = await listen({ charges: 50, batches: 0, limits: false })
  payments = createClient({
    baseUrl: sandbox.url,
    credentials: sandboxCredentials,
    limits: unlimited,
  })
})

afterEach(() => sandbox.close())

interface Line {
  readonly kind: string
  readonly value: { readonly id: string; readonly status: string }
  readonly position: { readonly told: number; readonly upTo: string }
}

/** Runs `follow`, calls `onLine` for each line, and stops when that says so. */
const followed = async (
  args: ReadonlyArray<string>,
  onLine: (line: Line, nth: number) => boolean,
  onStart = () => {},
) => {
  const signals = new Subject<Signal>()
  const lines: Array<Line> = []
  const stdout = new Writable({
    decodeStrings: false,
    write: (chunk, _, done) => {
      for (const text of String(chunk).split('\n').slice(0, -1)) {
        const line: Line = JSON.parse(text)
        lines.push(line)
        if (onLine(line, lines.length)) signals.next('SIGTERM')
      }
      done()
    },
  })
  const running = cli(
    [
      'follow',
      ...args,
      '--base-url',
      sandbox.url,
      '--no-limits',
      '--client-id',
      sandboxCredentials.clientId,
    ],
    { signals, stdout, env: { PAYMENTS_API_KEY: sandboxCredentials.apiKey } },
  )
  onStart()
  const { status, stderr } = await running
  return { status, stderr, lines }
}

const NEW = {
  amount: '9.99',
  currency: 'USD',
  reason: 'goods_purchased',
  reference: 'Order',
  source: 'acct_1',
} as const

describe('follow charges', () => {
  it('prints what comes from now on, until it is stopped', async () => {
    const made: Array<string> = []
    const { status, lines } = await followed(
      ['charges', '--every', '1s'],
      ({ value }) => made.includes(value.id) && made.length > 0,
      () => {
        setTimeout(async () => {
          made.push((await lastValueFrom(payments.charges.create(NEW).pipe(orThrow(toError)))).id)
        }, 300)
      },
    )
    expect(status).toBe(143)
    expect(lines.at(-1)).toMatchObject({ kind: 'added', value: { id: made[0] } })
  })

  it('begins at --since', async () => {
    const { status, lines } = await followed(
      ['charges', '--since', '2020-01-01'],
      (_, nth) => nth === 50,
    )
    expect(status).toBe(143)
    expect(new Set(lines.map(({ value }) => value.id)).size).toBe(50)
    expect(lines.map(({ position }) => position.told)).toEqual(lines.map((_, i) => i))
  })
})

describe('follow batch-transfers', () => {
  it('prints batches that come, and says what a poll costs', async () => {
    const { status, lines, stderr } = await followed(
      ['batch-transfers', '--every', '1s'],
      () => true,
      () => {
        setTimeout(() => {
          lastValueFrom(payments.batchTransfers.create({ request_id: 'b1' })).catch(() => {})
        }, 300)
      },
    )
    expect(status).toBe(143)
    expect(lines.at(-1)).toMatchObject({ kind: 'added', value: { status: 'DRAFTING' } })
    expect(stderr).toMatch(/a request for 50 of them/)
  })
})
