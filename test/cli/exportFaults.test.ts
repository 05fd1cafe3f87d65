/** Exports under faults of the service and of the disk, and beside another run. */
import { mkdirSync, rmSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Seen } from '../support/judge.js'
import { upTo } from '../support/numbers.js'
import { breaking, charges, exporting, idsOf } from './exporting.js'
import { cli, rowsOf } from './support.js'

const { file, serve } = await exporting()

describe('an export whose first page never comes', () => {
  it.each(['c.ndjson', 'c/'])('says that %s is unchanged', async (name) => {
    const before = await serve({ charges: 30 })
    const out = file(name)
    await charges(before, out)
    const there = await readdir(dirname(out), { recursive: true })
    const { fault } = breaking(1, { status: 503 })
    const server = await serve({ charges: 9, fault })
    const { status, stderr } = await charges(server, out, ['--restart', '--patience', '0'])
    expect(status).toBe(1)
    expect(stderr).toMatch(/^incomplete: nothing was read, \S+ is unchanged, .* 0 refused, /)
    expect(await readdir(dirname(out), { recursive: true })).toEqual(there)
    expect((await cli(['verify', out])).status).toBe(0)
  })

  it.each([400, 403, 404])('ends with status 2 at a %i, which no waiting mends', async (code) => {
    const { fault } = breaking(1, { status: code })
    const server = await serve({ charges: 9, fault })
    const { status, stderr } = await charges(server, file('c.ndjson'))
    expect(status).toBe(2)
    expect(stderr.trimEnd().split('\n').at(-1)).toMatch(
      new RegExp(`^payments-rx: .*${code} (?!.*--resume)`),
    )
    expect(await readdir(dirname(file('c')))).toEqual([])
  })

  it('ends with status 2 for a batch that does not exist', async () => {
    const { status, stderr } = await cli(['export', 'batch-items', '--sandbox', '--batch', 'none'])
    expect([status, stderr]).toEqual([2, expect.stringMatching(/^http.*\npayments-rx: .*404.*\n$/)])
  })

  it('ends with status 1 after a refusal that comes later than rows', async () => {
    const { fault } = breaking(6, { status: 403 })
    const server = await serve({ charges: 700, fault })
    const first = await charges(server, file('c.ndjson'))
    expect(first.status).toBe(1)
    expect(first.stderr).toContain('rerun the same command with --resume to continue')
  })

  it('says how much is there, when it was resumed', async () => {
    const { fault } = breaking(6)
    const server = await serve({ charges: 700, fault })
    await charges(server, file('c.ndjson'))
    const { stderr } = await charges(server, file('c.ndjson'), ['--resume'])
    expect(stderr).toMatch(/^incomplete: [1-9]\d* rows in /m)
  })
})

describe('faults', () => {
  const isPage = ({ route }: Seen): boolean => route === 'GET /api/v1/charges'

  it('are waited for while the service is down for a minute', async () => {
    let away = 0
    const server = await serve({
      charges: 300,
      fault: (seen) => (isPage(seen) && seen.nth > 2 && away++ < 14 ? 'reset' : undefined),
    })
    const out = file('c.ndjson')
    const { status, stderr } = await charges(server, out, ['--parallel', '1'])
    expect(stderr).toMatch(/retrying in (1[6-9]|20)\.\d s: /) // 1 + 2 + 4 + 8 + 16 + 16 + 16 s, of two at a time
    expect(status).toBe(0)
    expect(idsOf(await rowsOf(out))).toEqual(upTo(300))
  })

  it('are waited for no longer than patience lasts', async () => {
    const server = await serve({ charges: 300, fault: breaking(3, 'reset').fault })
    const { status, stderr } = await charges(server, file('c.ndjson'), ['--patience', '5s'])
    expect((stderr.match(/waiting/g) ?? []).length).toBeLessThanOrEqual(1) // of a run of like retries, one line
    expect(stderr).toContain('rerun the same command with --resume to continue')
    expect(status).toBe(1)
  })

  it('such as a full disk leave what was committed, and that is what is counted', async () => {
    const out = file('c.ndjson')
    const server = await serve({
      charges: 300,
      fault: (seen) => {
        if (isPage(seen) && seen.nth === 4) {
          rmSync(`${out}.checkpoint.json`)
          mkdirSync(`${out}.checkpoint.json`) // which no file can replace
        }
        return undefined
      },
    })
    const asShown = ['--parallel', '1', '--progress', 'json']
    const { status, stderr } = await charges(server, out, asShown)
    const last = JSON.parse(stderr.trim().split('\n').at(-1) ?? '')
    expect(last.rows).toBeLessThan(300)
    expect(last).toMatchObject({
      type: 'end',
      summary: expect.stringContaining(`incomplete: ${last.rows} rows`),
      reason: expect.stringContaining('is not a regular file'),
    })
    expect(last.rowsPerSecond).toBeGreaterThanOrEqual(0)
    expect(status).toBe(2)
  })
})
