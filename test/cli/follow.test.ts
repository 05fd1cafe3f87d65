/** `follow`: what comes and changes, as lines of JSON, by a sandbox that the test changes meanwhile. */
import { DatabaseSync } from 'node:sqlite'
import { Writable } from 'node:stream'
import { lastValueFrom, Subject } from 'rxjs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Client, createClient, orThrow, toError, unlimited } from '../../src/index.js'
import { type Listening, listen, sandboxCredentials } from '../../src/sandbox/index.js'
import { until } from '../support/until.js'
import { cli, folder, type Signal } from './support.js'

const file = await folder()

let sandbox: Listening
let payments: Client

beforeEach(async () => {
  sandbox = await listen({ charges: 50, batches: 0, limits: false })
  const credentials = sandboxCredentials
  payments = createClient({ baseUrl: sandbox.url, credentials, limits: unlimited })
})

afterEach(() => sandbox.close())

interface Line {
  readonly kind: string
  readonly value: { readonly id: string; readonly status: string }
  readonly position: { readonly emitted: number; readonly upTo: string }
}

/** Runs `follow`, calls `onLine` for each line and `change` now and then, and stops when a line says so. */
const followed = async (
  args: ReadonlyArray<string>,
  onLine: (line: Line, nth: number) => boolean,
  change: () => unknown = () => {},
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
  const { clientId, apiKey } = sandboxCredentials
  const account = ['--base-url', sandbox.url, '--no-limits', '--client-id', clientId]
  const env = { PAYMENTS_API_KEY: apiKey }
  const running = cli(['follow', ...args, ...account], { signals, stdout, env })
  const changes: Array<unknown> = []
  const changing = setInterval(() => changes.push(change()), 300)
  const { status, stderr } = await running
  clearInterval(changing)
  await Promise.all(changes)
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
      ({ value }) => made.includes(value.id),
      async () => {
        made.push((await lastValueFrom(payments.charges.create(NEW).pipe(orThrow(toError)))).id)
      },
    )
    expect(status).toBe(143)
    expect(lines.at(-1)?.kind).toBe('added')
    expect(made).toContain(lines.at(-1)?.value.id)
  })

  it('begins at --since', async () => {
    const args = ['charges', '--since', '2020-01-01']
    const { status, lines } = await followed(args, (_, nth) => nth === 50)
    expect(status).toBe(143)
    expect(new Set(lines.map(({ value }) => value.id)).size).toBe(50)
    expect(lines.map(({ position }) => position.emitted)).toEqual(lines.map((_, i) => i))
  })
})

describe('follow batch-transfers', () => {
  it('prints batches that come, and says what a poll costs', async () => {
    let made = 0
    const { status, lines, stderr } = await followed(
      ['batch-transfers', '--every', '1s'],
      () => true,
      () => {
        lastValueFrom(payments.batchTransfers.create({ request_id: `b${++made}` })).catch(() => {})
      },
    )
    expect(status).toBe(143)
    expect(lines.at(-1)).toMatchObject({ kind: 'added', value: { status: 'DRAFTING' } })
    expect(stderr).toMatch(/one request per 50 batches/)
  })
})

describe('follow DEST', () => {
  /** Follows into a table until it is as it should be, and stops then. */
  const keptIn = async (
    args: ReadonlyArray<string>,
    to: string,
    isDone: (rows: ReadonlyArray<Readonly<Record<string, unknown>>>) => boolean,
    { signal = 'SIGTERM', kept = '"upTo"' }: { signal?: Signal; kept?: string } = {},
  ) => {
    const signals = new Subject<Signal>()
    const table = args[0]?.replace('-', '_') ?? ''
    const looking = setInterval(() => {
      try {
        const db = new DatabaseSync(to, { readOnly: true })
        const rows = db.prepare(`SELECT * FROM ${table}`).all()
        const { text } = db.prepare('SELECT text FROM payments_rx_state').get() ?? {}
        db.close()
        if (isDone(rows) && String(text).includes(kept)) signals.next(signal)
      } catch {
        // it is not there yet, or locked
      }
    }, 20)
    const connection = ['--base-url', sandbox.url, '--no-limits', '--client-id', 'sandbox']
    const run = await cli(['follow', ...args, ...connection], {
      signals,
      env: { PAYMENTS_API_KEY: sandboxCredentials.apiKey },
    })
    clearInterval(looking)
    return run
  }

  it.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const)('keeps a table current, is proven, and ends at %s', async (signal, expected) => {
    const to = file(`${signal}.sqlite`)
    let made = ''
    setTimeout(async () => {
      made = (await lastValueFrom(payments.charges.create(NEW).pipe(orThrow(toError)))).id
    }, 300)
    const isThere = (rows: ReadonlyArray<Readonly<Record<string, unknown>>>): boolean =>
      rows.some(({ id }) => id === made)
    const until = { signal, kept: '"proved"' }
    const { status, stdout, stderr } = await keptIn(['charges', to], to, isThere, until)
    expect([status, stdout]).toEqual([expected, ''])
    expect(stderr).toMatch(/^reading everything$/m)
    expect(stderr).toMatch(/caught up to .*: 5[01] rows written; polling from now on/)
    expect(stderr).toMatch(/^row counts match the service up to .* \(50 rows/m)
    const by = signal === 'SIGINT' ? 'Ctrl-C' : signal
    expect(stderr).toMatch(new RegExp(`stopped by ${by}; rerun the same command to continue\n$`))
  })

  it('keeps batches, which are read whole, and forgets those that are gone', async () => {
    const to = file('batches.sqlite')
    setTimeout(() => {
      lastValueFrom(payments.batchTransfers.create({ request_id: 'b1' })).catch(() => {})
    }, 300)
    const args = ['batch-transfers', to]
    const { status, stderr } = await keptIn(args, to, (rows) => rows.length === 1)
    expect(status).toBe(143)
    expect(stderr).toMatch(/one request per 50 batches/)
  })

  it('follows as many batches of its own sandbox as it was told to', async () => {
    const given = ['--sandbox', '--rows', '120', '--dry-run']
    const { stdout, stderr } = await cli(['follow', 'batch-transfers', ...given])
    expect(`${stdout}${stderr}`).toMatch(/^rows +120 \(3 requests to count them\)/m)
    const help = await cli(['follow', 'batch-transfers', '--help'])
    expect(help.stdout).toMatch(/number of batches in that sandbox/)
  })

  it('refuses folders, buckets, and options that go with DEST', async () => {
    const refused = async (...args: ReadonlyArray<string>): Promise<string> => {
      const { status, stderr } = await cli(['follow', ...args, '--sandbox', '--rows', '5'])
      expect(status).toBe(2)
      return stderr
    }
    expect(await refused('charges', 'folder/')).toMatch(
      /DEST should be a database, because each poll/,
    )
    expect(await refused('charges', 's3://bucket/x/')).toMatch(/run sync regularly/)
    expect(await refused('charges', 'x.csv')).toMatch(/DEST should be NAME\.sqlite/)
    expect(await refused('charges', '--prove', '03:00')).toMatch(/--prove requires DEST/)
    expect(await refused('charges', file('x.db'), '--prove', '3')).toMatch(/such as 02:00/)
  })

  it('ends with 3 where another run is writing', async () => {
    const to = file('locked.sqlite')
    let [hasBegun, isOver] = [false, false]
    const first = keptIn(['charges', to], to, () => {
      hasBegun = true
      return isOver
    })
    await until(() => hasBegun)
    const second = await cli(
      ['follow', 'charges', to, '--base-url', sandbox.url, '--client-id', 'sandbox'],
      { env: { PAYMENTS_API_KEY: sandboxCredentials.apiKey } },
    )
    isOver = true
    expect(second.status).toBe(3)
    expect(second.stderr).toMatch(/is in use: another run is writing there/)
    expect((await first).status).toBe(143)
  })
})
