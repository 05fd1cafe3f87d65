/** An export into a folder: which rows are in which of its files, and what is in the way of going on with them. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { FileSystem } from '../../../src/export/index.js'
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
  refused,
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

/** A folder of an export that was cut short in its second slice. */
const cutShort = async () => {
  const files = memory()
  const list = snapshotOf([good(0), good(1), good(2), away], { perSlice: 2 })
  await outcome(files, list, inFolder)
  return files
}

const whole = snapshotOf([good(0), good(1), good(2), good(3)], { perSlice: 2 })

describe('a folder', () => {
  it('has a file for each slice that has rows', async () => {
    const files = memory()
    const list = snapshotOf([good(0), good(1), [], [], good(2), []], { perSlice: 2 })
    const last = await outcome(files, list, inFolder)
    expect(parts(files)).toEqual({
      'part-00001-001.csv': ids(0, 1),
      'part-00003-001.csv': ids(2),
    })
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

  it('loses what a run that died had begun, and nothing else, when it is gone on with', async () => {
    const files = await cutShort()
    const left = `${OUT}part-00009-001.csv.0123456789ab.part`
    const mine = [`${left}.note`, `${OUT}notes.csv`, `${OUT}part-1.csv`]
    for (const name of [left, ...mine]) files.put(name, 'x')
    await outcome(files, whole, { ...inFolder, resume: true })
    expect(files.names()).not.toContain(left)
    for (const name of mine) expect(files.text(name)).toBe('x')
  })

  it.each([
    ['ended', 'id-0'],
    ['open', 'id-2'],
  ])('is not gone on with when a file that is %s is another, longer, or gone', async (_, row) => {
    const files = await cutShort()
    const path = fileWith(files, `id\r\n${row}`)
    const text = files.text(path)
    const isRefused = async () =>
      expect(await refused(files, { ...inFolder, resume: true }, whole)).toMatchObject({
        _tag: 'ChecksumMismatch',
        path,
      })
    files.put(path, text.replace(row, 'id-9'))
    await isRefused()
    if (row === 'id-0') {
      files.put(path, `${text}x`)
      await isRefused()
    }
    await files.rm(path, { force: true })
    await isRefused()
    files.put(path, text)
    expect(await outcome(files, whole, { ...inFolder, resume: true })).toMatchObject({ rows: 4 })
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

  it('says where the disk was full, lets go of all, and goes on when there is room', async () => {
    const pages = pagesOf(40, 4)
    const list = () => snapshotOf(pages, { perSlice: 3 })
    const all = memory()
    await outcome(all, list(), inFolder)
    let open = 0
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 500, max: 2_500 }), async (room) => {
        const files = memory({ room })
        const counted: FileSystem['open'] = async (path, flags, mode) => {
          const handle = await files.open(path, flags, mode)
          open++
          let isOpen = true
          const close = async () => {
            if (isOpen) open--
            isOpen = false
            await handle.close()
          }
          return { ...handle, close }
        }
        const error = await run({ ...files, open: counted }, list(), inFolder).catch(
          (error: unknown) => error,
        )
        expect(open).toBe(0)
        expect(error).toMatchObject({ code: 'ENOSPC', path: expect.stringContaining(OUT) })
        const next = files.after('kill')
        await outcome(next, list(), { ...inFolder, resume: true }).catch(() =>
          outcome(next, list(), { ...inFolder, restart: true }),
        )
        expect(parts(next)).toEqual(parts(all))
      }),
      { numRuns: 10 },
    )
  })
})
