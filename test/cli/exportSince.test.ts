/** `--since-last`: from when on the next run reads, and from what it goes on. */
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, relative } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { CLIENT, type Judge, type JudgeOptions, judge } from '../support/judge.js'
import { cli, folder, rowsOf } from './support.js'

const file = await folder()
const servers: Array<Judge> = []
beforeEach(() => mkdir(dirname(file('x')), { recursive: true }).then(() => {}))
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())))

const serve = async (options: number | JudgeOptions): Promise<Judge> => {
  const server = await judge(typeof options === 'number' ? { charges: options } : options)
  servers.push(server)
  return server
}

const charges = ({ url }: Judge, out: string, ...more: ReadonlyArray<string>) =>
  cli([
    ...['export', 'charges', '--base-url', url, '--out', out, '--progress', 'none', ...more],
    ...['--client-id', CLIENT.clientId, '--api-key', CLIENT.apiKey],
  ])

/** Whose time in the tests is later than all charges, and earlier than this. */
const FUTURE = ['--to', '2027-06-01']

describe('the next run', () => {
  it('reads what was made after the last one began, although that was read to a later time', async () => {
    const server = await serve(20)
    await charges(server, file('all/'), ...FUTURE)
    const last = await readFile(file('all/_manifest.json'), 'utf8')
    const began = Date.parse(JSON.parse(last).runs[0].started)
    const { status, stderr } = await charges(server, file('all/'), '--since-last')
    expect(status).toBe(0)
    const since = new Date(began - 7 * 86_400_000).toISOString()
    expect(stderr).toContain(`since ${since}: 7 days before the start of the last run\n`)
    const asked = server.seen.findLast(({ route }) => route === 'GET /api/v1/charges')
    const from = Date.parse(asked?.url.searchParams.get('from_created_at') ?? '')
    expect(Math.floor((Date.parse(since) - from) / 1_000)).toBe(1) // a second more
  })

  it('reads nothing from before the time with which a folder was begun', async () => {
    const server = await serve(2_000)
    const begun = ['--from', '2024-01-10T00:00:00Z', '--to', '2024-01-11T00:00:00Z']
    await charges(server, file('all/'), ...begun)
    for (const day of ['12', '13']) {
      const to = ['--to', `2024-01-${day}T00:00:00Z`, '--since-last']
      const { status, stderr } = await charges(server, file('all/'), ...to)
      expect(status).toBe(0)
      expect(stderr).toContain(
        'since 2024-01-10T00:00:00.000Z: the beginning of the folder, less than 7 days before the end of the last',
      )
    }
    const asked = server.seen.findLast(({ route }) => route === 'GET /api/v1/charges')
    expect(asked?.url.searchParams.get('from_created_at')).toBe('2024-01-09T23:59:59+0000') // a second more

    const short = ['--since-last', '--lookback', '12h', '--to', '2024-01-14T00:00:00Z']
    const later = await charges(server, file('all/'), ...short)
    expect(later.stderr).toContain('since 2024-01-12T12:00:01.000Z: 12 hours before the end of')
    const last = await charges(server, file('all/'), '--since-last', '--to', '2024-01-15T00:00:00Z')
    expect(last.stderr).toContain('since 2024-01-10T00:00:00.000Z: the beginning of the folder')
  })

  it('reads nothing from before a folder that begins in the future, without a lookback either', async () => {
    const server = await serve(5)
    await charges(server, file('all/'), '--from', '2027-01-01', ...FUTURE)
    const next = ['--since-last', '--lookback', '0d', ...FUTURE]
    const { stderr } = await charges(server, file('all/'), ...next)
    expect(stderr).toContain(
      'since 2027-01-01T00:00:00.000Z: the beginning of the folder, after the start of the last run\n',
    )
  })

  it('goes back as far as it is told from the manifest of a file, which may go on from others', async () => {
    const server = await serve(20)
    const begun = ['--from', '2024-01-10T00:00:00Z', '--to', '2024-01-11T00:00:00Z']
    await charges(server, file('first.ndjson'), ...begun)
    const since = ['--since-last', file('first.ndjson.manifest.json')]
    const { status, stderr } = await charges(server, file('second.ndjson'), ...since)
    expect(status).toBe(0)
    expect(stderr).toContain('since 2024-01-04T00:00:01.000Z: 7 days before the end of the last')
  })

  it.each([
    ['12h', '12 hours'],
    ['30m', '30 minutes'],
    ['90m', '90 minutes'],
    ['1d', '1 day'],
  ])('says how far it looks back: %s', async (lookback, said) => {
    const server = await serve(5)
    const past = ['--to', '2024-02-01T12:00:00Z']
    await charges(server, file('all/'), ...past)
    const again = await charges(server, file('all/'), '--since-last', '--lookback', lookback)
    expect(again.stderr).toContain(`: ${said} before the end of the last run`)
  })

  it.each(['0d', '0m'])('says nothing of a lookback of nothing: %s', async (lookback) => {
    const server = await serve(5)
    await charges(server, file('all/'), '--to', '2024-02-01T12:00:00Z')
    const again = await charges(server, file('all/'), '--since-last', '--lookback', lookback)
    expect(again.stderr).toContain('since 2024-02-01T12:00:01.000Z: the end of the last')
  })

  it('looks back no further than 1970', async () => {
    const server = await serve(5)
    await charges(server, file('all/'), '--to', '2024-02-01T12:00:00Z')
    const far = ['--since-last', '--lookback', '40000d'] as const
    const { status, stderr } = await charges(server, file('all/'), ...far)
    const said = 'since 1970-01-01T00:00:00.000Z: 40,000 days before the end of the last'
    expect([status, stderr]).toEqual([0, expect.stringContaining(said)])
  })

  it.each(['2024-01-01', '2024-01-01T12:00'])('does not end before it begins: %s', async (to) => {
    const server = await serve(5)
    await charges(server, file('all/'))
    const args = ['--since-last', '--to', to] as const
    const { status, stderr } = await charges(server, file('all/'), ...args)
    expect(status).toBe(2)
    expect(stderr).toMatch(/to_created_at should be from_created_at or later/)
  })
})

it('says nothing of rejected rows where the last run failed', async () => {
  let refuses = false
  const server = await serve({
    charges: 100,
    fault: ({ route }) =>
      refuses && route === 'GET /api/v1/charges'
        ? { status: 400, body: { code: 'invalid_argument', message: 'no' } }
        : undefined,
    page: (page) => {
      refuses = true
      return page
    },
  })
  await charges(server, file('all/'), '--page-size', '10', '--parallel', '1')
  refuses = false
  const again = await charges(server, file('all/'), '--since-last', '--restart')
  expect([again.status, again.stderr]).toEqual([
    0,
    expect.stringMatching(/^no run in .* was read to its end: everything is read\n/),
  ])
})

describe('after a run that was read to its end and has a rejected row', () => {
  const spoilt = {
    charges: 20,
    page: (page, _pageNum) => ({
      ...page,
      items: page.items.map((row, i) => (i === 3 ? { ...row, amount: null } : row)),
    }),
  } satisfies JudgeOptions
  const PAST = ['--to', '2024-02-02T00:00:00Z']

  it('the next one reads what is new, and says what stays missing', async () => {
    const server = await serve(spoilt)
    const first = await charges(server, file('all/'), ...PAST)
    expect(first.status).toBe(1)
    const args = [...PAST, '--since-last', '--lookback', '12h']
    const { status, stderr } = await charges(server, file('all/'), ...args)
    expect(stderr).toMatch(
      /^since \S+: 12 hours before the end of the last run; 1 row that earlier runs rejected stay missing \(--resume reads them again\)\n/,
    )
    expect(status).toBe(0)
    const { runs } = JSON.parse(await readFile(file('all/_manifest.json'), 'utf8'))
    expect(runs).toMatchObject([{ missing: ['1 row that was rejected'] }, { complete: true }])
    expect(runs[1].rows).toBeLessThan(runs[0].rows)
    expect((await cli(['verify', file('all/')])).stdout).toContain('1 row that was rejected')
  })
})

describe('the run before', () => {
  it('is not replaced, however its path is spelt', async () => {
    const server = await serve(5)
    await charges(server, file('c.ndjson'))
    await symlink(file('c.ndjson.manifest.json'), file('link.json'))
    const spelt = [
      relative('.', file('c.ndjson.manifest.json')),
      file('link.json'),
      file('sub/../c.ndjson.manifest.json'),
      `${dirname(file('x'))}//c.ndjson.manifest.json`,
    ]
    await mkdir(file('sub'))
    for (const manifest of spelt) {
      const { status, stderr } = await charges(server, file('c.ndjson'), '--since-last', manifest)
      expect([status, stderr]).toEqual([2, expect.stringContaining('name a new file')])
    }
    const since = ['--since-last', file('c.ndjson.manifest.json')] as const
    const here = await charges(server, relative('.', file('c.ndjson')), ...since)
    expect([here.status, here.stderr]).toEqual([2, expect.stringContaining('name a new file')])
    expect(await rowsOf(file('c.ndjson'))).toHaveLength(5)
  })

  it('is of the same account', async () => {
    const server = await serve(5)
    await charges(server, file('c.ndjson'), '--login-as', 'a')
    const since = ['--since-last', file('c.ndjson.manifest.json'), '--login-as', 'b'] as const
    const { status, stderr } = await charges(server, file('d.ndjson'), ...since)
    expect([status, stderr]).toEqual([
      2,
      expect.stringContaining('its account is not the one of now'),
    ])
  })

  it('may be named as its folder', async () => {
    const server = await serve(5)
    await charges(server, file('all/'))
    const { status } = await charges(server, file('c.csv'), '--since-last', file('all'))
    expect(status).toBe(0)
  })

  it('that cannot be read is one line', async () => {
    const server = await serve(5)
    await mkdir(file('all'))
    await writeFile(file('all/_manifest.json'), '{"version":')
    const damaged = await charges(server, file('all/'), '--since-last')
    expect(damaged.status).toBe(2)
    expect(damaged.stderr).toMatch(/^payments-rx: --since-last: .* is no manifest: .*\n$/)
    expect(damaged.stderr).toContain('--restart without --since-last starts over')

    await mkdir(file('odd/_manifest.json'), { recursive: true })
    const folder = await charges(server, file('odd/'), '--since-last')
    expect(folder.status).toBe(2)
    expect(folder.stderr).toMatch(/^payments-rx: --since-last: .*manifest\.json is no regular file/)
    expect(server.seen).toEqual([])
  })
})
