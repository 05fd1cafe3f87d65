/** The first line of a command that reads: where it reads, and for whom. */
import { describe, expect, it } from 'vitest'
import { sandboxCredentials, sandboxPartner } from '../../src/sandbox/index.js'
import { exporting } from './exporting.js'
import { cli } from './support.js'

const { file, serve } = await exporting()

/** Refused at the login, which is after the line. */
const wrong = (url: string, id = 'abcdefgh') => [
  ...['--base-url', url, '--client-id', id, '--api-key', 'SECRET-KEY', '--on-behalf-of', 'acct_9'],
]

const COMMANDS = [
  ['export', 'charges', '--out', 'a.csv'],
  ['export', 'charges', '--dry-run'],
  ['sync', 'charges', 'a.sqlite'],
  ['sync', 'charges', 'a.sqlite', '--dry-run'],
  ['sync', 'all', 'a.sqlite'],
  ['sync', 'all', 'a.sqlite', '--dry-run'],
  ['follow', 'charges', 'a.sqlite'],
  ['follow', 'charges', '--dry-run'],
].map((words) => [words] as const)

const placed = (word: string): string => (word.includes('.') ? file(word) : word)

describe('the line of the account', () => {
  it.each(COMMANDS)('is the first of %j, once, without secrets', async (words) => {
    const { url } = await serve({ charges: 10 })
    const { status, stderr, stdout } = await cli([...words.map(placed), ...wrong(url)])
    expect(status).toBe(2)
    const line = `${url}, production, client id ...efgh, account acct_9\n`
    expect(stderr.startsWith(line)).toBe(true)
    expect(stderr.split(line)).toHaveLength(2)
    expect(`${stderr}${stdout}`).not.toMatch(/abcdefgh|SECRET-KEY/)
  })

  it.each(COMMANDS)('is left out of %j with --quiet', async (words) => {
    const { url } = await serve({ charges: 10 })
    const { stderr } = await cli([...words.map(placed), ...wrong(url), '--quiet'])
    expect(stderr).not.toContain('client id ...')
  })

  it('is JSON with --progress json, and left out with none', async () => {
    const { url } = await serve({ charges: 10 })
    const args = ['export', 'charges', '--out', file('a.csv'), ...wrong(url)]
    const [first = ''] = (await cli([...args, '--progress', 'json'])).stderr.split('\n')
    const message = `${url}, production, client id ...efgh, account acct_9`
    expect(JSON.parse(first)).toEqual({ type: 'message', message })
    expect((await cli([...args, '--progress', 'none'])).stderr).toMatch(/^payments-rx: .*\n$/)
  })

  it('is one for each account of sync all', async () => {
    const { url } = await serve({ charges: 10 })
    const { clientId, clientSecret } = sandboxPartner
    const keys = ['--client-id', sandboxCredentials.clientId, '--api-key', 'wrong']
    const partner = ['--partner-id', clientId, '--partner-secret', clientSecret]
    const args = ['sync', 'all', file('a.sqlite'), '--base-url', url, ...keys, ...partner]
    const lines = (await cli([...args, '--dry-run'])).stderr.split('\n')
    const told = lines.filter((line) => line.startsWith(`${url}, production, client id ...`))
    expect(told).toEqual(lines.slice(0, 2))
  })
})
