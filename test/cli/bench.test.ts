/** The command as it is installed: its sandbox and its judge are processes of their own. */
import { execFile } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { builtCommand } from '../support/built.js'
import { CLIENT, judge } from '../support/judge.js'
import { SANDBOX } from '../support/windows.js'
import { cli } from './support.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const main = await builtCommand()
const home = mkdtempSync(join(tmpdir(), 'payments-rx-bench-test-'))
symlinkSync(join(root, 'node_modules'), join(home, 'node_modules')) // the peers
mkdirSync(join(home, 'temporary'))
afterAll(() => rmSync(home, { recursive: true }))

const installed = (...args: ReadonlyArray<string>) =>
  new Promise<{ status: number; stdout: string; stderr: string }>((resolve) => {
    const command = [main, 'bench', ...args]
    const env = { TMPDIR: join(home, 'temporary') }
    execFile(process.execPath, command, { cwd: home, env }, (error, stdout, stderr) => {
      resolve({ status: Number(error?.code ?? 0), stdout, stderr })
    })
  })

/** Reads pages in a loop, one at a time. */
const LOOP = `
const { PAYMENTS_BASE_URL: url, PAYMENTS_CLIENT_ID: id, PAYMENTS_API_KEY: key } = process.env
const login = await fetch(url + '/api/v1/authentication/login', {
  method: 'POST',
  headers: { 'x-client-id': id, 'x-api-key': key },
})
const { token } = await login.json()
for (let page = 0; ; page++) {
  const answer = await fetch(url + '/api/v1/charges?page_size=10&page_num=' + page, {
    headers: { authorization: 'Bearer ' + token },
  })
  await answer.json()
}`

describe('the installed command', () => {
  it('measures, counts as its judge does, and compares with others', async () => {
    writeFileSync(join(home, 'loop.mjs'), LOOP)
    writeFileSync(join(home, 'broken.mjs'), `console.error('no token')\nprocess.exit(3)`)
    const report = join(home, 'bench.html')
    const common = ['--duration', '2s', '--page-size', '100', '--latency', '20ms', '--jitter', '0']
    const { status, stdout, stderr } = await installed(
      ...['read', ...common, '--json', '--report', report, '--peers', '--against', './loop.mjs'],
    )
    expect([status, stderr]).toEqual([0, expect.stringMatching(/^bench read: 2 s against an emb/)])
    const result = JSON.parse(stdout)
    const { total, arrivals, peers } = result
    expect(arrivals.requests).toBe(total.requests)
    expect(arrivals.rows).toBe(total.rows)
    expect(result).toMatchObject({
      ...{ workload: 'read', target: 'embedded sandbox', environment: 'production' },
      ...{ rowsPerSecond: expect.any(Number), requestsPerSecond: expect.any(Number) },
      ...{ share: expect.any(Number), boundBy: expect.any(String), verdict: expect.any(String) },
      ...{ refused: expect.any(Number) },
      answer: { p50: expect.any(Number), p95: expect.any(Number), p99: expect.any(Number) },
      wait: { p50: expect.any(Number), p95: expect.any(Number), p99: expect.any(Number) },
    })
    expect(peers).toMatchObject([
      { name: expect.stringMatching(/^fetch loop, \d+ concurrent$/) },
      { name: 'p-queue' },
      { name: 'bottleneck' },
      { name: './loop.mjs' },
    ])
    for (const { arrivals, requestsPerSecond, leftOut } of peers) {
      expect(leftOut).toBeUndefined()
      expect(arrivals.requests).toBeGreaterThan(0) // on a busy machine, no page may come in the second that it has
      expect(requestsPerSecond).toBeGreaterThan(0)
    }
    expect(readFileSync(report, 'utf8')).toContain('./loop.mjs')

    const second = await installed('read', ...common, '--against', './broken.mjs')
    expect(second.status).toBe(0)
    expect(second.stdout).toContain('./broken.mjs: exited with status 3: no token')
  })

  it('exports into a folder of its own, and leaves nothing', async () => {
    const { status, stdout } = await installed('export', '--duration', '2s', '--json')
    // on a busy machine, no row may come in the seconds that are measured
    expect([status, JSON.parse(stdout).total.requests > 0]).toEqual([0, true])
    expect(readdirSync(join(home, 'temporary'))).toEqual([])
  })
})

describe('against the service of a user', () => {
  it('sends what it counts, only reads, and within the limits', async () => {
    const server = await judge({ charges: 5_000, limits: SANDBOX, now: Date.now })
    const account = ['--client-id', CLIENT.clientId, '--api-key', CLIENT.apiKey]
    const { status, stdout, stderr } = await installed(
      ...['read', '--base-url', server.url, ...account, '--environment', 'test'],
      ...['--duration', '3s', '--page-size', '10', '--share', '0.5', '--json'],
    )
    await server.close()
    expect([status, stderr]).toEqual([
      0,
      `bench read: 3 s against ${server.url}, within the limits of test\n`,
    ])
    const { total, ceiling, requestsPerSecond } = JSON.parse(stdout)
    const pages = server.seen.filter(({ route }) => route === 'GET /api/v1/charges')
    expect([pages.length, server.seen.length]).toEqual([total.requests, total.requests + 1])
    expect(ceiling).toEqual({ name: 'endpoint', perSecond: 5 })
    expect(requestsPerSecond).toBeLessThanOrEqual(5.5)
    expect(server.exceeded).toEqual([])
    expect(stdout + stderr).not.toContain(CLIENT.apiKey)
  })
})

describe('wrong use of bench sends nothing', () => {
  const account = ['--base-url', 'https://a.example', '--client-id', 'a', '--api-key', 'b']
  it.each([
    [['reed'], 'read, mixed, write, export'],
    [['--duration', '1s'], 'It should be a time of at least 2s.'],
    [['--parallel', '0'], 'whole number from 1 to 100'],
    [['--share', '2'], 'greater than 0 and at most 1'],
    [['write', ...account], "workload should be 'read', 'mixed' or 'export', because"],
    [['write', '--write', ...account], 'because the write workload requires environment'],
    [['write', '--environment', 'test', ...account], '--write should be true'],
    [['--peers', ...account], '--peers would exceed the rate limits of the real account'],
    [
      ['--against', 'x.mjs', ...account],
      '--against would exceed the rate limits of the real account',
    ],
    [['--latency', '5ms', ...account], '--latency requires --sandbox'],
    [['--base-url', 'https://a.example'], 'PAYMENTS_CLIENT_ID'],
    [['--sandbox', ...account], 'cannot be used with'],
    [['--report', 'no/such/x.html'], '--report: cannot write no/such/x.html'],
    [['--report', tmpdir()], `--report: cannot write ${tmpdir()}`],
  ])('%j', async (args, said) => {
    const { status, stderr, stdout } = await cli(['bench', ...args])
    expect([status, stdout]).toEqual([2, ''])
    expect(stderr).toContain(said)
    expect(stderr.trimEnd().split('\n')).toHaveLength(1)
  })
})
