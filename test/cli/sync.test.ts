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
import { CLIENT, judge } from '../support/judge.js'
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
  const first = await cli(sync('charges', to, '--since', '2024-01-01'))
  expect(first.status).toBe(0)
  expect(first.stderr).toMatch(
    /^since 2024-01-01T00:00:00\.000Z\n.*\ncomplete and proven up to 20\d\d-\d\d-\d\dT[\d:.]+Z: 300 rows; every row read within 1 day, 300 rows read into \S+charges\.sqlite, .*\n$/,
  )
  const next = await cli(sync('charges', to, '--since', '2024-01-01'))
  expect(next.stderr).toMatch(/open or just closed charges read again\n/)
  expect(next.stderr).toMatch(/complete and proven up to .*, \d+ rows read into/)
  const second = await cli(sync('charges', to, '--since', '2024-01-01'))
  expect(second.status).toBe(0)
  expect(second.stderr).toMatch(/complete and proven up to .*, \d+ rows read into/)
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

it.each(['charges.sqlite', 'charges/'])(
  'keeps rows that cannot be written in %s, and says only their ids and why',
  async (dest) => {
    const server = await judge({
      charges: 1,
      page: (page) => ({
        ...page,
        items: [{ id: 'c\u202e1', amount: { pan: '4111111111111111' } }, ...page.items],
      }),
    })
    const { clientId, apiKey } = CLIENT
    const where = ['sync', 'charges', file(dest), '--base-url', server.url, '--progress', 'none']
    const run = await cli([...where, '--client-id', clientId, '--api-key', apiKey])
    await server.close()
    const { status, stderr } = run
    expect(status).toBe(1)
    expect(stderr).toContain('\nrejected: c 1: GET /api/v1/charges: ')
    expect(stderr).not.toContain('4111')
    if (dest.endsWith('/')) {
      expect(stderr).toContain(`see "rejected" in ${file(dest)}_manifest.json; the next run`)
      const { runs } = JSON.parse(await readFile(file(`${dest}_manifest.json`), 'utf8'))
      const kept = `${file(dest)}${runs[0].rejected.path}`
      expect(await readFile(kept, 'utf8')).toContain('4111')
      if (process.platform !== 'win32') expect((await stat(kept)).mode & 0o777).toBe(0o600)
    } else {
      expect(stderr).toContain('see the table charges_rejects; the next run reads them again')
      expect([rowsIn(file(dest)), rowsIn(file(dest), 'charges_rejects')]).toEqual([1, 1])
    }
  },
)

describe('--report', () => {
  it.each(['charges.sqlite', 'charges/'])('writes a page about a sync into %s', async (name) => {
    const [to, report] = [file(name), file(`${name.replace('/', '')}.html`)]
    const { status, stdout } = await cli(sync('charges', to, '--report', report))
    expect(status).toBe(0)
    const page = await readFile(report, 'utf8')
    expect(page).toContain('Sync of charges: complete')
    expect(page).toContain('Complete and proven up to')
    expect(page).toContain(stdout.trim())
    expect(page).toContain(name.endsWith('/') ? 'SHA-256' : 'charges.sqlite, table charges')
    expect(page).not.toContain(sandboxCredentials.apiKey)
  })

  it('writes it of a run that does not come to its end as well', async () => {
    const report = file('refused.html')
    const args = sync('charges', file('charges.sqlite'), '--report', report)
    const wrong = replacing(args, sandboxCredentials.apiKey, 'wrong')
    const { status, stderr } = await cli(wrong)
    const page = await readFile(report, 'utf8')
    expect(status).toBe(2)
    expect(page).toContain('Sync of charges: incomplete')
    expect(page).toContain('check the client id and the API key')
    expect(stderr).toContain('check the client id and the API key')
  })

  it('does not replace the database, and is refused where it cannot be written', async () => {
    const to = file('charges.sqlite')
    expect(await cli(sync('charges', to, '--report', to))).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('is the database'),
    })
    const none = file('nowhere/report.html')
    expect(await cli(sync('charges', to, '--report', none))).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('--report'),
    })
  })
})

it.each(['charges.csv', 'ftp://host/charges'])(
  'refuses DEST %s, and lists the kinds',
  async (to) => {
    const { status, stderr } = await cli(sync('charges', to))
    expect(status).toBe(2)
    expect(stderr).toContain(
      'payments-rx: DEST should be NAME.sqlite, NAME.db, postgres://HOST/DATABASE, FOLDER/, or s3://BUCKET/PREFIX/',
    )
  },
)

it.each([
  ['nowhere/charges.sqlite', 'check that its folder is there'],
  ['charges.txt/', 'a file has its name'],
])('ends with status 2 where the destination cannot be used: %s', async (to, advice) => {
  await writeFile(file('charges.txt'), '')
  const { status, stderr } = await cli(sync('charges', file(to)))
  expect(status).toBe(2)
  expect(stderr).toContain(advice)
  expect(stderr).not.toContain('the same command continues')
})

it('says where to look when the keys are refused', async () => {
  const { status, stderr } = await cli(
    replacing(sync('charges', file('refused.sqlite')), sandboxCredentials.apiKey, 'wrong-key'),
  )
  expect(status).toBe(2)
  expect(stderr).toContain('check the client id and the API key; "payments-rx doctor" says more')
})

it('ends with status 1 at its deadline, and says that the same command continues', async () => {
  const slow = await listen({ charges: 3_000, limits: false, latency: 200 })
  const args = ['sync', 'charges', file('late.sqlite'), '--base-url', slow.url, '--no-limits']
  const keys = ['--client-id', 'sandbox', '--api-key', 'sandbox-key', '--progress', 'none']
  const { status, stderr } = await cli([...args, ...keys, '--deadline', '30s'])
  await slow.close()
  expect(status).toBe(1)
  expect(stderr).toMatch(
    /the deadline of 30000 ms has passed before the end; the same command continues\n$/,
  )
})

it('says that another program has the database locked, and so does verify', async () => {
  const to = file('locked.sqlite')
  expect((await cli(sync('charges', to))).status).toBe(0)
  const other = new DatabaseSync(to)
  other.exec('begin exclusive')
  const waiting = `${to}: waiting for 5 s so far: database is locked (SQLITE_BUSY)\n`
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
  expect(second.stderr).toContain('another run has it, or was killed: waiting up to 15 s')
  expect(second.stderr).toContain(`payments-rx: ${to} is in use: another run is writing there`)
  signals.next('SIGTERM')
  expect(await first).toMatchObject({ status: 143 })
  expect((await first).stderr).toContain('stopped by SIGTERM; the same command continues')
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
