/** A clock that was set back, or never set: nothing is lost to it, and it is said. */
import { readdir, readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { idleTime } from '../support/idleClock.js'
import type { Judge } from '../support/judge.js'
import { exporting, charges as exportOf } from './exporting.js'

const { file, serve } = await exporting()

const charges = (server: Judge, out: string, more: ReadonlyArray<string>, time?: string) =>
  exportOf(server, out, more, time === undefined ? {} : { timer: idleTime(Date.parse(time)).timer })

/** All that is below the folder of the test, by its text. */
const disk = async () => {
  const names = (await readdir(file('.'), { recursive: true })).filter((name) =>
    /\.\w+$/.test(name),
  )
  return Promise.all(names.sort().map(async (name) => [name, await readFile(file(name), 'utf8')]))
}

const DEAD = '1970-01-02T00:00:00Z'
const FROM = ['--from', '2024-01-01T00:00:00Z']
const BEHIND = / s behind the service's clock, which snapshots use/

describe('a clock that was never set', () => {
  it.each(['c.ndjson', 'c/'])('loses no row of %s, and is told of', async (name) => {
    const server = await serve({ charges: 20 })
    expect((await charges(server, file(name), FROM)).status).toBe(0)
    const { status, stderr } = await charges(server, file(name), [...FROM, '--restart'], DEAD)
    expect(stderr).toMatch(BEHIND)
    expect(stderr).toContain('complete: 20 rows')
    expect(status).toBe(0)
  })
})

describe('an export that begins later than now, by the clock of the service', () => {
  const LATER = ['--from', '2099-01-01T00:00:00Z', '--restart']

  it.each(['c.ndjson', 'c/'])('is refused, and leaves %s as it is', async (name) => {
    const server = await serve({ charges: 20 })
    expect((await charges(server, file(name), FROM)).status).toBe(0)
    const before = await disk()
    const now = '2100-01-01T00:00:00Z'
    const { status, stdout, stderr } = await charges(server, file(name), LATER, now)
    expect(stderr).toMatch(
      /from_created_at should be no later than now \(\S+ by the clock of the service\)/,
    )
    expect([status, stdout]).toEqual([2, ''])
    expect(await disk()).toEqual(before)
  })
})

it('dates a run by the clock of the service, whatever the clock here says', async () => {
  const server = await serve({ charges: 20 })
  const { status } = await charges(server, file('c/'), FROM, '2100-01-01T00:00:00Z')
  expect(status).toBe(0)
  const { run } = JSON.parse(await readFile(file('c/_manifest.json'), 'utf8'))
  expect(run.started).not.toMatch(/^2(099|100)/)
})

describe('times before now', () => {
  const NOON = '2024-01-10T12:00:00Z'

  it.each([
    ['yesterday', 'yesterday', /^2024-01-09T00:00:00\+0000$/, /^2024-01-09T23:59:59\+0000$/],
    ['yesterday', 'today', /^2024-01-09T00:00:00\+0000$/, /^2024-01-10T23:59:59\+0000$/],
    ['7d', '24h', /^2024-01-03T1[2-4]:\d\d:\d\d\+0000$/, /^2024-01-09T1[2-4]:\d\d:\d\d\+0000$/],
  ])('--from %s --to %s', async (from, to, first, last) => {
    const server = await serve({ charges: 20 })
    const out = file('c.ndjson')
    const { status } = await charges(server, out, ['--from', from, '--to', to], NOON)
    expect(status).toBe(0)
    const { run } = JSON.parse(await readFile(file('c.ndjson.manifest.json'), 'utf8'))
    expect(run.spec.query).toMatchObject({
      from_created_at: expect.stringMatching(first),
      to_created_at: expect.stringMatching(last),
    })
  })
})
