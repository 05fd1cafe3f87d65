/** `sync all`, `sync batch-items` and `sync --dry-run` on the command line. */
import { existsSync, readdirSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { Subject } from 'rxjs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  createSandbox,
  type Listening,
  listen,
  sandboxCredentials,
  sandboxPartner,
} from '../../src/sandbox/index.js'
import { cli, folder, jsonLines, type Signal } from './support.js'

const file = await folder()

let sandbox: Listening | undefined
const made = createSandbox({ charges: 300, batches: 60, limits: false })
beforeAll(async () => {
  sandbox = await listen(made)
})
afterAll(() => sandbox?.close())

const { clientId, apiKey } = sandboxCredentials
const KEYS = ['--client-id', clientId, '--api-key', apiKey]
const { clientId: partner, clientSecret } = sandboxPartner
const PARTNER = ['--partner-id', partner, '--partner-secret', clientSecret]

const sync = (list: string, to: string, ...more: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...['sync', list, to, '--base-url', `${sandbox?.url}`, '--no-limits', '--progress', 'none'],
  ...more,
]

const rowsIn = (path: string, table: string): number => {
  const db = new DatabaseSync(path)
  const found = db.prepare(`select count(*) as n from ${table}`).get()
  db.close()
  return Number(found?.n)
}

describe('sync all', () => {
  it('keeps each list in a table of a database, and says which one it has skipped', async () => {
    const to = file('all.sqlite')
    const { status, stderr } = await cli(sync('all', to, ...KEYS))
    expect(stderr).toContain(
      'partner-webhooks: skipped: --partner-id or PAYMENTS_PARTNER_ID is required, --partner-secret or PAYMENTS_PARTNER_SECRET is required\n',
    )
    expect(stderr).toMatch(
      /^charges: complete: row counts match the service up to .* \(300 rows\); .*$/m,
    )
    expect(stderr).toMatch(/^batch-transfers: complete, with rows up to .*, 60 rows read into .*$/m)
    expect(stderr).toMatch(
      /^batch-items: complete: row counts match the service up to .* \([\d,]+ rows of 60 batches\).*$/m,
    )
    expect(stderr).toMatch(/^webhooks: complete, with rows up to .*$/m)
    expect(stderr).toMatch(/\ncomplete: 4 lists; without credentials: partner-webhooks\n$/)
    expect(status).toBe(0)
    expect(rowsIn(to, 'charges')).toBe(300)
    expect(rowsIn(to, 'batch_transfers')).toBe(60)
    expect(rowsIn(to, 'batch_items')).toBeGreaterThan(60)
    expect(rowsIn(to, 'webhooks')).toBe(0)
    // another night
    expect((await cli(sync('all', to, ...KEYS))).status).toBe(0)
  })

  it('keeps each list in a folder of its own, in the format that it is told', async () => {
    const to = file('all/')
    const { status } = await cli(sync('all', to, ...KEYS, ...PARTNER, '--format', 'parquet'))
    expect(status).toBe(0)
    const names = ['batch-items', 'batch-transfers', 'charges', 'partner-webhooks', 'webhooks']
    expect(readdirSync(to).sort()).toEqual(names)
    expect(existsSync(`${to}charges/_manifest.json`)).toBe(true)
    expect(readdirSync(`${to}batch-items`).some((name) => name.endsWith('.parquet'))).toBe(true)
    expect((await cli(['verify', `${to}batch-items/`])).status).toBe(0)
  })

  it('ends with the worst status of all lists, and reads the others nevertheless', async () => {
    const to = file('worst.sqlite')
    expect((await cli(sync('batch-items', to, ...KEYS, '--batch', 'none'))).status).not.toBe(3)
    const db = new DatabaseSync(to)
    db.exec('create table webhooks (id text, mine text)') // its primary key should be id
    db.close()
    const { status, stderr } = await cli(sync('all', to, ...KEYS))
    expect(status).toBe(2)
    expect(stderr).toContain('webhooks: ')
    expect(stderr).toMatch(/\nincomplete: 4 lists; without credentials: partner-webhooks\n$/)
    expect(rowsIn(to, 'charges')).toBe(300)
  })

  it('needs credentials of at least one', async () => {
    const { status, stderr } = await cli(sync('all', file('none.sqlite')))
    expect(status).toBe(2)
    expect(stderr).toContain('--client-id or PAYMENTS_CLIENT_ID is required')
  })

  it('refuses a wrong DEST before it reads anything, and options of one list', async () => {
    const wrong = await cli(sync('all', file('all.csv'), ...KEYS))
    expect(wrong.status).toBe(2)
    expect(wrong.stderr).toContain('DEST should be NAME.sqlite')
    const table = await cli(sync('all', file('all.sqlite'), ...KEYS, '--table', 'x'))
    expect(table).toMatchObject({ status: 2, stderr: expect.stringContaining("'--table'") })
  })

  it('stops at a signal, and names the lists that were not started', async () => {
    const slow = createSandbox({ charges: 3_000, batches: 4, limits: false, latency: 300 })
    const { url, close } = await listen(slow)
    const signals = new Subject<Signal>()
    const args = ['sync', 'all', file('stopped.sqlite'), '--base-url', url, '--no-limits']
    const running = cli([...args, ...KEYS, '--page-size', '100', '--progress', 'none'], { signals })
    while (slow.stats().requests < 2) await new Promise((resolve) => setImmediate(resolve))
    signals.next('SIGTERM')
    const { status, stderr } = await running
    await close()
    expect(status).toBe(143)
    expect(stderr).toContain('not started: batch-transfers, batch-items, webhooks')
  })

  it('has one deadline for all lists', async () => {
    const slow = await listen({ charges: 3_000, batches: 4, limits: false, latency: 200 })
    const args = ['sync', 'all', file('late.sqlite'), '--base-url', slow.url, '--no-limits']
    const flags = ['--progress', 'none', '--deadline', '30s']
    const { status, stderr } = await cli([...args, ...KEYS, ...flags])
    await slow.close()
    expect(status).toBe(1)
    expect(stderr).toMatch(
      /incomplete: 1 list; not started: batch-transfers, batch-items, webhooks/,
    )
  })

  it('runs on a sandbox of its own, and says only what went wrong when it is told so', async () => {
    const args = ['sync', 'all', file('trial.sqlite'), '--sandbox', '--rows', '50', '--no-limits']
    expect(await cli([...args, '--quiet'])).toMatchObject({ status: 0, stderr: '' })
    expect(rowsIn(file('trial.sqlite'), 'charges')).toBe(50)
  })

  it('writes its progress as lines of JSON', async () => {
    const args = ['sync', 'all', file('json.sqlite'), '--sandbox', '--rows', '5', '--no-limits']
    const { stderr } = await cli([...args, '--progress', 'json'])
    const lines = jsonLines(stderr)
    expect(lines.filter(({ type }) => type === 'end')).toHaveLength(6)
    expect(lines.at(-1)).toMatchObject({ type: 'end', status: 0, summary: 'complete: 5 lists' })
  })
})

describe('sync batch-items', () => {
  it('keeps the items of all batches, or those of one', async () => {
    const to = file('items.sqlite')
    const all = await cli(sync('batch-items', to, ...KEYS))
    expect(all.status).toBe(0)
    const db = new DatabaseSync(to)
    const [batch] = db.prepare('select batch_id, count(*) as n from batch_items group by 1').all()
    db.close()
    const flags = ['--batch', String(batch?.batch_id)]
    const one = await cli(sync('batch-items', to, ...KEYS, ...flags))
    expect(one.status).toBe(0)
    expect(rowsIn(to, 'batch_transfers_items')).toBe(batch?.n)
  })
})

describe('sync --dry-run', () => {
  it('counts the charges, says what the first night and later ones cost, and writes nothing', async () => {
    const to = file('dry.sqlite')
    const { status, stdout } = await cli(sync('charges', to, ...KEYS, '--dry-run'))
    expect(status).toBe(0)
    expect(stdout).toMatch(
      /^rows {9}300 \(\d requests? to count them\)\nfirst night {2}about 3\d requests, .*: all rows, 3 lists of \d+ open charges, 28 requests for counts\nlater {8}about 3\d requests, .*: \d+ rows of the last 7 days, .*, 300 other rows re-read\nmore .*\nnothing was written\n$/,
    )
    expect(existsSync(to)).toBe(false)
  })

  it('tells the items of all batches, and of each list of all', async () => {
    const items = await cli(sync('batch-items', file('dry.sqlite'), ...KEYS, '--dry-run'))
    expect(items.stdout).toMatch(/^rows {9}[\d,]+ of 60 batches \(2 requests to count them\)\n/)
    const all = await cli(sync('all', file('dry/'), ...KEYS, '--dry-run'))
    expect(all.status).toBe(0)
    expect(all.stdout).toMatch(
      /^charges\n {2}rows .*\n(.*\n)*batch-items\n {2}rows(.*\n)*webhooks\n/,
    )
    expect(all.stderr).toContain('partner-webhooks: skipped')
    expect(existsSync(file('dry/'))).toBe(false)
  })

  it.each([
    [
      'batch-transfers',
      /^rows {9}60 \(2 requests .*\)\neach night {3}about 2 requests, .*: the whole list\n/,
    ],
    [
      'webhooks',
      /^rows {9}\d+ \(1 request .*\)\neach night {3}about 1 request, .*: the whole list\n/,
    ],
  ])('reads the list of %s to count it', async (list, lines) => {
    const { stdout } = await cli(sync(list, file('dry.sqlite'), ...KEYS, '--dry-run'))
    expect(stdout).toMatch(lines)
    expect(existsSync(file('dry.sqlite'))).toBe(false)
  })

  it('ends with status 2 where the keys are refused', async () => {
    const keys = ['--client-id', 'sandbox', '--api-key', 'wrong-key']
    const { status, stderr } = await cli(sync('charges', file('dry.sqlite'), ...keys, '--dry-run'))
    expect(status).toBe(2)
    expect(stderr).toContain('doctor')
    expect(stderr).not.toContain('wrong-key')
  })
})

describe('follow --dry-run', () => {
  const follow = (...args: ReadonlyArray<string>) =>
    cli(['follow', ...args, '--base-url', `${sandbox?.url}`, ...KEYS, '--dry-run'])

  it('says what the start, each poll and each proof of a table cost', async () => {
    const { status, stdout } = await follow('charges', file('follow.sqlite'), '--every', '1m')
    expect(status).toBe(0)
    expect(stdout).toMatch(
      /^rows {4}300 \(\d+ requests to count them\)\nstart {3}about \d+ requests, .*\npoll {4}4 requests every 1 min 00 s: 5,760 per day, < 1 % of the rate limit\n.*3 lists of \d+ open charges.*\nproof {3}about 29 requests, .* per day: 28 requests for counts, 300 other rows re-read\nnothing was written\n$/,
    )
    expect(existsSync(file('follow.sqlite'))).toBe(false)
  })

  it('says so of stdout, and of a list that is read whole', async () => {
    expect((await follow('charges')).stdout).not.toContain('proof')
    expect((await follow('batch-transfers')).stdout).toMatch(
      /^rows {4}60 \(2 requests to count them\)\npoll {4}2 requests every 10\.0 s: 17,280 per day, .*\n/,
    )
  })
})
