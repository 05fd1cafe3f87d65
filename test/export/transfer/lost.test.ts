/** A bookmark that the service does not know any more: the list is read again, and nothing comes twice. */
import { defer, of } from 'rxjs'
import { expect, it } from 'vitest'
import { E, O } from '../../../src/fp.js'
import type { AnyFailure, Page, Position } from '../../../src/index.js'
import { paginate } from '../../../src/stream/index.js'
import { type Memory, memory } from './memory.js'
import {
  away,
  good,
  type Item,
  listOf,
  numbers,
  OUT,
  outcome,
  type Row,
  run,
  sourceOf,
} from './playing.js'

const refusal = (status: number): AnyFailure => ({
  _tag: 'Refused',
  endpoint: 'GET /api/v1/things',
  attempts: 1,
  status,
  code: 'invalid_argument',
  message: `GET /api/v1/things: ${status} invalid_argument`,
})

const idOf = (row: Row): unknown =>
  E.isRight(row)
    ? row.right
    : { id: row.left.message === 'nameless' ? null : `bad-${row.left.message}`, n: null }

/** A list by bookmarks, each good for one `life` only. */
const marked = (
  pages: ReadonlyArray<ReadonlyArray<Row> | AnyFailure>,
  life: string,
  failure = refusal(400),
) => {
  const fetch = (position: Position) => {
    const [born, n] = 'page' in position && position.page ? position.page.split(' ') : [life, '0']
    const rows = pages[Number(n)] ?? []
    if (born !== life) return of(E.left(failure))
    if ('_tag' in rows) return of(E.left(rows))
    const page = `${life} ${Number(n) + 1}`
    const next = Number(n) + 1 < pages.length ? O.some({ page }) : O.none
    const read: Page<AnyFailure, Item, Position> = {
      ...{ items: rows, raw: rows.map(idOf), position, next },
    }
    return of(E.right(read))
  }
  const from = (first: Position) =>
    paginate<AnyFailure, Item, Position>({
      first,
      fetch: (position) => defer(() => fetch(position)),
      key: JSON.stringify,
      cut: (cut) => (cut._tag === 'Failed' ? cut.failure : away),
      maxPages: 100,
      maxEmptyPages: 3,
    })
  return sourceOf({ ...from({}), from })
}

const spoilt = (n: number): Row => E.left({ ...away, message: String(n) })

const entryIn = (files: Memory) => JSON.parse(files.text(`${OUT}.manifest.json`)).run

it.each([400, 404, 410])('after a %i each row is there once', async (status) => {
  const files = memory()
  await outcome(files, marked([good(0, 1), good(2, 3), away], 'monday'))
  const list = marked([good(0, 1), good(2, 3), good(4, 5)], 'tuesday', refusal(status))
  const told = await run(files, list, { resume: true })
  expect(told.map(({ reread }) => reread?.message)).toEqual([
    ...[undefined, refusal(status).message],
    ...[undefined, undefined, undefined, undefined],
  ])
  expect(told[1]).toMatchObject({ rows: 4, pages: 2, ended: false })
  expect(numbers(files.text(OUT))).toEqual([0, 1, 2, 3, 4, 5])
  expect(entryIn(files)).toMatchObject({
    ...{ complete: true, rows: 6, repeated: 4, distinct: 6, rejects: 0, starts: 2 },
  })
})

it('rejected rows are put aside once', async () => {
  const files = memory()
  await outcome(files, marked([[spoilt(7), ...good(0)], [spoilt(8)], away], 'monday'))
  const list = marked([[spoilt(7), ...good(0)], [spoilt(8)], [spoilt(9), ...good(1)]], 'tuesday')
  const last = await outcome(files, list, { resume: true, maxRejects: 3 })
  expect(last).toMatchObject({ ended: true, rows: 2, rejects: 3, repeated: 3 })
  const lines = files.text(`${OUT}.rejects.ndjson`).trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line).row.id)).toEqual(['bad-7', 'bad-8', 'bad-9'])
  expect(entryIn(files)).toMatchObject({ rejects: 3, rejected: { rows: 3 } })
})

it.each<readonly [string, ReadonlyArray<Row>, object]>([
  ['a row has no key', good(0), { key: () => undefined }],
  ['a rejected row has no id', [...good(0), E.left({ ...away, message: 'nameless' })], {}],
  ['rejected rows are told apart by another key', [...good(0), spoilt(7)], { key: String }],
])('it is not read again where %s: it would be there twice', async (_, rows, options) => {
  const files = memory()
  await outcome(files, marked([rows, away], 'monday'), options)
  const told = await run(files, marked([rows, good(1)], 'tuesday'), { resume: true, ...options })
  expect(told.at(-1)).toMatchObject({ rows: 1, failure: refusal(400) })
  expect(told.some(({ reread }) => reread !== undefined)).toBe(false)
  expect(told.at(-1)?.run).toMatchObject({ complete: false, rows: 1 })
})

it('a refusal without a code of the service says nothing of the bookmark', async () => {
  const files = memory()
  const torn = { ...refusal(404), code: 'http_404' }
  await outcome(files, marked([good(0), away], 'monday'))
  const last = await outcome(files, marked([good(0)], 'tuesday', torn), { resume: true })
  expect(last).toMatchObject({ rows: 1, failure: torn })
})

it('a place by its number is not lost: what refuses it refuses the page', async () => {
  const files = memory()
  await outcome(files, listOf([good(0), away]))
  const told = await run(files, listOf([good(0), refusal(400)]), { resume: true })
  expect(told.at(-1)).toMatchObject({ rows: 1, failure: refusal(400) })
  expect(told.some(({ reread }) => reread !== undefined)).toBe(false)
})

it('it is read again as often as that happens', async () => {
  const files = memory()
  await outcome(files, marked([good(0), away], 'monday'))
  await outcome(files, marked([good(0), good(1), away], 'tuesday'), { resume: true })
  const last = await outcome(files, marked([good(0), good(1), good(2)], 'wednesday'), {
    resume: true,
  })
  expect(last).toMatchObject({ ended: true, rows: 3, repeated: 3 })
  expect(numbers(files.text(OUT))).toEqual([0, 1, 2])
})

it('a beginning that is refused as well ends it, and all stays', async () => {
  const files = memory()
  await outcome(files, marked([good(0), away], 'monday'))
  const told = await run(files, marked([refusal(400)], 'tuesday'), { resume: true })
  expect(told.at(-1)).toMatchObject({ rows: 1, failure: refusal(400) })
  const list = marked([good(0), good(1)], 'monday')
  const last = await outcome(files, list, { resume: true })
  expect(last).toMatchObject({ ended: true, rows: 2 })
  expect(last).not.toHaveProperty('repeated')
})

it.each([
  ['a refusal for another reason', refusal(403)],
  ['a failure', away],
])('%s ends it where it stood', async (_, failure) => {
  const files = memory()
  await outcome(files, marked([good(0), away], 'monday'))
  const told = await run(files, marked([good(0)], 'tuesday', failure), { resume: true })
  expect(told.at(-1)).toMatchObject({ rows: 1, failure })
  expect(told.some(({ reread }) => reread !== undefined)).toBe(false)
})
