/** Files that a command leaves: formats, folders, and other lists than charges. */
import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { duckdb, textOf } from '../export/reading.js'
import { PARTNER } from '../support/judge.js'
import { charges, exporting, KEYS, rowsChanged, runOf } from './exporting.js'
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

  it('is NDJSON on stdout, and whatever was asked for', async () => {
    const server = await serve({ charges: 3 })
    const { stdout } = await charges(server, '-', ['--format', 'csv', '--columns', 'id'])
    expect(stdout.split(/\r?\n/)).toEqual(['id', 'chg_0', 'chg_1', 'chg_2', ''])
  })
})

it('rejects rows that decode and do not fit the format', async () => {
  const server = await serve({
    charges: 20,
    page: rowsChanged((row, i) => (i === 3 ? { ...row, amount: 2 ** 60 } : row)),
  })
  const out = file('c.parquet')
  const { status, stderr } = await charges(server, out)
  expect(stderr).toContain(`rows could not be written (1: amount should be`)
  expect(await rowsOf(`${out}.rejects.ndjson`)).toMatchObject([
    { reason: expect.stringContaining('amount should be') },
  ])
  expect(status).toBe(1)
  expect(stderr).toContain(`see ${out}.rejects.ndjson; use --restart to read all rows again`)
})

describe('a folder', () => {
  it('has a file for each slice of time, and the manifest names them', async () => {
    const server = await serve({ charges: 1_000 })
    const { status } = await charges(server, file('parts/'), ['--parallel', '4'])
    expect(status).toBe(0)
    const run = await runOf(file('parts/_manifest.json'))
    const names = (await readdir(file('parts'))).filter((name) => name.startsWith('part-'))
    expect(run.files.map(({ path }) => path)).toEqual(names)
    expect(names.length).toBeGreaterThan(1)
    expect(run.slices.reduce((sum, { rows }) => sum + rows, 0)).toBe(1_000)
    expect(await cli(['verify', file('parts')])).toMatchObject({ status: 0 })
    await rm(file(`parts/${names[0]}`))
    expect(await cli(['verify', file('parts/')])).toMatchObject({
      status: 1,
      stdout: expect.stringMatching(/part-\S+ does not exist|part-\S+: does not exist/),
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
    const run = await runOf(file('parts/_manifest.json'))
    expect(run.files.every(({ rows }) => rows <= 100)).toBe(true)
    expect(run.rows).toBe(250)
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
    const args = ['export', name, '--base-url', server.url, ...KEYS, '--out', out]
    const { status, stderr } = await cli([...args, ...more])
    expect(stderr).toContain(`complete: ${count.toLocaleString('en-US')} rows`)
    expect(status).toBe(0)
    const rows = await rowsOf(out)
    expect(new Set(rows.map(({ id }) => id)).size).toBe(count)
    expect(await runOf(`${out}.manifest.json`)).toMatchObject({ rows: count, complete: true })
  })

  it('partner-webhooks, as the application', async () => {
    const server = await serve({ partnerWebhooks: 33 })
    const out = file('c.csv')
    const args = ['export', 'partner-webhooks', '--base-url', server.url, '--out', out]
    expect(await cli(args)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('--partner-id or PAYMENTS_PARTNER_ID is required'),
    })
    const env = {
      PAYMENTS_PARTNER_ID: PARTNER.clientId,
      PAYMENTS_PARTNER_SECRET: PARTNER.clientSecret,
    }
    expect((await cli(args, { env })).status).toBe(0)
    expect((await readFile(out, 'utf8')).trimEnd().split('\n')).toHaveLength(34)
  })

  it('are told how to be replaced', async () => {
    const server = await serve({ webhooks: 3 })
    const args = ['export', 'webhooks', '--base-url', server.url, ...KEYS, '--out', file('w/')]
    await cli(args)
    const { status, stderr } = await cli(args)
    expect([status, stderr]).toEqual([2, expect.stringMatching(/: use --restart to replace it\n$/)])
  })

  it.each(['csv', 'parquet'])('have no column for the secrets of webhooks: %s', async (format) => {
    const server = await serve({ webhooks: 3 })
    const out = file(`w.${format}`)
    const args = ['export', 'webhooks', '--base-url', server.url, ...KEYS, '--out', out]
    for (const column of ['secret', 'secret:text', 'before.secret:text']) {
      const { status, stderr } = await cli([...args, '--columns', `id,${column}`])
      expect([status, stderr]).toEqual([
        2,
        `payments-rx: --columns should be without ${column}, because files must not contain secrets\n`,
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
