/** A clock that was set back, or never set: nothing is lost to it, and it is said. */
import { readdir, readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import type { Judge } from '../support/judge.js'
import { hasty } from '../support/timers.js'
import { exporting, charges as exportOf } from './exporting.js'
import { rowsOf } from './support.js'

const { file, serve } = await exporting()

/** A clock that stands at another time when it is first looked at. */
const clockAt = (time: string) => {
  const { now, schedule } = hasty()
  const off = Date.parse(time) - now()
  return { now: () => now() + off, schedule }
}

const charges = (server: Judge, out: string, more: ReadonlyArray<string>, time?: string) =>
  exportOf(server, out, more, time === undefined ? {} : { timer: clockAt(time) })

/** All that is below the folder of the test, by its text. */
const disk = async () => {
  const names = (await readdir(file('.'), { recursive: true })).filter((name) =>
    /\.\w+$/.test(name),
  )
  return Promise.all(names.sort().map(async (name) => [name, await readFile(file(name), 'utf8')]))
}

const DEAD = '1970-01-02T00:00:00Z'
const FROM = ['--from', '2024-01-01T00:00:00Z']

describe('what begins later than now', () => {
  it.each(['c.ndjson', 'c/'])('is refused, and nobody is asked: %s', async (name) => {
    const server = await serve({ charges: 20 })
    expect((await charges(server, file(name), FROM)).status).toBe(0)
    const before = await disk()
    const asked = server.seen.length
    const { status, stdout, stderr } = await charges(
      server,
      file(name),
      [...FROM, '--restart'],
      DEAD,
    )
    expect(stderr).toContain('from_created_at should be no later than now, 1970-01-02T00:')
    expect([status, stdout]).toEqual([2, ''])
    expect(await disk()).toEqual(before)
    expect(server.seen).toHaveLength(asked)
  })

  it('is refused where there is nothing to resume, too, and on stdout', async () => {
    const server = await serve({ charges: 20 })
    for (const [out, ...more] of [[file('c.csv'), '--resume'], ['-']] as const) {
      const { status, stdout, stderr } = await charges(server, out, [...FROM, ...more], DEAD)
      expect([status, stdout]).toEqual([2, ''])
      expect(stderr).toContain('from_created_at should be no later than now')
    }
    expect(server.seen).toEqual([])
  })

  it('is asked for where it says when it ends', async () => {
    const server = await serve({ charges: 20 })
    const to = ['--to', '2024-03-01T00:00:00Z']
    const { status } = await charges(server, file('c.ndjson'), [...FROM, ...to], DEAD)
    expect(status).toBe(0)
    expect(await rowsOf(file('c.ndjson'))).toHaveLength(20)
  })

  it('is gone on with where it was begun by a clock that was right', async () => {
    let fails = true
    const server = await serve({
      charges: 200,
      fault: ({ route, nth }) =>
        fails && route === 'GET /api/v1/charges' && nth > 2
          ? { status: 400, body: { code: 'invalid_argument' } }
          : undefined,
    })
    const args = [...FROM, '--parallel', '1']
    expect((await charges(server, file('c.ndjson'), args)).status).toBe(1)
    fails = false
    const { status } = await charges(server, file('c.ndjson'), [...args, '--resume'], DEAD)
    expect(status).toBe(0)
    expect(await rowsOf(file('c.ndjson'))).toHaveLength(200)
  })
})

describe('a run that goes on later than now', () => {
  const since = ['--since-last', '--lookback', '1h']

  it('is refused, and the next one goes on where the last one ended', async () => {
    const server = await serve({ charges: 20 })
    await charges(server, file('c/'), ['--since-last'], '2024-03-01T12:00:00Z')
    const before = await disk()
    const { status, stderr } = await charges(server, file('c/'), since, '2024-03-01T10:00:00Z')
    expect(stderr).toContain('from_created_at should be no later than now, 2024-03-01T10:')
    expect(status).toBe(2)
    expect(await disk()).toEqual(before)

    const next = await charges(server, file('c/'), since, '2024-03-01T13:00:00Z')
    expect(next.status).toBe(0)
    expect(next.stderr).toContain('1 hour before the start of the last complete run')
  })
})
