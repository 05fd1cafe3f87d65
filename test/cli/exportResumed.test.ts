/** An export that stopped, and what goes on with it. */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { asyncScheduler, Observable, Subject } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { duckdb } from '../export/reading.js'
import { upTo } from '../support/numbers.js'
import { breaking, charges, exporting, idsOf, KEYS, rowsChanged, runOf } from './exporting.js'
import { cli, rowsOf, unfinished } from './support.js'

const { file, serve } = await exporting()

describe('an export that stopped', () => {
  it.each([['c.ndjson'], ['c.csv.gz'], ['c.parquet']])('resumes: %s', async (name) => {
    const { fault, state } = breaking(6)
    const server = await serve({ charges: 700, fault })
    const out = file(name)
    const first = await charges(server, out)
    expect(first.status).toBe(1)
    expect(first.stderr).toContain('rerun the same command with --resume to continue')
    expect(existsSync(`${out}.checkpoint.json`)).toBe(true)
    expect([existsSync(out), existsSync(`${out}.manifest.json`)]).toEqual([false, false])
    expect(first.stderr).toContain(` rows in ${await unfinished(out)}, `)

    const again = await charges(server, out)
    expect(again.status).toBe(2)
    expect(again.stderr).toContain('use --resume to continue it, or --restart to start over')

    state.on = false
    const { status, stderr } = await charges(server, out, ['--resume', '--progress', 'auto'])
    expect(stderr).toMatch(/resumed after [\d,]+ rows\ncomplete: 700 rows/)
    expect(status).toBe(0)
    const sql = await duckdb()
    const [found] = await sql(`select count(*) as rows, count(distinct id) as ids from '${out}'`)
    expect(found).toEqual({ rows: '700', ids: '700' })
    expect(existsSync(`${out}.checkpoint.json`)).toBe(false)
    const run = await runOf(`${out}.manifest.json`)
    expect(run).toMatchObject({ complete: true, starts: 2 })
    expect(stderr).toContain(`, ${run.requests} requests, 0 refused,`) // of both starts, as the rows are
    const verified = await cli(['verify', out])
    expect(verified).toEqual({ status: 0, stdout: 'matches the manifest: 1 file\n', stderr: '' })
  })

  it.each([
    ['export', ['--page-size', '50', '--out', 'c.ndjson', '--resume']],
    ['sync', ['c.sqlite']],
  ])('ends with 2 if the key is refused when it continues: %s', async (command, args) => {
    const { fault } = breaking(6)
    const { url } = await serve({ charges: 5_000, fault })
    const named = args.map((arg) => (arg.startsWith('c.') ? file(arg) : arg))
    const run = (...keys: ReadonlyArray<string>) =>
      cli([command, 'charges', ...named, '--base-url', url, ...keys])
    expect(await run(...KEYS)).toMatchObject({ status: 1 })
    const refused = await run(...KEYS.slice(0, 3), 'another-key')
    expect(refused).toMatchObject({ status: 2, stderr: expect.stringContaining('doctor') })
  })

  it('by a signal advises --resume, and resumes', async () => {
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
    // time of the machine: on a faster one, the grace of a stop is over before the disk has what was read
    const { status, stderr } = await charges(server, out, [], { signals, timer: asyncScheduler })
    expect(status).toBe(143)
    expect(stderr).toContain('stopped by SIGTERM; rerun the same command with --resume to continue')
    state.on = false
    expect((await charges(server, out, ['--resume', '--parallel', '2'])).status).toBe(0)
    expect(idsOf(await rowsOf(out))).toEqual(upTo(400))
  })

  it('listens to signals from its first look at the files to its last write', async () => {
    const server = await serve({ charges: 400 })
    const out = file('c.ndjson')
    const isLocked: Array<boolean> = []
    const look = () => void isLocked.push(existsSync(`${out}.checkpoint.json`))
    const signals = new Observable<never>(() => {
      look()
      return look
    })
    expect((await charges(server, out, [], { signals })).status).toBe(0)
    expect(isLocked).toEqual([false, false])
  })

  it('is not resumed for another account', async () => {
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

  it('is not resumed with another version of the API', async () => {
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
      expect.stringContaining('its format.apiVersion is "2024-09-27", but is now "2025-08-29"'),
    ])
    state.on = false
    const same = ['--resume', '--api-version', '2024-09-27']
    expect((await charges(server, out, same)).status).toBe(0)
  })

  it('rereads a list whose bookmark has expired, and writes each row once', async () => {
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
    const args = [
      ...['export', 'batch-transfers', '--base-url', server.url, ...KEYS, '--out', out],
      ...['--progress', 'auto'],
    ]
    expect(await cli(args)).toMatchObject({ status: 1 })
    const { status, stderr } = await cli([...args, '--resume'])
    expect(stderr).toMatch(
      /^http.*\nresumed after 100 rows\nreading the list from the start, .*, because its bookmark was rejected: GET .*400 invalid_argument.*\ncomplete: 120 rows/,
    )
    expect(status).toBe(0)
    expect((await readFile(out, 'utf8')).trimEnd().split('\n')).toHaveLength(121)
    expect(await runOf(`${out}.manifest.json`)).toMatchObject({
      complete: true,
      rows: 120,
      distinct: 120,
      repeated: 100,
      starts: 2,
    })
  })

  it('starts an export where there is none to resume, also over a complete file of the same query', async () => {
    const server = await serve({ charges: 5 })
    const out = file('c.ndjson')
    for (const _ of ['nothing', 'a complete file']) {
      expect(await charges(server, out, ['--resume'])).toMatchObject({ status: 0 })
      expect(await rowsOf(out)).toHaveLength(5)
    }
    const before = await readFile(out, 'utf8')
    const other = await charges(server, out, ['--resume', '--login-as', 'another'])
    expect(other).toMatchObject({ status: 2, stderr: expect.stringContaining('account') })
    expect(await readFile(out, 'utf8')).toBe(before)
  })

  it.each(['c.ndjson', 'd/'])('starts over with --restart, naming old files: %s', async (name) => {
    const { fault, state } = breaking(4)
    const server = await serve({
      charges: 400,
      fault,
      page: rowsChanged((row, i) => (i === 3 && state.on ? { ...row, amount: null } : row)),
    })
    const out = file(name)
    const paths = () =>
      readdirSync(dirname(out.replace(/\/$/, '/x')), { recursive: true, withFileTypes: true })
        .filter((one) => one.isFile() && !one.name.endsWith('checkpoint.json'))
        .map((one) => join(one.parentPath, one.name))
    const versions = () =>
      new Map(paths().map((path) => [path, `${statSync(path, { bigint: true }).mtimeNs}`]))
    expect((await charges(server, out)).status).toBe(1)
    state.on = false
    for (const left of ['an interrupted run', 'a complete run']) {
      const before = versions()
      const { status, stderr } = await charges(server, out, ['--restart', '--progress', 'auto'])
      expect([left, status]).toEqual([left, 0])
      const named = Array.from(stderr.matchAll(/^--restart will remove (.*)$/gm), (line) => line[1])
      const now = versions()
      const gone = [...before].flatMap(([path, was]) => (now.get(path) === was ? [] : [path]))
      expect(named.sort()).toEqual(gone.sort())
      expect(named.length).toBeGreaterThan(1)
    }
    const files = paths().filter((path) => path.endsWith('.ndjson'))
    expect(idsOf((await Promise.all(files.map(rowsOf))).flat())).toEqual(upTo(400))
  })

  it('for too many rejects resumes with a higher --max-rejects', async () => {
    const server = await serve({
      charges: 300,
      page: rowsChanged((row, i) => (i % 10 === 0 ? { ...row, amount: null } : row)),
    })
    const out = file('c.ndjson')
    const first = await charges(server, out, ['--max-rejects', '3', '--parallel', '1'])
    expect(first.status).toBe(2)
    expect(first.stderr).toMatch(
      /more rows were rejected than --max-rejects allows \(\d+: .* should be .*\): see .*; use --resume with a higher --max-rejects to continue\n$/,
    )
    const asked = server.seen.length
    const same = await charges(server, out, ['--max-rejects', '3', '--resume'])
    expect(same.status).toBe(2)
    expect(same.stderr).toMatch(
      /^payments-rx: .*checkpoint\.json has more rejected rows \(\d+\) than --max-rejects allows \(3\): use --resume with a higher --max-rejects to continue, or use --restart to start over\n$/,
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
