/** What a command leaves on the disk: formats, checkpoints, resumptions, manifests. */
import { existsSync, mkdirSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Subject } from 'rxjs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readManifest } from '../../src/export/index.js'
import { duckdb, textOf } from '../export/reading.js'
import { CLIENT, type Fault, type Judge, judge, PARTNER, type Seen } from '../support/judge.js'
import { hasty } from '../support/timers.js'
import { cli, folder, type RunOptions, rowsOf } from './support.js'

const file = await folder()
const servers: Array<Judge> = []
beforeEach(() => mkdir(dirname(file('x')), { recursive: true }).then(() => {}))
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())))

const serve = async (options: Parameters<typeof judge>[0]): Promise<Judge> => {
  const server = await judge(options)
  servers.push(server)
  return server
}

const KEYS = ['--client-id', CLIENT.clientId, '--api-key', CLIENT.apiKey]

const charges = (
  { url }: Judge,
  out: string,
  more: ReadonlyArray<string> = [],
  options: RunOptions = {},
) =>
  cli(
    [
      ...['export', 'charges', '--base-url', url, ...KEYS, '--out', out, '--page-size', '50'],
      ...(more.includes('--progress') ? more : ['--progress', 'none', ...more]),
    ],
    options,
  )

const runsOf = async (path: string) => readManifest(path)(await readFile(path, 'utf8')).runs

/** A fault for pages from the `n`th request on, for as long as it is switched on. */
const breaking = (
  n: number,
  fault: Fault = { status: 400, body: { code: 'invalid_argument' } },
) => {
  const state = { on: true }
  return {
    state,
    fault: ({ route, nth }: Seen): Fault | undefined =>
      state.on && route === 'GET /api/v1/charges' && nth >= n ? fault : undefined,
  }
}

const idsOf = (rows: ReadonlyArray<Record<string, unknown>>): ReadonlyArray<number> =>
  rows.map(({ id }) => Number(String(id).slice(4))).sort((a, b) => a - b)

const upTo = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, n) => n)

describe('the format', () => {
  it.each([
    ['c.csv', [], 'none'],
    ['c.csv.gz', [], 'gzip'],
    ['c.txt', ['--format', 'csv', '--compress', 'zstd'], 'zstd'],
  ] as const)('of %s is CSV', async (name, more, compress) => {
    const server = await serve({ charges: 60 })
    const { status, stderr } = await charges(server, file(name), [
      ...more,
      '--columns',
      'id,amount',
    ])
    expect([status, stderr]).toEqual([0, expect.stringContaining('complete: 60 rows')])
    const [head, ...lines] = (await textOf(file(name), compress)).trimEnd().split(/\r?\n/)
    expect(head).toBe('id,amount')
    expect(lines).toHaveLength(60)
  })

  it('of a name with .parquet is Parquet, whose sums DuckDB finds to be right', async () => {
    const server = await serve({ charges: 300 })
    expect((await charges(server, file('c.parquet'))).status).toBe(0)
    const sql = await duckdb()
    const [found] = await sql(
      `select count(distinct id) as ids, sum(amount)::varchar as sum from '${file('c.parquet')}'`,
    )
    expect(Number(found?.ids)).toBe(300)
    expect(Number(found?.sum)).toBeCloseTo(300 * 10 + (299 * 300) / 2 / 100, 6)
  })

  it.each([
    ['c.jsonl', []],
    ['c', []],
    ['c.csv.bz2', ['--format', 'ndjson']],
  ])('of %s %j is NDJSON', async (name, more) => {
    const server = await serve({ charges: 3 })
    expect((await charges(server, file(name), more)).status).toBe(0)
    expect(await rowsOf(file(name))).toHaveLength(3)
  })

  it('of a name with .json is one array', async () => {
    const server = await serve({ charges: 3 })
    await charges(server, file('c.json'))
    expect(JSON.parse(await readFile(file('c.json'), 'utf8'))).toHaveLength(3)
  })

  it('is NDJSON on stdout, and whatever was asked for', async () => {
    const server = await serve({ charges: 3 })
    const { stdout } = await charges(server, '-', ['--format', 'csv', '--columns', 'id'])
    expect(stdout.split(/\r?\n/)).toEqual(['id', 'chg_0', 'chg_1', 'chg_2', ''])
  })
})

describe('an export whose first page never comes', () => {
  it.each(['c.ndjson', 'c/'])('says that %s is as it was', async (name) => {
    const before = await serve({ charges: 30 })
    const out = file(name)
    await charges(before, out)
    const there = await readdir(dirname(out), { recursive: true })
    const { fault } = breaking(1, { status: 503 })
    const server = await serve({ charges: 9, fault })
    const { status, stderr } = await charges(server, out, ['--restart', '--patience', '0'])
    expect(status).toBe(1)
    expect(stderr).toMatch(/^incomplete: nothing was read, \S+ is as it was, .* 0 refused, /)
    expect(await readdir(dirname(out), { recursive: true })).toEqual(there)
    expect((await cli(['verify', out])).status).toBe(0)
  })

  it.each([400, 403, 404])(
    'ends with status 2 after a %i, which no waiting mends',
    async (code) => {
      const { fault } = breaking(1, { status: code })
      const server = await serve({ charges: 9, fault })
      const { status, stderr } = await charges(server, file('c.ndjson'), ['--resume'])
      expect(status).toBe(2)
      expect(stderr.trimEnd().split('\n').at(-1)).toMatch(
        new RegExp(`^payments-rx: .*${code} (?!.*--resume)`),
      )
      expect(await readdir(dirname(file('c')))).toEqual([])
    },
  )

  it('of a batch that there is not ends with status 2', async () => {
    const { status, stderr } = await cli(['export', 'batch-items', '--sandbox', '--batch', 'none'])
    expect([status, stderr]).toEqual([2, expect.stringMatching(/^payments-rx: .*404.*\n$/)])
  })

  it('ends with status 1 after a refusal that comes later than rows', async () => {
    const { fault } = breaking(6, { status: 403 })
    const server = await serve({ charges: 700, fault })
    const first = await charges(server, file('c.ndjson'))
    expect(first.status).toBe(1)
    expect(first.stderr).toContain('the same command with --resume goes on')
  })

  it('says how much is there, when it was resumed', async () => {
    const { fault } = breaking(6)
    const server = await serve({ charges: 700, fault })
    await charges(server, file('c.ndjson'))
    const { stderr } = await charges(server, file('c.ndjson'), ['--resume'])
    expect(stderr).toMatch(/^incomplete: [1-9]\d* rows in /m)
  })
})

describe('an export that stopped', () => {
  it.each([['c.ndjson'], ['c.csv.gz'], ['c.parquet']])('goes on: %s', async (name) => {
    const { fault, state } = breaking(6)
    const server = await serve({ charges: 700, fault })
    const out = file(name)
    const first = await charges(server, out)
    expect(first.status).toBe(1)
    expect(first.stderr).toContain('the same command with --resume goes on')
    expect(existsSync(`${out}.checkpoint.json`)).toBe(true)
    expect((await runsOf(`${out}.manifest.json`))[0]?.complete).toBe(false)

    const again = await charges(server, out)
    expect(again.status).toBe(2)
    expect(again.stderr).toContain('--resume goes on with it, --restart starts over')

    state.on = false
    const { status, stderr } = await charges(server, out, ['--resume'])
    expect(stderr).toMatch(/resumed after [\d,]+ rows\ncomplete: 700 rows/)
    expect(status).toBe(0)
    const sql = await duckdb()
    const [found] = await sql(`select count(*) as rows, count(distinct id) as ids from '${out}'`)
    expect(found).toEqual({ rows: '700', ids: '700' })
    expect(existsSync(`${out}.checkpoint.json`)).toBe(false)
    expect(await runsOf(`${out}.manifest.json`)).toMatchObject([{ complete: true, starts: 2 }])
    const verified = await cli(['verify', out])
    expect(verified).toEqual({
      status: 0,
      stdout: 'as the manifest says: 1 file\n',
      stderr: '',
    })
  })

  it('by a signal says how to go on, and goes on', async () => {
    const signals = new Subject<'SIGTERM'>()
    const { fault, state } = breaking(5, 'silent')
    const server = await serve({
      charges: 400,
      fault: (seen) => {
        const found = fault(seen)
        if (found !== undefined) queueMicrotask(() => signals.next('SIGTERM'))
        return found
      },
    })
    const out = file('c.ndjson')
    const { status, stderr } = await charges(server, out, [], { signals })
    expect(status).toBe(143)
    expect(stderr).toContain('stopped by SIGTERM; the same command with --resume goes on')
    state.on = false
    expect((await charges(server, out, ['--resume', '--parallel', '2'])).status).toBe(0)
    expect(idsOf(await rowsOf(out))).toEqual(upTo(400))
  })

  it('is not gone on with for another query', async () => {
    const server = await serve({ charges: 400, fault: breaking(4).fault })
    const out = file('c.ndjson')
    await charges(server, out)
    const { status, stderr } = await charges(server, out, ['--resume', '--status', 'SETTLED'])
    expect(status).toBe(2)
    expect(stderr).toContain('its query.status is not given, and now it is "SETTLED"')
  })

  it('is not gone on with for another account', async () => {
    const server = await serve({ charges: 400, fault: breaking(4).fault })
    const out = file('c.ndjson')
    await charges(server, out, ['--login-as', 'a', '--on-behalf-of', 'x'])
    for (const other of [
      ['--login-as', 'b', '--on-behalf-of', 'x'],
      ['--login-as', 'a'],
      ['--login-as', 'x', '--on-behalf-of', 'a'],
    ]) {
      const { status, stderr } = await charges(server, out, ['--resume', ...other])
      expect([status, stderr]).toEqual([2, expect.stringContaining('its account (base URL')])
    }
  })

  it('is not gone on with for another version of the API', async () => {
    const { fault, state } = breaking(4)
    const server = await serve({ charges: 400, fault })
    const out = file('c.ndjson')
    const env = { PAYMENTS_API_VERSION: '2024-09-27' }
    await charges(server, out, [], { env })
    expect(new Set(server.seen.slice(1).map(({ headers }) => headers['x-api-version']))).toEqual(
      new Set(['2024-09-27']),
    )
    const other = await charges(server, out, ['--resume', '--api-version', '2025-08-29'], { env })
    expect([other.status, other.stderr]).toEqual([
      2,
      expect.stringContaining('its format.apiVersion is "2024-09-27", and now it is "2025-08-29"'),
    ])
    state.on = false
    const same = ['--resume', '--api-version', '2024-09-27']
    expect((await charges(server, out, same)).status).toBe(0)
  })

  it('is not gone on with when its file is not what it was', async () => {
    const server = await serve({ charges: 400, fault: breaking(4).fault })
    const out = file('c.ndjson')
    await charges(server, out)
    await writeFile(out, 'short')
    const { status, stderr } = await charges(server, out, ['--resume'])
    expect([status, await readFile(out, 'utf8')]).toEqual([2, 'short'])
    expect(stderr).toMatch(/has 5 bytes, where \d+ were committed.*: --restart starts over/)
  })

  it('reads a list again whose bookmark is not known any more, and has each row once', async () => {
    const state = { until: 3, dead: undefined as string | null | undefined }
    const server = await serve({
      batches: 120,
      fault: ({ route, nth, url }) => {
        if (route !== 'GET /api/v1/batch_transfers') return undefined
        const page = url.searchParams.get('page')
        if (nth === state.until) state.dead = page
        const gone = page !== null && page === state.dead && nth <= state.until + 1
        return gone
          ? { status: 400, body: { code: 'invalid_argument', source: 'page' } }
          : undefined
      },
    })
    const out = file('b.csv')
    const args = ['export', 'batch-transfers', '--base-url', server.url, ...KEYS, '--out', out]
    expect(await cli(args)).toMatchObject({ status: 1 })
    const { status, stderr } = await cli([...args, '--resume'])
    expect(stderr).toMatch(
      /^resumed after 100 rows\nthe list is read from its beginning again, .*: its bookmark was refused: GET .*400 invalid_argument.*\ncomplete: 120 rows/,
    )
    expect(status).toBe(0)
    expect((await readFile(out, 'utf8')).trimEnd().split('\n')).toHaveLength(121)
    expect(await runsOf(`${out}.manifest.json`)).toMatchObject([
      { complete: true, rows: 120, distinct: 120, repeated: 100, starts: 2 },
    ])
  })

  it('starts anew, and says so, where there is nothing to resume', async () => {
    const server = await serve({ charges: 5 })
    const { status, stderr } = await charges(server, file('c.ndjson'), ['--resume'])
    expect(stderr).toContain('there is no checkpoint to resume: it starts anew')
    expect(status).toBe(0)
  })

  it('starts over when it is told to', async () => {
    const { fault, state } = breaking(4)
    const server = await serve({ charges: 400, fault })
    const out = file('c.ndjson')
    await charges(server, out)
    state.on = false
    expect((await charges(server, out, ['--restart'])).status).toBe(0)
    expect(idsOf(await rowsOf(out))).toEqual(upTo(400))
  })

  it('because too many rows were rejected goes on when more may be', async () => {
    const server = await serve({
      charges: 300,
      page: (page) => ({
        ...page,
        items: page.items.map((row, i) => (i % 10 === 0 ? { ...row, amount: null } : row)),
      }),
    })
    const out = file('c.ndjson')
    const first = await charges(server, out, ['--max-rejects', '3', '--parallel', '1'])
    expect(first.status).toBe(1)
    expect(first.stderr).toMatch(
      /more rows than --max-rejects could not be written: see .*; --resume with a greater --max-rejects goes on\n$/,
    )
    const asked = server.seen.length
    const same = await charges(server, out, ['--max-rejects', '3', '--resume'])
    expect(same.status).toBe(2)
    expect(same.stderr).toMatch(
      /^payments-rx: .*checkpoint\.json has more rejected rows \(\d+\) than there may be \(3\): --resume with a greater --max-rejects goes on, --restart starts over\n$/,
    )
    expect(server.seen.length).toBe(asked)
    const last = await charges(server, out, ['--resume'])
    expect(last.status).toBe(1)
    const rejected = await rowsOf(`${out}.rejects.ndjson`)
    expect((await rowsOf(out)).length + rejected.length).toBe(300)
    expect(await cli(['verify', out])).toMatchObject({
      status: 1,
      stdout: expect.stringContaining('rows that were rejected'),
    })
  })
})

it('says of rows that decoded and do not fit that they could not be written', async () => {
  const server = await serve({
    charges: 20,
    page: (page) => ({
      ...page,
      items: page.items.map((row, i) => (i === 3 ? { ...row, amount: 2 ** 60 } : row)),
    }),
  })
  const out = file('c.csv')
  const { status, stderr } = await charges(server, out)
  expect(stderr).toContain(`rows could not be written: see ${out}.rejects.ndjson`)
  expect(await rowsOf(`${out}.rejects.ndjson`)).toMatchObject([
    { reason: expect.stringContaining('amount: expected') },
  ])
  expect(status).toBe(1)
})

describe('two runs of one output', () => {
  it('are refused', async () => {
    const server = await serve({ charges: 5 })
    const out = file('c.ndjson')
    await writeFile(`${out}.lock`, JSON.stringify({ pid: 7, host: 'here', since: 1 }))
    const runner = { isAlive: () => true }
    const { status, stderr } = await charges(server, out, [], { runner })
    expect(status).toBe(2)
    expect(stderr).toMatch(/^payments-rx: .*process 7 on here is writing there.*\n$/)
    expect(existsSync(out)).toBe(false)

    const later = await charges(server, out)
    expect(later.stderr).toContain('took over the lock of process 7, which is no more')
    expect(later.status).toBe(0)
  })
})

describe('a folder', () => {
  it('has a file for each slice of time, and the manifest names them', async () => {
    const server = await serve({ charges: 1_000 })
    const { status } = await charges(server, file('parts/'), ['--parallel', '4'])
    expect(status).toBe(0)
    const [run] = await runsOf(file('parts/manifest.json'))
    const names = (await readdir(file('parts'))).filter((name) => name.startsWith('part-'))
    expect(run?.files.map(({ path }) => path)).toEqual(names)
    expect(names.length).toBeGreaterThan(1)
    expect(run?.slices.reduce((sum, { rows }) => sum + rows, 0)).toBe(1_000)
    expect(await cli(['verify', file('parts')])).toMatchObject({ status: 0 })
    await rm(file(`parts/${names[0]}`))
    expect(await cli(['verify', file('parts/')])).toMatchObject({
      status: 1,
      stdout: expect.stringMatching(/part-\S+ is not there|part-\S+: is not there/),
    })
  })

  it('rotates by rows', async () => {
    const server = await serve({ charges: 250 })
    await charges(server, file('parts/'), ['--parallel', '1', '--rotate-rows', '100'])
    const [run] = await runsOf(file('parts/manifest.json'))
    expect(run?.files.every(({ rows }) => rows <= 100)).toBe(true)
    expect(run?.rows).toBe(250)
  })

  it('is added to since the last run, and the later row is the one that holds', async () => {
    const server = await serve({ charges: 500 })
    const out = file('all/')
    const day = ['--to', '2024-02-01T12:00:00Z'] // of charges every half minute from 10:15:30 on
    const first = await charges(server, out, ['--since-last', ...day])
    expect(first.stderr).toContain('everything is read')
    expect(first.status).toBe(0)
    const { status, stderr } = await charges(server, out, ['--since-last', '--lookback', '30m'])
    expect(status).toBe(0)
    expect(stderr).toContain('since 2024-02-01T11:30:00.')
    const runs = await runsOf(file('all/manifest.json'))
    expect(runs.map(({ rows }) => rows)).toEqual([210, 351])
    expect(runs[1]?.purpose.query).toEqual({ from_created_at: '2024-02-01T11:30:00+0000' })

    const sql = await duckdb()
    const [merged] = await sql(
      `select count(*) as rows from (
         select * from read_json('${out}*.ndjson', filename = true)
         qualify row_number() over (partition by id order by filename desc) = 1)`,
    )
    expect(merged).toEqual({ rows: '500' })

    const other = await charges(server, out, ['--since-last', '--currency', 'USD'])
    expect([other.status, other.stderr]).toEqual([2, expect.stringContaining('another currency')])
    for (const [words, what] of [
      [['--format', 'parquet'], 'format'],
      [['--compress', 'gzip'], 'compression'],
      [['--columns', 'id'], 'set of columns'],
      [['--exact'], 'precision'],
    ] as const) {
      const { status, stderr } = await charges(server, out, ['--since-last', ...words])
      expect([status, stderr]).toEqual([2, expect.stringContaining(`is of another ${what}`)])
    }
    const fresh = await charges(server, out)
    expect([fresh.status, fresh.stderr]).toEqual([2, expect.stringContaining('--restart replaces')])
  })

  it('of one file a new one goes on', async () => {
    const server = await serve({ charges: 300 })
    const last = file('monday.ndjson')
    await charges(server, last, ['--to', '2024-02-01T11:00:00Z'])
    const since = ['--since-last', `${last}.manifest.json`]
    const { status } = await charges(server, file('tuesday.ndjson'), since)
    expect(status).toBe(0)
    const again = await charges(server, last, since)
    expect([again.status, again.stderr]).toEqual([2, expect.stringContaining('name a new file')])
    const none = await charges(server, file('wednesday.ndjson'), ['--since-last', file('no.json')])
    expect([none.status, none.stderr]).toEqual([2, expect.stringContaining('there is no manifest')])
  })
})

describe('other lists', () => {
  it.each([
    ['batch-transfers', ['--status', 'BOOKED'], { batches: 120 }, 120],
    ['batch-items', ['--batch', 'bat_0'], { items: 2_345 }, 2_345],
    ['webhooks', [], { webhooks: 45 }, 45],
  ] as const)('%s', async (name, more, options, count) => {
    const server = await serve(options)
    const out = file('c.ndjson')
    const { status, stderr } = await cli([
      ...['export', name, '--base-url', server.url, ...KEYS, '--out', out, ...more],
    ])
    expect(stderr).toContain(`complete: ${count.toLocaleString('en-US')} rows`)
    expect(status).toBe(0)
    const rows = await rowsOf(out)
    expect(new Set(rows.map(({ id }) => id)).size).toBe(count)
    expect(await runsOf(`${out}.manifest.json`)).toMatchObject([{ rows: count, complete: true }])
  })

  it('partner-webhooks, as the application', async () => {
    const server = await serve({ partnerWebhooks: 33 })
    const out = file('c.csv')
    const args = ['export', 'partner-webhooks', '--base-url', server.url, '--out', out]
    expect(await cli(args)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('--partner-id or PAYMENTS_PARTNER_ID is needed'),
    })
    const env = {
      PAYMENTS_PARTNER_ID: PARTNER.clientId,
      PAYMENTS_PARTNER_SECRET: PARTNER.clientSecret,
    }
    expect((await cli(args, { env })).status).toBe(0)
    expect((await readFile(out, 'utf8')).trimEnd().split('\n')).toHaveLength(34)
  })

  it('are told how to be replaced, and added to where that can be', async () => {
    const server = await serve({ charges: 3, webhooks: 3 })
    const again = async (name: string) => {
      const args = ['export', name, '--base-url', server.url, ...KEYS, '--out', file(`${name}/`)]
      await cli(args)
      const { status, stderr } = await cli(args)
      return [status, stderr.replace(/.*would be replaced/, '')]
    }
    expect(await again('charges')).toEqual([
      2,
      ': --since-last adds to it, --restart replaces it\n',
    ])
    expect(await again('webhooks')).toEqual([2, ': --restart replaces it\n'])
  })

  it.each(['csv', 'parquet'])('have no column for the secrets of webhooks: %s', async (format) => {
    const server = await serve({ webhooks: 3 })
    const out = file(`w.${format}`)
    const args = ['export', 'webhooks', '--base-url', server.url, ...KEYS, '--out', out]
    for (const column of ['secret', 'secret:text', 'before.secret:text']) {
      const { status, stderr } = await cli([...args, '--columns', `id,${column}`])
      expect([status, stderr]).toEqual([
        2,
        `payments-rx: --columns: no column ${column}: files hold no secret (export webhooks)\n`,
      ])
    }
    const other = await cli([...args, '--columns', 'id,colour'])
    expect(other.stderr).toContain('no column colour: there are id, url')
    expect(other.stderr).not.toContain('secret')
    expect((await cli(args)).status).toBe(0)
    const sql = await duckdb()
    const columns = await sql(`select column_name as name from (describe from '${out}')`)
    expect(columns.map(({ name }) => name)).toEqual([
      ...['id', 'url', 'events', 'version', 'created_at', 'updated_at', 'request_id'],
    ])
  })

  it('leave out the secrets of webhooks', async () => {
    const { status, stdout } = await cli(['export', 'webhooks', '--sandbox', '--quiet'])
    expect(status).toBe(0)
    expect(stdout).not.toContain('secret')
  })
})

it('writes a report of how it went', async () => {
  const server = await serve({ charges: 50 })
  await charges(server, file('c.ndjson'), ['--report', file('report.html')])
  const page = await readFile(file('report.html'), 'utf8')
  expect(page).toContain('Export of charges')
  expect(page).toContain('complete: 50 rows')
})

describe('faults', () => {
  const isPage = ({ route }: Seen): boolean => route === 'GET /api/v1/charges'

  it('of a service that is gone for a minute are waited for', async () => {
    let away = 0
    const server = await serve({
      charges: 300,
      fault: (seen) => (isPage(seen) && seen.nth > 2 && away++ < 14 ? 'reset' : undefined),
    })
    const out = file('c.ndjson')
    const { status, stderr } = await charges(server, out, ['--parallel', '1'])
    expect(stderr).toMatch(/waiting (1[6-9]|20)\.\d s: /) // 1 + 2 + 4 + 8 + 16 + 16 + 16 s, of two at a time
    expect(status).toBe(0)
    expect(idsOf(await rowsOf(out))).toEqual(upTo(300))
  })

  it('are waited for no longer than patience lasts', async () => {
    const server = await serve({ charges: 300, fault: breaking(3, 'reset').fault })
    const { status, stderr } = await charges(server, file('c.ndjson'), ['--patience', '5'])
    expect(stderr.match(/waiting/g)?.length).toBeGreaterThanOrEqual(3)
    expect(stderr).toContain('the same command with --resume goes on')
    expect(status).toBe(1)
  })

  it('such as a token that is revoked in the middle are got over', async () => {
    const server = await serve({
      charges: 300,
      fault: (seen) => {
        if (isPage(seen) && seen.nth === 4) server.revoke()
        return undefined
      },
    })
    const out = file('c.ndjson')
    expect((await charges(server, out)).status).toBe(0)
    expect(idsOf(await rowsOf(out))).toEqual(upTo(300))
    const logins = server.seen.filter(({ route }) => route.endsWith('/login'))
    expect(logins.length).toBeGreaterThan(1)
  })

  it('such as a full disk leave what was committed, and that is what is counted', async () => {
    const out = file('c.ndjson')
    const server = await serve({
      charges: 300,
      fault: (seen) => {
        if (isPage(seen) && seen.nth === 4) mkdirSync(`${out}.checkpoint.json.tmp`)
        return undefined
      },
    })
    const asShown = ['--parallel', '1', '--progress', 'json']
    const { status, stderr } = await charges(server, out, asShown, { timer: hasty(1) })
    const { counts } = JSON.parse(await readFile(`${out}.checkpoint.json`, 'utf8'))
    const last = JSON.parse(stderr.trim().split('\n').at(-1) ?? '')
    expect(counts.rows).toBeLessThan(300)
    expect(last).toMatchObject({
      type: 'end',
      rows: counts.rows,
      summary: expect.stringContaining(`incomplete: ${counts.rows} rows`),
      reason: expect.stringContaining('the same command with --resume goes on'),
    })
    expect(last.rowsPerSecond).toBeGreaterThanOrEqual(0)
    expect(status).toBe(1)
  })

  it('such as a file that cannot be written are said with its name', async () => {
    const server = await serve({ charges: 5 })
    await mkdir(file('c.ndjson.checkpoint.json.tmp'))
    const { status, stderr } = await charges(server, file('c.ndjson'))
    expect(stderr).toMatch(/cannot write \S+c\.ndjson\.checkpoint\.json\.tmp: EISDIR/)
    expect(status).toBe(1)
  })
})
