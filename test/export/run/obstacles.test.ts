/** What is in the way of a run is said, with the field, and nothing is changed. */
import { describe, expect, it } from 'vitest'
import type { CannotRun } from '../../../src/export/index.js'
import { memory } from './memory.js'
import {
  away,
  good,
  listOf,
  numbers,
  OUT,
  outcome,
  type Played,
  pagesOf,
  run,
  runner,
} from './playing.js'

const CHECKPOINT = `${OUT}.checkpoint.json`

/** A disk with an export that stopped after its second page. */
const stopped = async (options: Played = {}) => {
  const files = memory()
  await outcome(files, listOf([good(0, 1), good(2), away]), options)
  return files
}

const rest = [good(0, 1), good(2), good(3)]

const refused = async (
  files: Awaited<ReturnType<typeof stopped>>,
  options: Played = {},
): Promise<CannotRun> => {
  const before = files.names().map((name) => [name, files.text(name)])
  const asked: Array<number> = []
  const error = await run(files, listOf(rest, asked), options).then(
    () => new Error('it ran'),
    (error: unknown) => error,
  )
  expect(error).toMatchObject({ _tag: 'CannotRun' })
  expect(asked).toEqual([])
  expect(files.names().map((name) => [name, files.text(name)])).toEqual(before)
  return error as CannotRun
}

describe('a checkpoint that is there', () => {
  it('is not overwritten unless it is said so', async () => {
    const files = await stopped()
    const { obstacle, path, message } = await refused(files)
    expect({ obstacle, path }).toEqual({ obstacle: 'begun', path: CHECKPOINT })
    expect(message).toBe(`${CHECKPOINT} is of an export that was not finished`)
  })

  it('is gone on with', async () => {
    const files = await stopped()
    const asked: Array<number> = []
    const last = await outcome(files, listOf(rest, asked), { begin: 'resume' })
    expect(asked).toEqual([2])
    expect(numbers(files.text(OUT))).toEqual([0, 1, 2, 3])
    expect(last).toMatchObject({ ended: true, rows: 4, pages: 3 })
    expect(files.names()).toEqual([OUT, `${OUT}.manifest.json`])
  })

  it('is left behind by a restart', async () => {
    const files = await stopped()
    const asked: Array<number> = []
    await outcome(files, listOf(rest, asked), { begin: 'restart' })
    expect(asked).toEqual([0, 1, 2])
    expect(numbers(files.text(OUT))).toEqual([0, 1, 2, 3])
    expect(files.names()).toEqual([OUT, `${OUT}.manifest.json`])
  })

  it('may be kept elsewhere', async () => {
    const files = memory()
    const { targetOf, jsonLines } = await import('../../../src/export/index.js')
    const target = targetOf({ out: OUT, format: jsonLines(), files, checkpoint: '/kept/at.json' })
    await outcome(files, listOf([good(0), away]), { target })
    expect(files.names()).toEqual([OUT, `${OUT}.manifest.json`, '/kept/at.json'])
    expect(JSON.parse(files.text('/kept/at.json')).purpose.output).toBe('../exports/items.ndjson')
  })
})

describe('a checkpoint of something else is refused, by the field', () => {
  const purpose = {
    resource: 'items',
    account: 'me',
    query: {},
    format: { name: 'ndjson', compress: 'none' },
  }

  it.each([
    [{ resource: 'others' }, 'resource', 'its resource is "items", and now it is "others"'],
    [{ account: 'you' }, 'account', 'its account (base URL, client id) is not the one of now'],
    [
      { query: { status: 'NEW' } },
      'query.status',
      'its query.status is not given, and now it is "NEW"',
    ],
    [
      { format: { name: 'csv', compress: 'none' } },
      'format.name',
      'its format.name is "ndjson", and now it is "csv"',
    ],
  ])('%j', async (other, field, why) => {
    const files = await stopped()
    const error = await refused(files, { begin: 'resume', purpose: { ...purpose, ...other } })
    expect(error).toMatchObject({ obstacle: 'foreign', path: CHECKPOINT, field })
    expect(error.message).toBe(`${CHECKPOINT} is of another export: ${why}`)
  })

  it('of another file', async () => {
    const files = await stopped()
    files.put('/exports/other.ndjson.checkpoint.json', files.text(CHECKPOINT))
    const error = await refused(files, { begin: 'resume', out: '/exports/other.ndjson' })
    expect(error).toMatchObject({ obstacle: 'foreign', field: 'output' })
  })
})

describe('a checkpoint that cannot be read is refused', () => {
  it.each([
    ['', 'damaged', '', 'is no checkpoint: it should be JSON'],
    ['{"version":1,"purp', 'damaged', '', 'is no checkpoint: it should be JSON'],
    ['[]', 'damaged', '', 'is no checkpoint: it should be'],
    ['{}', 'damaged', 'version', 'is no checkpoint: version should be 1, and is missing'],
    ['{"version":2}', 'later', 'version', 'is of version 2, and this package knows 1'],
  ])('%j', async (text, obstacle, field, why) => {
    const files = memory()
    files.put(CHECKPOINT, text)
    const error = await refused(files, { begin: 'resume' })
    expect(error.obstacle).toBe(obstacle)
    expect(error.field ?? '').toBe(field)
    expect(error.message).toContain(`${CHECKPOINT} ${why}`)
  })

  it('with the field that is wrong', async () => {
    const files = await stopped()
    const text = files.text(CHECKPOINT)
    for (const [from, to, field] of [
      ['"rows":3,"rejects"', '"rows":"3","rejects"', 'counts.rows'],
      ['"bytes":', '"bites":', 'output'],
      ['"page_num":2', '"page_num":"2"', 'position.page_num'],
    ] as const) {
      expect(text).toContain(from)
      files.put(CHECKPOINT, text.replace(from, to))
      const error = await refused(files, { begin: 'resume' })
      expect(error).toMatchObject({ obstacle: 'damaged', field })
    }
  })

  it('when the file is shorter than it says', async () => {
    const files = await stopped()
    files.put(OUT, files.text(OUT).slice(0, -1))
    const before = files.names().map((name) => [name, files.text(name)])
    const asked: Array<number> = []
    const going = run(files, listOf(rest, asked), { begin: 'resume' })
    await expect(going).rejects.toMatchObject({ _tag: 'NotTheSame', path: OUT })
    expect(asked).toEqual([])
    expect(files.names().map((name) => [name, files.text(name)])).toEqual(before)
  })
})

describe('a lock', () => {
  const LOCK = `${OUT}.lock`

  it('is there while a run is, and no longer', async () => {
    const files = memory()
    const seen: Array<string> = []
    await outcome(files, listOf(pagesOf(3, 1)), {
      key: ({ id }) => {
        seen.push(files.text(LOCK))
        return id
      },
    })
    expect([...new Set(seen)].map((text) => JSON.parse(text))).toEqual([
      { pid: 1, host: 'here', since: 1_000 },
    ])
    expect(files.names()).toEqual([OUT, `${OUT}.manifest.json`])
  })

  it.each([
    ['a living process', { pid: 7, host: 'here', since: 1 }, runner(1, [7])],
    ['a process of another machine', { pid: 7, host: 'there', since: 1 }, runner(1)],
    ['this process, which runs another export', { pid: 1, host: 'here', since: 1_000 }, runner(1)],
  ])('of %s is respected', async (_, other, self) => {
    const files = memory()
    files.put(LOCK, JSON.stringify(other))
    const error = await refused(files, { runner: self })
    expect(error).toMatchObject({ obstacle: 'locked', path: LOCK })
    expect(error.message).toContain(`process ${other.pid} on ${other.host} is writing there`)
  })

  it('that nobody can read is respected', async () => {
    const files = memory()
    files.put(LOCK, 'mine')
    expect((await refused(files)).message).toContain('remove it if there is none')
  })

  it.each([
    ['a process that is no more', { pid: 7, host: 'here', since: 1 }],
    ['an earlier process with the number of this one', { pid: 1, host: 'here', since: 1 }],
  ])('of %s is taken over, and that is said', async (_, dead) => {
    const files = memory()
    files.put(LOCK, JSON.stringify(dead))
    const [first] = await run(files, listOf(rest))
    expect(first?.begun).toEqual({ resumed: false, dead })
    expect(files.names()).toEqual([OUT, `${OUT}.manifest.json`])
  })

  it('of a dead process goes to one of those who want it', async () => {
    const files = memory()
    files.put(LOCK, JSON.stringify({ pid: 7, host: 'here', since: 1 }))
    const alive = [1, 2, 3, 4]
    const all = await Promise.allSettled(
      alive.map((pid) => outcome(files, listOf(rest), { runner: runner(pid, alive) })),
    )
    expect(all.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThanOrEqual(1)
    for (const one of all) {
      if (one.status === 'rejected') expect(one.reason).toMatchObject({ obstacle: 'locked' })
    }
    expect(numbers(files.text(OUT))).toEqual([0, 1, 2, 3])
  })

  it('is given back when a run fails', async () => {
    const files = await stopped()
    expect(files.names()).not.toContain(LOCK)
    await refused(files)
    expect(files.names()).not.toContain(LOCK)
  })
})
