import { existsSync } from 'node:fs'
import { readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { Writable } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { Subject } from 'rxjs'
import { beforeEach, describe, expect, it } from 'vitest'
import { CLIENT, type Judge } from '../support/judge.js'
import { breaking, exporting, KEYS, rowsChanged } from './exporting.js'
import { cli, rowsOf, unfinished } from './support.js'

const FIELDS = [
  ...['id', 'amount', 'currency', 'reason', 'reference', 'request_id', 'source', 'fee'],
  ...['short_reference_id', 'status', 'created_at', 'updated_at'],
]

const { file, serve } = await exporting()
const rejects = file('charges.ndjson.rejects.ndjson')
let out: string
beforeEach(() => {
  out = file('charges.ndjson')
})

const to = ({ url }: Judge, ...more: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...['export', 'charges', '--base-url', url, '--out', out],
  ...KEYS,
  ...more,
]

/** Arguments with an unknown key. */
const wrongly = (args: ReadonlyArray<string>): ReadonlyArray<string> =>
  args.map((word) => (word === CLIENT.apiKey ? 'wrong-key' : word))

/** Where stderr is read whole: a log has a line every half minute. */
const NO_LOG = ['--progress', 'none']

describe('an export from a server that nobody here wrote the codecs of', () => {
  it('writes every charge once, with all its fields', async () => {
    const server = await serve({ charges: 1_234 })
    const { status, stderr, stdout } = await cli(to(server, '--page-size', '100'))
    const rows = await rowsOf(out)
    const ids = rows.map(({ id }) => Number(String(id).slice(4)))
    expect(ids.sort((a, b) => a - b)).toEqual(Array.from({ length: 1_234 }, (_, i) => i))
    for (const row of rows) expect(Object.keys(row)).toEqual(FIELDS)
    expect(status).toBe(0)
    expect(stdout).toBe('')
    expect(stderr).toMatch(
      /^complete: 1,234 rows in \S+charges\.ndjson, .*, \d+ requests, 0 refused, 0 rows rejected\n$/m,
    )
    expect(existsSync(rejects)).toBe(false)
  })

  it('asks for what its filters say', async () => {
    const server = await serve({ charges: 10 })
    await cli(
      to(
        server,
        ...['--from', '2024-01-31', '--to', '2024-02-29', '--status', 'SETTLED'],
        ...['--currency', 'EUR', '--source', 'acct_3', '--request-id', 'request-3'],
        ...['--page-size', '50'],
      ),
    )
    const asked = server.seen.find(({ route }) => route === 'GET /api/v1/charges')
    expect(Object.fromEntries(asked?.url.searchParams ?? [])).toEqual({
      from_created_at: '2024-01-30T23:59:59+0000', // a second earlier: the service may round
      to_created_at: '2024-03-01T00:00:00+0000', // what is of that second is left out
      status: 'SETTLED',
      currency: 'EUR',
      source: 'acct_3',
      request_id: 'request-3',
      page_size: '50',
      page_num: '0',
    })
  })

  it('accepts a --to in the far future', async () => {
    const server = await serve({ charges: 10 })
    const { status, stderr } = await cli(to(server, '--to', '9999-12-31'))
    expect(stderr).toMatch(/^complete: 10 rows /m)
    expect(status).toBe(0)
  })

  it('is incomplete, and says so, when a page cannot be read', async () => {
    const server = await serve({ charges: 400, fault: breaking(4, { status: 500 }).fault })
    const { status, stderr } = await cli(to(server, '--page-size', '50'))
    const { length } = await rowsOf(await unfinished(out))
    expect(length).toBeGreaterThan(0)
    expect(length).toBeLessThan(400)
    expect(status).toBe(1)
    expect(stderr).toContain(`incomplete: ${length} rows`)
    expect(stderr).toMatch(
      /incomplete: ended after 3 pages.*; rerun the same command with --resume to continue/,
    )
  })

  it('rejects rows that do not decode, counts them, and is incomplete', async () => {
    const server = await serve({
      charges: 120,
      page: rowsChanged((row) => (row.id === 'chg_57' ? { ...row, amount: '9.99' } : row)),
    })
    const { status, stderr } = await cli(to(server, '--page-size', '50'))
    expect(await rowsOf(out)).toHaveLength(119)
    expect(await rowsOf(rejects)).toEqual([
      {
        position: expect.objectContaining({ slices: [expect.anything()] }),
        index: expect.any(Number),
        reason: expect.stringMatching(/items\[\d+\]\.amount should be a finite number/),
        row: expect.objectContaining({ id: 'chg_57', amount: '9.99' }),
      },
    ])
    expect(status).toBe(1)
    expect(stderr).toContain('1 row rejected')
    expect(stderr).toContain(`see ${rejects}`)
  })

  it('leaves the earlier file alone when nothing can be read', async () => {
    const server = await serve({ charges: 10 })
    await cli(to(server))
    const before = await readFile(out, 'utf8')
    const { status, stderr } = await cli(wrongly(to(server)))
    expect(status).toBe(2)
    expect(stderr).toContain('401 credentials_invalid')
    expect(stderr).toContain('check the client id and the API key')
    expect(stderr).not.toContain('wrong-key')
    expect(await readFile(out, 'utf8')).toBe(before)
  })

  it('replaces the files of an earlier run, the rejects too', async () => {
    await writeFile(out, 'earlier\n')
    await writeFile(rejects, 'earlier\n')
    const server = await serve({ charges: 3 })
    const refused = await cli(to(server))
    expect(refused.status).toBe(2)
    expect(refused.stderr).toMatch(
      / was changed after an export wrote it, .*: use --restart to replace it\n$/,
    )
    expect((await cli(to(server, '--restart'))).status).toBe(0)
    expect(await rowsOf(out)).toHaveLength(3)
    expect(existsSync(rejects)).toBe(false)
  })

  it('takes the connection from the environment', async () => {
    const server = await serve({ charges: 5 })
    const env = {
      PAYMENTS_BASE_URL: server.url,
      PAYMENTS_CLIENT_ID: CLIENT.clientId,
      PAYMENTS_API_KEY: CLIENT.apiKey,
      PAYMENTS_ENVIRONMENT: 'test',
    }
    const { status, stdout } = await cli(['export', 'charges'], { env })
    expect(status).toBe(0)
    expect(stdout.split('\n')).toHaveLength(6)
  })

  it('says on stderr which rows do not go to stdout, and keeps them in a private file', async () => {
    const server = await serve({
      charges: 2,
      page: (page) => ({ ...page, items: [{ id: 'c\u009b1', pan: '4111' }, 1, ...page.items] }),
    })
    const kept = `${out}.kept`
    await writeFile(kept, 'of an earlier run', { mode: 0o644 })
    out = '-'
    const { stdout, stderr, status } = await cli(to(server, '--rejects', kept, ...NO_LOG))
    expect(stdout.trim().split('\n')).toHaveLength(2)
    expect(stderr).toMatch(/^rejected: c 1: .*\nrejected: row 1 of its page: .*\n/)
    expect(stderr).toContain(`see ${kept}`)
    expect(stderr).not.toContain('4111')
    expect(await rowsOf(kept)).toMatchObject([{ index: 0, row: { pan: '4111' } }, { row: 1 }])
    if (process.platform !== 'win32') expect((await stat(kept)).mode & 0o777).toBe(0o600)
    expect(status).toBe(1)
  })

  it('leaves a link in the place of the file of rejected rows alone', async () => {
    const server = await serve({ page: (page) => ({ ...page, items: [1] }) })
    const [mine, link] = [`${out}.mine`, `${out}.link`]
    await writeFile(mine, 'mine')
    await symlink(mine, link)
    out = '-'
    const { stderr, status } = await cli(to(server, '--rejects', link, ...NO_LOG))
    expect([status, stderr]).toEqual([1, expect.stringContaining(`cannot write ${link} (EEXIST)`)])
    expect(await readFile(mine, 'utf8')).toBe('mine')
  })

  it('takes --rejects only where rows have no other file', async () => {
    const { status, stderr } = await cli(to(await serve({}), '--rejects', 'x', ...NO_LOG))
    expect([status, stderr]).toEqual([2, expect.stringMatching(/^payments-rx: --rejects requires/)])
  })

  it('escapes on a terminal what would drive it, and nowhere else', async () => {
    const server = await serve({
      charges: 1,
      page: rowsChanged((row) => ({ ...row, x: '\u009b' })),
    })
    out = '-'
    const shown: Array<string> = []
    const terminal = new Writable({
      write: (chunk, _encoding, done) => {
        shown.push(String(chunk))
        done()
      },
    })
    await cli(to(server, ...NO_LOG), { stdout: Object.assign(terminal, { isTTY: true }) })
    expect(shown.join('')).toContain(String.raw`"x":"\u009b"`)
    const { stdout } = await cli(to(server, ...NO_LOG))
    expect(stdout).toContain('"x":"\u009b"')
  })

  it('ends silently when the reader of stdout goes away', async () => {
    const server = await serve({ charges: 100 })
    const stdout = new Writable({
      write: (_chunk, _encoding, done) =>
        done(Object.assign(new Error('closed'), { code: 'EPIPE' })),
    })
    stdout.on('error', () => {})
    out = '-'
    const { status, stderr } = await cli(to(server, '--page-size', '10', ...NO_LOG), { stdout })
    expect(status).toBe(141)
    expect(stderr).toBe('')
  })

  it('stops at a signal while stdout is blocked', async () => {
    const signals = new Subject<'SIGINT'>()
    const server = await serve({ charges: 100 })
    const stdout = new Writable({ write: () => signals.next('SIGINT') }) // and never answers
    out = '-'
    const args = to(server, '--page-size', '10', ...NO_LOG)
    const { status, stderr } = await cli(args, { stdout, signals })
    expect(status).toBe(130)
    expect(stderr).toMatch(/^incomplete: 0 rows in stdout/)
  })

  it('sends nothing when its folder is missing', async () => {
    const server = await serve({ charges: 5 })
    out = file('no/such/file')
    const { status, stderr } = await cli(to(server))
    expect(status).toBe(2)
    expect(stderr).toMatch(
      /^payments-rx: --out: \S+no\/such should be an existing, writable folder.*\n$/,
    )
    expect(server.seen).toEqual([])
  })

  it('prints only what went wrong with --quiet', async () => {
    const server = await serve({ charges: 5 })
    expect(await cli(to(server, '--quiet'))).toMatchObject({ status: 0, stderr: '' })
    const failed = await cli(wrongly(to(server, '--quiet')))
    expect(failed.stderr.split('\n')).toHaveLength(2)
  })

  it('shows a changing line on a terminal', async () => {
    const server = await serve({ charges: 2_000 })
    const output = await cli(to(server, '--page-size', '10'), { isTTY: true })
    const stderr = stripVTControlCharacters(output.stderr)
    expect(stderr).toMatch(/rows {2}[\d,]+ rows\/s {2}\d+ % of the quota {2}0 refused {2}\d+\.\d s/)
    expect(stderr).toMatch(/complete: 2,000 rows/)
  })
})
