/** `sync` on the command line: what it says, its exit status, and that it says no secret. */
import { readFile, stat, writeFile } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { Subject } from 'rxjs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  hasPostgres,
  PASSWORD,
  type Postgres,
  startPostgres,
} from '../../bench/services/postgres.js'
import {
  createSandbox,
  type Listening,
  listen,
  sandboxCredentials,
} from '../../src/sandbox/index.js'
import { CLIENT, type JudgeOptions, judge } from '../support/judge.js'
import { spellings } from '../support/secrets.js'
import { cli, folder, type Signal } from './support.js'

const file = await folder()

let sandbox: Listening | undefined
beforeAll(async () => {
  sandbox = await listen({ charges: 300, batches: 4, limits: false })
})
afterAll(() => sandbox?.close())

const sync = (list: string, to: string, ...more: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...['sync', list, to, '--base-url', `${sandbox?.url}`, '--no-limits', '--progress', 'none'],
  ...['--client-id', sandboxCredentials.clientId, '--api-key', sandboxCredentials.apiKey, ...more],
]

/** Replaces one of the arguments. */
const replacing = (
  args: ReadonlyArray<string>,
  one: string,
  other: string,
): ReadonlyArray<string> => args.map((arg) => (arg === one ? other : arg))

const rowsIn = (path: string, table = 'charges'): number => {
  const db = new DatabaseSync(path)
  const found = db.prepare(`select count(*) as n from ${table}`).get()
  db.close()
  return Number(found?.n)
}

it('is the same command in the first night and in the next', async () => {
  const to = file('charges.sqlite')
  const told = replacing(sync('charges', to, '--since', '2024-01-01'), 'none', 'auto')
  const first = await cli(told)
  expect(first.status).toBe(0)
  expect(first.stderr).toMatch(
    /^http.*\nreading since 2024-01-01T00:00:00\.000Z\n.*\ncomplete: row counts match the service up to 20\d\d-\d\d-\d\dT[\d:.]+Z \(300 rows\); every row last read at most 1 day ago, 300 rows read into \S+charges\.sqlite, .*\n$/,
  )
  const next = await cli(told)
  expect(next.stderr).toMatch(/re-read \d+ open or recently closed charges\n/)
  expect(next.stderr).toMatch(/complete: row counts match the service up to .*, \d+ rows read into/)
  const second = await cli(sync('charges', to, '--since', '2024-01-01'))
  expect(second.status).toBe(0)
  expect(second.stderr).toMatch(
    /^complete: row counts match the service up to .*, \d+ rows read into.*\n$/,
  )
  expect(rowsIn(to)).toBe(300)
})

it('keeps lists without times in the same database, each in its table', async () => {
  const to = file('all.db')
  expect((await cli(sync('batch-transfers', to))).status).toBe(0)
  expect((await cli(sync('webhooks', to, '--table', 'hooks'))).status).toBe(0)
  expect(rowsIn(to, 'batch_transfers')).toBe(4)
  expect(rowsIn(to, 'hooks')).toBe(0)
})

it('runs on a sandbox of its own', async () => {
  const to = file('trial.sqlite')
  const args = ['sync', 'charges', to, '--sandbox', '--rows', '50', '--no-limits', '--quiet']
  expect(await cli(args)).toMatchObject({ status: 0, stderr: '' })
  expect(rowsIn(to)).toBe(50)
})

it.each(['charges.sqlite', 'charges/'])('keeps rows that it cannot write: %s', async (dest) => {
  const bad = { id: 'c\u202e1', amount: { pan: '4111111111111111' } }
  let spoilt = [bad]
  const page: JudgeOptions['page'] = (was) => ({ ...was, items: [...spoilt, ...was.items] })
  const server = await judge({ charges: 1, page })
  const { clientId, apiKey } = CLIENT
  const where = ['sync', 'charges', file(dest), '--base-url', server.url, '--progress', 'none']
  const night = () => cli([...where, '--client-id', clientId, '--api-key', apiKey])
  const { status, stderr } = await night()
  expect(status).toBe(1)
  expect(stderr).toMatch(/^rejected: c 1: GET \/api\/v1\/charges: /)
  expect(stderr).not.toContain('4111')
  if (dest.endsWith('/')) {
    expect(stderr).toContain(`see "rejected" in ${file(dest)}_manifest.json; the next run`)
    const { run } = JSON.parse(await readFile(file(`${dest}_manifest.json`), 'utf8'))
    const kept = `${file(dest)}${run.rejected.path}`
    expect(await readFile(kept, 'utf8')).toContain('4111')
    if (process.platform !== 'win32') expect((await stat(kept)).mode & 0o777).toBe(0o600)
  } else {
    expect(stderr).toContain('see the table charges_rejects; the next run retries them')
    expect([rowsIn(file(dest)), rowsIn(file(dest), 'charges_rejects')]).toEqual([1, 1])
  }
  spoilt = []
  expect((await night()).stderr).not.toContain('rejected: ')
  await server.close()
  if (dest.endsWith('/')) {
    const { run } = JSON.parse(await readFile(file(`${dest}_manifest.json`), 'utf8'))
    expect(run).not.toHaveProperty('rejected')
  } else {
    expect(rowsIn(file(dest), 'charges_rejects')).toBe(0)
  }
})

it.each(['charges.csv', 'ftp://host/charges'])('refuses DEST %s, listing the kinds', async (to) => {
  const { status, stderr } = await cli(sync('charges', to))
  expect(status).toBe(2)
  expect(stderr).toContain(
    'payments-rx: DEST should be NAME.sqlite, NAME.db, postgres://HOST/DATABASE, FOLDER/ or s3://BUCKET/PREFIX/',
  )
})

it.each([
  ['nowhere/charges.sqlite', 'check that its folder exists'],
  ['charges.txt/', 'a file already has this name'],
])('ends with status 2 where the destination cannot be used: %s', async (to, advice) => {
  await writeFile(file('charges.txt'), '')
  const { status, stderr } = await cli(sync('charges', file(to)))
  expect(status).toBe(2)
  expect(stderr).toContain(advice)
  expect(stderr).not.toContain('rerun the same command to continue')
})

it('says where to look when the keys are refused', async () => {
  const { status, stderr } = await cli(
    replacing(sync('charges', file('refused.sqlite')), sandboxCredentials.apiKey, 'wrong-key'),
  )
  expect(status).toBe(2)
  expect(stderr).toContain(
    'check the client id and the API key; run "payments-rx doctor" for details',
  )
})

it('ends with status 1 at its deadline, and says to rerun the same command', async () => {
  const slow = await listen({ charges: 3_000, limits: false, latency: 200 })
  const args = ['sync', 'charges', file('late.sqlite'), '--base-url', slow.url, '--no-limits']
  const keys = ['--client-id', 'sandbox', '--api-key', 'sandbox-key', '--progress', 'none']
  const { status, stderr } = await cli([...args, ...keys, '--deadline', '30s'])
  await slow.close()
  expect(status).toBe(1)
  expect(stderr).toMatch(
    /the deadline of 30000 ms passed before the end; rerun the same command to continue\n$/,
  )
})

it('says that another program has the database locked, and so does verify', async () => {
  const to = file('locked.sqlite')
  expect((await cli(sync('charges', to))).status).toBe(0)
  const other = new DatabaseSync(to)
  other.exec('begin exclusive')
  const waiting = `${to}: waited 5 s so far: database is locked (SQLITE_BUSY)\n`
  const { status, stderr } = await cli(sync('charges', to))
  expect(status).toBe(1)
  expect(stderr).toContain(waiting)
  expect(stderr.replace(waiting, '')).not.toContain('waiting')
  const args = sync('charges', to)
    .slice(3)
    .filter((arg) => !/progress|none/.test(arg))
  const verified = await cli(['verify', to, '--against-service', ...args])
  expect(verified.stderr).toContain(waiting)
  other.close()
})

it('ends with status 3 while another run has the destination', async () => {
  const slow = createSandbox({ charges: 3_000, limits: false, latency: 300 })
  const { url, close } = await listen(slow)
  const to = file('twice.sqlite')
  const args = replacing(sync('charges', to, '--page-size', '100'), `${sandbox?.url}`, url)
  const signals = new Subject<Signal>()
  const first = cli(args, { signals })
  while (slow.stats().requests < 2) await new Promise((resolve) => setImmediate(resolve))
  const second = await cli(args)
  expect(second.status).toBe(3)
  expect(second.stderr).toContain('another run is using it, or was killed: waiting up to 15 s')
  expect(second.stderr).toContain(`payments-rx: ${to} is in use: another run is writing there`)
  signals.next('SIGTERM')
  expect(await first).toMatchObject({ status: 143 })
  expect((await first).stderr).toContain('stopped by SIGTERM; rerun the same command to continue')
  // a stopped run has released it
  expect((await cli([...args, '--deadline', '1ms'])).stderr).not.toContain('waiting')
  await close()
})

describe.skipIf(!hasPostgres)('a URL with a password', () => {
  let server: Postgres
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server.stop())

  it('is in no output', async () => {
    const to = await server.database()
    const key = 'a-key-that-is-refused'
    const runs = [
      await cli(sync('charges', to)),
      await cli(replacing(sync('charges', to), 'none', 'json')),
      await cli(sync('charges', `${to}?sslmode=verify-full`)),
      await cli(sync('charges', to.replace('owner', 'stranger'))),
      await cli(sync('charges', to.replace(/\/test\d+$/, '/nowhere'))),
      await cli(sync('charges', to.replace(/:\d+\//, ':1/'))),
      await cli(sync('charges', `${to}?options=-c%20nothing=1`)),
      await cli(sync('charges', `${to}?sslrootcert=/none/${encodeURIComponent(PASSWORD)}`)),
      await cli(replacing(sync('charges', to), sandboxCredentials.apiKey, key)),
      await cli(sync('webhooks', to.replace('postgres:', 'postgre:'))),
    ]
    expect(runs.map(({ status }) => status)).toEqual([0, 0, 2, 2, 2, 1, 2, 2, 2, 2])
    const state = await server.query(to, 'select text from payments_rx_state')
    const all = [...runs.flatMap(({ stdout, stderr }) => [stdout, stderr]), JSON.stringify(state)]
    for (const spelling of [PASSWORD, key, sandboxCredentials.apiKey].flatMap(spellings)) {
      expect(all.filter((text) => text.includes(spelling))).toEqual([])
    }
  })
})

/** `span`: when the rows were created, where the message says it; `isGone`: the condition of rows that are marked, not removed. */
describe.each([
  {
    ...{ list: 'charges', full: { charges: 60 }, reset: { charges: 0 }, left: 0 },
    span: /: the service no longer returns 60 known rows created between 2024-\S+ and 2024-\S+\. /,
    isGone: '_gone_at IS NOT NULL',
  },
  {
    ...{ list: 'batch-items', full: { charges: 0, batches: 30 }, reset: { charges: 0 }, left: 0 },
    span: /: the service no longer returns \d+ known rows\. /,
    isGone: '_gone_at IS NOT NULL',
  },
  {
    ...{ list: 'batch-transfers', full: { charges: 0, batches: 60 }, left: 3 },
    ...{ reset: { charges: 0, batches: 3 }, isGone: 'false' },
    span: /: the service no longer returns 57 known rows\. /,
  },
])('$list of a sandbox that was reset', ({ list, full, reset, left, span, isGone }) => {
  it('end with 2 and the number of rows that are gone; the option that is shown accepts them', async () => {
    const to = file('reset.sqlite')
    const table = list.replace('-', '_')
    const first = await listen({ ...full, limits: false })
    const args = replacing(sync(list, to), `${sandbox?.url}`, first.url)
    expect((await cli(args)).status).toBe(0)
    await first.close()
    const all = rowsIn(to, table)
    const port = Number(new URL(first.url).port)
    const next = await listen({ ...reset, limits: false }, { port })
    try {
      const doubted = await cli(args)
      expect(doubted.status).toBe(2)
      expect(doubted.stderr).toMatch(span)
      const [, number] = /\(--allow-gone (\d+)\)/.exec(doubted.stderr) ?? []
      expect(Number(number)).toBe(all - left)
      expect((await cli([...args, '--allow-gone', `${all - left - 1}`])).status).toBe(2)
      expect(rowsIn(to, `${table} where not (${isGone})`)).toBe(all)
      expect((await cli([...args, '--allow-gone', `${number}`])).status).toBe(0)
      expect(rowsIn(to, `${table} where not (${isGone})`)).toBe(left)
    } finally {
      await next.close()
    }
  })
})
