/** Files that a command leaves: formats, folders, and other lists than charges. */
import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { duckdb, textOf } from '../export/reading.js'
import { PARTNER } from '../support/judge.js'
import { charges, exporting, KEYS, runsOf } from './exporting.js'
import { cli, rowsOf } from './support.js'

const { file, serve } = await exporting()

describe('the format', () => {
  it.each([
    ['c.csv', [], 'none'],
    ['c.csv.gz', [], 'gzip'],
    ['c.txt', ['--format', 'csv', '--compress', 'zstd'], 'zstd'],
  ] as const)('is CSV for %s', async (name, more, compress) => {
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

  it('is Parquet for a name with .parquet, whose sums DuckDB finds to be right', async () => {
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
  ])('is NDJSON for %s %j', async (name, more) => {
    const server = await serve({ charges: 3 })
    expect((await charges(server, file(name), more)).status).toBe(0)
    expect(await rowsOf(file(name))).toHaveLength(3)
  })

  it('is one array for a name with .json', async () => {
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

it('rejects rows that decode and do not fit the format', async () => {
  const server = await serve({
    charges: 20,
    page: (page) => ({
      ...page,
      items: page.items.map((row, i) => (i === 3 ? { ...row, amount: 2 ** 60 } : row)),
    }),
  })
  const out = file('c.parquet')
  const { status, stderr } = await charges(server, out)
  expect(stderr).toContain(`rows could not be written (1: amount should be`)
  expect(await rowsOf(`${out}.rejects.ndjson`)).toMatchObject([
    { reason: expect.stringContaining('amount should be') },
  ])
  expect(status).toBe(1)
  expect(stderr).toContain(
    `see ${out}.rejects.ndjson; the same command with --resume reads them again`,
  )
  const again = await charges(server, out, ['--resume'])
  expect([again.status, again.stderr]).toEqual([
    0,
    expect.stringMatching(/reads 1 rejected row again[\s\S]*complete: 20 rows in/),
  ])
  expect(await charges(server, out, ['--resume'])).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('there is no unfinished export to resume'),
  })
})

describe('a folder', () => {
  it('has a file for each slice of time, and the manifest names them', async () => {
    const server = await serve({ charges: 1_000 })
    const { status } = await charges(server, file('parts/'), ['--parallel', '4'])
    expect(status).toBe(0)
    const [run] = await runsOf(file('parts/_manifest.json'))
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

  it('has no file that can be executed', async () => {
    const server = await serve({ charges: 10 })
    await charges(server, file('parts/'))
    const names = (await readdir(file('parts'))).filter((name) => name !== '_incoming')
    const modes = names.map(async (name) => (await stat(file(`parts/${name}`))).mode)
    expect((await Promise.all(modes)).filter((mode) => (mode & 0o111) !== 0)).toEqual([])
  })

  it('rotates by rows', async () => {
    const server = await serve({ charges: 250 })
    await charges(server, file('parts/'), ['--parallel', '1', '--rotate-rows', '100'])
    const [run] = await runsOf(file('parts/_manifest.json'))
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
    expect(stderr).toContain('since 2024-02-01T11:30:01.')
    const runs = await runsOf(file('all/_manifest.json'))
    expect(runs.map(({ rows }) => rows)).toEqual([210, 350])
    expect(runs[1]?.spec.query).toEqual({ from_created_at: '2024-02-01T11:30:01+0000' })

    const sql = await duckdb()
    const [merged] = await sql(
      `select count(*) as rows from (
         select * from read_json('${out}*.ndjson', filename = true)
         qualify row_number() over (partition by id order by filename desc) = 1)`,
    )
    expect(merged).toEqual({ rows: '500' })

    const other = await charges(server, out, ['--since-last', '--currency', 'USD'])
    expect([other.status, other.stderr]).toEqual([
      2,
      expect.stringContaining('its query.currency is not the one of now'),
    ])
    for (const [words, what] of [
      [['--format', 'parquet'], 'name'],
      [['--compress', 'gzip'], 'compress'],
      [['--columns', 'id'], 'columns'],
      [['--exact'], 'numbers'],
    ] as const) {
      const { status, stderr } = await charges(server, out, ['--since-last', ...words])
      expect([status, stderr]).toEqual([
        2,
        expect.stringContaining(`its format.${what} is not the one of now`),
      ])
    }
    const fresh = await charges(server, out)
    expect([fresh.status, fresh.stderr]).toEqual([2, expect.stringContaining('--restart replaces')])
  })

  it('with one file is continued by a new one', async () => {
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
        `payments-rx: --columns should be without ${column}: files hold no secret\n`,
      ])
    }
    const other = await cli([...args, '--columns', 'id,colour'])
    expect(other.stderr).toContain('there is no colour')
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
