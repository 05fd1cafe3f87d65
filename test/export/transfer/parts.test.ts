import { describe, expect, it } from 'vitest'
import { type Memory, memory } from './memory.js'
import {
  away,
  csv,
  fileWith,
  good,
  type Item,
  listOf,
  outcome,
  pagesOf,
  run,
  snapshotOf,
} from './playing.js'

const OUT = '/exports/items/'
const inFolder = { out: OUT, ...csv('id') }

/** The files of rows, by their names, each as the ids that are in it. */
const parts = (files: Memory): Readonly<Record<string, ReadonlyArray<string>>> =>
  Object.fromEntries(
    files
      .names()
      .filter((name) => /part-\d+-\w+\.csv$/.test(name))
      .map((name) => [name.slice(OUT.length), files.text(name).split('\r\n').slice(1, -1)]),
  )

const ids = (...ns: ReadonlyArray<number>) => ns.map((n) => `id-${n}`)

const whole = snapshotOf([good(0), good(1), good(2), good(3)], { perSlice: 2 })

describe('a folder', () => {
  it('has a file for each slice that has rows', async () => {
    const files = memory()
    const list = snapshotOf([good(0), good(1), [], [], good(2), []], { perSlice: 2 })
    const last = await outcome(files, list, inFolder)
    expect(parts(files)).toEqual({ 'part-00001-001.csv': ids(0, 1), 'part-00003-001.csv': ids(2) })
    expect(last?.run?.files.map(({ path, rows }) => [path, rows])).toEqual([
      ['part-00001-001.csv', 2],
      ['part-00003-001.csv', 1],
    ])
  })

  it('begins another file when one has enough rows, or enough bytes', async () => {
    const rows = memory()
    await outcome(rows, snapshotOf([good(0, 1, 2, 3, 4)]), { ...inFolder, rotateRows: 2 })
    expect(parts(rows)).toEqual({
      'part-00001-001.csv': ids(0, 1),
      'part-00001-002.csv': ids(2, 3),
      'part-00001-003.csv': ids(4),
    })
    const bytes = memory()
    await outcome(bytes, snapshotOf(pagesOf(3, 1)), { ...inFolder, rotateBytes: 6 })
    expect(Object.keys(parts(bytes))).toHaveLength(3)
  })

  it('ends a file that has more rows than it may have by now', async () => {
    const files = memory()
    const pages = [good(0, 1, 2, 3), good(4, 5, 6)]
    await outcome(files, listOf([...pages.slice(0, 1), away]), { ...inFolder, rotateRows: 10 })
    await outcome(files, listOf(pages), { ...inFolder, rotateRows: 2, resume: true })
    expect(parts(files)).toEqual({
      'part-00000-001.csv': ids(0, 1, 2, 3),
      'part-00000-002.csv': ids(4, 5),
      'part-00000-003.csv': ids(6),
    })
  })

  it('has names that sort as its rows do, however many files there are', async () => {
    const files = memory()
    const many = await outcome(files, snapshotOf(pagesOf(1_002, 501)), {
      ...inFolder,
      rotateRows: 1,
      commitEvery: 1e9,
    })
    const names = many?.run?.files.map(({ path }) => path) ?? []
    expect(names).toHaveLength(1_002)
    expect(names).toEqual([...names].sort())
  })

  it.each([
    ['gone', (files: Memory, path: string) => files.rm(path, { force: true })],
    ['shorter', async (files: Memory, path: string) => files.put(path, 'id')],
  ])('is not ended when a file of it that has ended is %s', async (_, disturb) => {
    const files = memory()
    let disturbed = ''
    const key = ({ n, id }: Item): string => {
      if (n === 3) {
        disturbed = fileWith(files, 'id\r\nid-0')
        disturb(files, disturbed)
      }
      return id
    }
    const error = await run(files, whole, { ...inFolder, key }).catch((error: unknown) => error)
    expect(disturbed).not.toBe('')
    expect(error).toMatchObject({
      _tag: 'FileConflict',
      path: expect.stringContaining('part-00001-001.csv'),
    })
  })
})
