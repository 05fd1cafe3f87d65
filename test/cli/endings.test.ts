/** How commands end: one status for a kind of failure, in each command, and an `end` for machines. */
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { of } from 'rxjs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { cli, folder, jsonLines, type RunOptions } from './support.js'

const file = await folder()

/** A service that answers each request but a login so. */
const answering = async (status: number, code: string): Promise<string> => {
  const server = createServer((request, response) => {
    const isLogin = request.url?.endsWith('/login') === true && status !== 401
    const login = { token: 'token', expires_at: '2100-01-01T00:00:00+0000' }
    request.resume()
    response.writeHead(isLogin ? 201 : status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(isLogin ? login : { code, message: 'no' }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const KEYS = ['--client-id', 'id', '--api-key', 'key']

describe.each([
  [401, 'credentials_invalid', 2],
  [403, 'unauthorized_action', 2],
  [409, 'request_in_progress', 1],
  [423, 'locked', 1],
  [500, 'internal_error', 1],
] as const)('a service that answers %d %s ends with status', (status, code, expected) => {
  it.each([
    ['export', ['export', 'charges', '--out', 'x.ndjson', '--patience', '0']],
    ['export --dry-run', ['export', 'charges', '--dry-run', '--patience', '0']],
    ['sync', ['sync', 'charges', 'x.sqlite', '--patience', '0']],
    ['follow', ['follow', 'charges', 'x.sqlite', '--patience', '0']],
    ['call', ['call', 'charges.list', '--limit', '1']],
  ] as const)(`${expected} of %s`, async (_, args) => {
    const url = await answering(status, code)
    const named = args.map((arg) => (/^x\./.test(arg) ? file(arg) : arg))
    const ended = await cli([...named, '--base-url', url, ...KEYS])
    expect(ended.status).toBe(expected)
    expect(ended.stderr).toContain(`${status} ${code}`)
    expect(ended.stderr.includes('payments-rx doctor')).toBe(status === 401)
  })
})

describe('--progress json ends with "end"', () => {
  const endOf = async (args: ReadonlyArray<string>, options?: RunOptions) => {
    const { status, stderr } = await cli([...args, '--progress', 'json'], options)
    const lines = jsonLines(stderr)
    expect(lines.at(-1)).toMatchObject({ type: 'end', status })
    return { lines, end: lines.at(-1) }
  }

  const sandbox = ['--sandbox', '--rows', '5', '--no-limits']

  it('when it is complete, refused, stopped, or used wrongly', async () => {
    const done = await endOf(['export', 'charges', '--out', file('a.csv'), ...sandbox])
    expect(done.end).toMatchObject({ status: 0, reason: null })
    const plan = await endOf(['sync', 'charges', file('a.sqlite'), ...sandbox, '--dry-run'])
    expect(plan.end).toMatchObject({ status: 0, summary: null })
    const nowhere = await endOf(['export', 'charges', '--out', file('no/a.csv'), ...sandbox])
    expect(nowhere.end).toMatchObject({ status: 2, reason: expect.stringContaining('--out') })
    const unknown = await endOf(['export', 'charges', '--colums', 'id'])
    expect(unknown.end?.reason).toMatch(/^unknown option '--colums'/)
    const keyless = await endOf(['follow', 'charges'])
    expect(keyless.end?.reason).toMatch(/^--base-url or /)
    const stopped = await endOf(['follow', 'charges', ...sandbox], { signals: of('SIGINT') })
    expect(stopped.end?.status).toBe(130)
  })

  it('after the quote of a payment', async () => {
    const { stdout } = await cli(['pay', '--template'])
    await writeFile(file('wages.csv'), stdout)
    const { lines } = await endOf(['pay', file('wages.csv'), '--run', 'run-1', '--sandbox'])
    const quote = lines.find(({ type }) => type === 'quote')
    expect(quote).toMatchObject({ run: 'run-1', items: 1, approval: { max: [expect.anything()] } })
  })
})

it('an export to a terminal needs --out, which may be stdout', async () => {
  const args = ['export', 'charges', '--sandbox', '--rows', '2', '--no-limits']
  const refused = await cli(args, { columns: 100 })
  expect(refused).toMatchObject({ status: 2, stdout: '' })
  expect(refused.stderr).toContain('--out')
  const shown = await cli([...args, '--out', '-'], { columns: 100 })
  expect([shown.status, shown.stdout.split('\n').length]).toEqual([0, 3])
  expect((await cli([...args, '--dry-run'], { columns: 100 })).status).toBe(0)
  expect((await cli(args)).status).toBe(0)
})

it('a follow prints nothing but problems where it is told so', async () => {
  const args = ['follow', 'charges', '--sandbox', '--rows', '5', '--no-limits', '--quiet']
  const { stderr } = await cli(args, { signals: of('SIGTERM') })
  expect(stderr).toBe('')
})
