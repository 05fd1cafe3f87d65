import { readdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Subject } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { charges, exporting, KEYS } from '../exporting.js'
import { cli, type Signal } from '../support.js'

const { file, serve } = await exporting()

describe('export --dry-run', () => {
  it('says rows, requests, time and ceiling, and writes nothing', async () => {
    const server = await serve({ charges: 1_234 })
    const out = file('charges.ndjson')
    const { status, stdout, stderr } = await charges(server, out, ['--dry-run'])
    expect([status, stderr]).toEqual([0, ''])
    const asked = server.seen.filter(({ route }) => route === 'GET /api/v1/charges').length
    expect(stdout.replace(/about [\d.]+ s/, 'about N s').split('\n')).toEqual([
      `rows      about 1,225 (${asked} requests to count them)`,
      'requests  about 25 of 50 rows each',
      'time      about N s',
      expect.stringMatching(
        /^ceiling {3}1,000 rows\/s, at 20 requests per second; limited by the /,
      ),
      'nothing was written',
      '',
    ])
    expect(asked).toBeLessThan(10)
    expect(await readdir(dirname(out))).toEqual([])
  })

  it('says no number of rows for a list that cannot be counted', async () => {
    const server = await serve({})
    const args = ['export', 'batch-transfers', '--dry-run', '--base-url', server.url, ...KEYS]
    const { status, stdout } = await cli(args)
    expect(status).toBe(0)
    expect(stdout).toBe(
      `${[
        'rows      unknown: the list only says whether there is another page',
        'requests  one per 50 rows',
        'ceiling   1,000 rows/s, at 20 requests per second; limited by the rate limit of this endpoint',
        'nothing was written',
      ].join('\n')}\n`,
    )
    expect(server.seen).toEqual([])
  })

  it('refuses flags as an export does', async () => {
    const server = await serve({})
    const { status, stderr } = await charges(server, file('a.csv'), [
      ...['--dry-run', '--format', 'json'],
    ])
    expect(status).toBe(2)
    expect(stderr).toContain('--format')
    const resumed = await charges(server, file('a.csv'), ['--dry-run', '--resume'])
    expect(resumed.status).toBe(2)
    expect(resumed.stderr).toContain("'--dry-run' cannot be used with option '--resume'")
  })

  it('says why nothing can be counted', async () => {
    const server = await serve({ charges: 10 })
    const wrong = KEYS.map((word, i) => (i === 3 ? 'wrong' : word))
    const args = ['export', 'charges', '--dry-run', '--base-url', server.url, ...wrong]
    const { status, stdout, stderr } = await cli(args)
    expect([status, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(/^http.*\npayments-rx: /)
  })

  it('ends at a signal', async () => {
    const signals = new Subject<Signal>()
    const server = await serve({
      charges: 10,
      fault: () => {
        signals.next('SIGINT')
        return undefined
      },
    })
    const { status, stdout } = await charges(server, file('a.csv'), ['--dry-run'], { signals })
    expect([status, stdout]).toEqual([130, ''])
  })
})
