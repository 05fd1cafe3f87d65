/** Lists and runs that tests play with. */
import * as t from 'io-ts'
import { defer, lastValueFrom, of, toArray } from 'rxjs'
import { expect } from 'vitest'
import { jsonLines } from '../../../src/export/format/jsonLines.js'
import {
  CannotRun,
  type Format,
  formatOf,
  fromList,
  type Runner,
  type RunOptions,
  type RunProgress,
  runExport,
  targetOf,
} from '../../../src/export/index.js'
import { E, O } from '../../../src/fp.js'
import type { AnyFailure, Page, Paged, Position } from '../../../src/index.js'
import { paginate } from '../../../src/stream/index.js'
import type { Memory } from './memory.js'

export interface Item {
  readonly id: string
  readonly n: number
}

export type Row = E.Either<AnyFailure, Item>

export const item = (n: number): Item => ({ id: `id-${n}`, n })
export const good = (...ns: ReadonlyArray<number>): ReadonlyArray<Row> =>
  ns.map((n) => E.right(item(n)))

export const away: AnyFailure = {
  _tag: 'Unreachable',
  endpoint: 'GET /api/v1/things',
  attempts: 1,
  code: 'ECONNREFUSED',
  mayHaveArrived: false,
  message: 'GET /api/v1/things: away',
}

/** So many rows in pages of `size`. */
export const pagesOf = (count: number, size: number): ReadonlyArray<ReadonlyArray<Row>> =>
  Array.from({ length: Math.max(1, Math.ceil(count / size)) }, (_, page) =>
    good(...Array.from({ length: Math.min(size, count - page * size) }, (_, i) => page * size + i)),
  )

/** A list by number, whose pages may fail; tells what was asked. */
export const listOf = (
  pages: ReadonlyArray<ReadonlyArray<Row> | AnyFailure>,
  asked: Array<number> = [],
) => {
  const listFrom = (first: Position): Paged<AnyFailure, Item, Position> =>
    paginate<AnyFailure, Item, Position>({
      first,
      fetch: (position) =>
        defer(() => {
          const n = 'page_num' in position ? position.page_num : 0
          asked.push(n)
          const rows = pages[n] ?? []
          if ('_tag' in rows) return of(E.left(rows))
          const next = n + 1 < pages.length ? O.some({ page_num: n + 1 }) : O.none
          return of(E.right({ items: rows, raw: rows.map(rawOf), position, next }))
        }),
      key: JSON.stringify,
      cut: (cut) => (cut._tag === 'Failed' ? cut.failure : away),
      maxPages: 1_000,
      maxEmptyPages: 3,
    })
  return fromList<Item>(Object.assign(listFrom({ page_num: 0 }), { from: listFrom }))
}

const rawOf = (row: Row): unknown => (E.isRight(row) ? row.right : { broken: true })

/** A name that says no format: rows are written to it in many. */
export const OUT = '/exports/items'

export const runner = (pid: number, alive: ReadonlyArray<number> = []): Runner => ({
  pid,
  host: 'here',
  since: pid * 1_000,
  isAlive: (other) => alive.includes(other),
})

type Options = Partial<RunOptions<Item, Position, Page<AnyFailure, Item, Position>>>

export interface Played extends Options {
  readonly out?: string
  readonly format?: Format<Item>
}

const Item = t.type({ id: t.string, n: t.number })

/** These columns of items; numbers that are not exact do not fit. */
export const csv = (...columns: ReadonlyArray<string>): Format<Item> => {
  const format = formatOf(Item)({ format: 'csv', columns })
  if (E.isLeft(format)) throw new Error(format.left.message)
  return format.right
}

/** An export of items to a disk in memory, committed after every page. */
export const exportOf = (
  files: Memory,
  source: ReturnType<typeof listOf>,
  { out = OUT, format = jsonLines(), ...more }: Played = {},
) =>
  runExport({
    source,
    target: targetOf<Item>({ out, format, files }),
    purpose: { resource: 'items', account: 'me', query: {} },
    files,
    every: 0,
    runner: runner(1),
    ...more,
  })

/** All that it says. */
export const run = (
  files: Memory,
  source: ReturnType<typeof listOf>,
  options: Played = {},
): Promise<ReadonlyArray<RunProgress>> =>
  lastValueFrom(exportOf(files, source, options).pipe(toArray()))

/** The last thing that it says. */
export const outcome = async (
  files: Memory,
  source: ReturnType<typeof listOf>,
  options: Played = {},
): Promise<RunProgress | undefined> => (await run(files, source, options)).at(-1)

/** The numbers of the items in a file of lines; throws at a torn line. */
export const numbers = (text: string): ReadonlyArray<number> =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line).n)

/** What a run that was stopped after its second page would read. */
export const rest = [good(0, 1), good(2), good(3)]

/** Why it is not run: nothing is asked for, and nothing changed. */
export const refused = async (files: Memory, options: Played = {}): Promise<CannotRun> => {
  const before = files.names().map((name) => [name, files.text(name)])
  const asked: Array<number> = []
  const error = await run(files, listOf(rest, asked), options).then(
    () => new Error('it ran'),
    (error: unknown) => error,
  )
  expect(asked).toEqual([])
  expect(files.names().map((name) => [name, files.text(name)])).toEqual(before)
  if (error instanceof CannotRun) return error
  throw error
}
