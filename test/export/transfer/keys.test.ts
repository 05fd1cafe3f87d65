/** A row that came before is known, however far back, also by a run that goes on after another. */

import { expect, it } from 'vitest'
import type { ExportSource, FileSystem } from '../../../src/export/index.js'
import { E } from '../../../src/fp.js'
import { type Memory, memory } from './memory.js'
import {
  away,
  good,
  type Item,
  item,
  listOf,
  numbers,
  OUT,
  outcome,
  pagesOf,
  type Row,
  unfinished,
} from './playing.js'

const upTo = (count: number, from = 0) => Array.from({ length: count }, (_, i) => from + i)

/** So many rows, and then the list fails. */
const begun = async (files: Memory, count: number) =>
  outcome(files, listOf([...pagesOf(count, 100), away]))

it('a list that moved by more rows than a page, or ten, shows no row twice', async () => {
  const files = memory()
  await begun(files, 4_000)
  // page 40 begins with row 1,500 now
  const moved = [...pagesOf(2_500, 100).map(() => []), ...pagesOf(6_000, 100)]
  const last = await outcome(files, listOf(moved), { resume: true })
  expect(last).toMatchObject({ ended: true, rows: 6_000, repeated: 2_500 })
  expect(last?.run).toMatchObject({ complete: true, distinct: 6_000, repeated: 2_500 })
  expect(numbers(files.text(OUT))).toEqual(upTo(6_000))
})

it('keys are read whole, however few bytes of them come at a time', async () => {
  const files = memory()
  const names = ['id-1', 'Müller €', '😀', 'id-2']
  const key = ({ n }: { readonly n: number }) => names[n]
  await outcome(files, listOf([...pagesOf(4, 2), away]), { key })
  const open: FileSystem['open'] = async (path, flags, mode) => {
    const handle = await files.open(path, flags, mode)
    return { ...handle, read: (bytes, offset, _, at) => handle.read(bytes, offset, 1, at) }
  }
  const again = listOf([[], [], good(0, 1, 2, 3)])
  const last = await outcome({ ...files, open }, again, { key, resume: true })
  expect(last).toMatchObject({ ended: true, rows: 4, repeated: 4 })
})

it('a list that goes round adds nothing, however often it is resumed', async () => {
  const files = memory()
  await begun(files, 1_200)
  const size = files.text(unfinished(files)).length
  for (let i = 1; i <= 3; i++) {
    const round = [...Array.from({ length: 12 * i }, () => []), ...pagesOf(1_200, 100), away]
    const last = await outcome(files, listOf(round), { resume: true })
    expect(last).toMatchObject({ rows: 1_200, repeated: 1_200 * i, failure: away })
    expect(files.text(unfinished(files)).length).toBe(size)
  }
})

it('a restart leaves none of those before', async () => {
  const files = memory()
  await begun(files, 3)
  await outcome(files, listOf([good(7), away]), { restart: true })
  const last = await outcome(files, listOf([[], good(0, 1)]), { resume: true })
  expect(last).toMatchObject({ rows: 3, ended: true })
  expect(last).not.toHaveProperty('repeated')
})

it('ids of rows that were put aside are not counted', async () => {
  const files = memory()
  const spoilt: Row = E.left(away)
  const last = await outcome(files, listOf([[...good(0, 0, 1), spoilt]]))
  expect(last?.run).toMatchObject({ rows: 2, distinct: 2, repeated: 1, rejects: 1 })
})

/** A list whose second page has a row of the first again, put aside each time. */
const again = (): ExportSource<Item> => {
  const spoilt: Row = E.left(away)
  const list = listOf([[spoilt], [spoilt], good(1)])
  const drain: typeof list.drain = (project, options) =>
    list.drain(
      (page) => project(E.isLeft(page) ? page : E.right({ ...page.right, raw: [item(7)] })),
      options,
    )
  return { ...list, drain }
}

it('a row that was put aside and comes again is put aside once', async () => {
  const last = await outcome(memory(), again())
  expect(last).toMatchObject({ rows: 1, rejects: 1, repeated: 1 })
})

it('where a key is given, ids of rows that were put aside tell nothing', async () => {
  const last = await outcome(memory(), again(), { key: ({ n }) => String(n) })
  expect(last).toMatchObject({ rows: 1, rejects: 2 })
})
