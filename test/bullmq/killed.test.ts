/** Worker processes that are killed and frozen while they export slices: the commands as they are installed. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasRedis } from '../../bench/services/redis.js'
import { seeded } from '../../bench/simulated/random.js'
import { sandboxCredentials } from '../../src/sandbox/index.js'
import { builtCommand } from '../support/built.js'
import { runs } from '../support/runs.js'
import { expectNoSecret, secrets } from '../support/secrets.js'
import { sliceRun } from '../support/sliceRun.js'

let home = ''
let main = ''
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'payments-rx-slices-'))
  main = await builtCommand()
})
afterAll(() => rmSync(home, { recursive: true }))

describe.skipIf(!hasRedis)('an export in slices, by a real Redis', () => {
  it('has each row once, with workers that are killed and frozen', {
    timeout: 180_000,
  }, async () => {
    const games = runs(1)
    const rows = 3_000 * games
    const outcome = await sliceRun({
      cli: main,
      out: join(home, 'charges/'),
      rows,
      slices: 4,
      workers: 2,
      kills: 2 * games,
      freezes: games,
      apart: 16,
      pageSize: 50,
      latency: 20,
      lease: '2s',
      password: secrets.clientSecret,
      random: seeded(5),
    })
    expect(outcome).toMatchObject({ status: 0, rows, distinct: rows })
    expect(outcome).toMatchObject({ kills: 2 * games, freezes: games })
    expect(outcome).toMatchObject({ runs: 4, complete: 4, verified: 0 })
    expect(outcome.stderr).toContain(`complete: ${rows.toLocaleString('en')} rows in`)

    const { stderr, said, kept } = outcome
    const folder = join(home, 'charges')
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    const files = names
      .map((name) => join(folder, name))
      .filter((path) => statSync(path).isFile())
      .map((path) => readFileSync(path, 'utf8'))
    for (const text of [stderr, ...said, kept, ...files]) {
      expectNoSecret(text)
      expect(text).not.toContain(sandboxCredentials.apiKey)
    }
    expect(kept).toContain('part-00001-001.ndjson')
  })
})
