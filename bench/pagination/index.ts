/**
 * A list of 100 pages of 100 rows that are there at once, read to the end: what paging costs beside the requests.
 * `npm run bench -- pagination [--json]`.
 */
import { Effect, Option, Stream } from 'effect'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { paginate } from 'payments-rx/stream'
import { EMPTY, expand, from, lastValueFrom, map, reduce, tap } from 'rxjs'
import { runMicro } from '../micro.ts'

const PAGES = 100
const SIZE = 100

interface Row {
  readonly id: string
}

interface Answer {
  readonly items: ReadonlyArray<Row>
  readonly next: number | undefined
}

const items: ReadonlyArray<Row> = Array.from({ length: SIZE }, (_, i) => ({ id: `row ${i}` }))

/** Answers at once, with a Promise as a client does. */
const request = async (page: number): Promise<Answer> => ({
  items,
  next: page + 1 < PAGES ? page + 1 : undefined,
})

const whole = (rows: number): number => {
  if (rows !== PAGES * SIZE) throw new Error(`${rows} rows`)
  return rows
}

const add = (sum: number, rows: number): number => sum + rows

async function* loop(): AsyncGenerator<ReadonlyArray<Row>> {
  let page: number | undefined = 0
  while (page !== undefined) {
    const answer: Answer = await request(page)
    yield answer.items
    page = answer.next
  }
}

const list = paginate<string, Row, number>({
  first: 0,
  fetch: (position) =>
    from(request(position)).pipe(
      map(({ items, next }) =>
        E.right({ items: items.map(E.right), raw: items, position, next: O.fromNullable(next) }),
      ),
    ),
  key: String,
  cut: ({ _tag }) => _tag,
  maxPages: Number.POSITIVE_INFINITY,
  maxEmptyPages: 1,
})

const sizeOf = E.match(
  () => 0,
  ({ items }: { readonly items: ReadonlyArray<unknown> }) => items.length,
)

await runMicro([
  {
    subject: '100 pages of 100 rows',
    items: PAGES,
    of: 'a page',
    contenders: [
      {
        name: 'async generator',
        role: 'floor',
        run: async () => {
          let rows = 0
          for await (const page of loop()) rows += page.length
          return whole(rows)
        },
      },
      {
        name: 'payments-rx, pages',
        role: 'ours',
        run: async () => whole(await lastValueFrom(list.pages.pipe(map(sizeOf), reduce(add, 0)))),
      },
      {
        name: 'payments-rx, for await of pages',
        role: 'ours',
        run: async () => {
          let rows = 0
          for await (const page of list.pages) rows += sizeOf(page)
          return whole(rows)
        },
      },
      {
        name: 'payments-rx, rows',
        role: 'ours',
        run: async () => whole(await lastValueFrom(list.pipe(reduce((rows) => rows + 1, 0)))),
      },
      {
        name: 'rxjs, expand',
        role: 'peer',
        run: async () => {
          let rows = 0
          const pages = from(request(0)).pipe(
            expand(({ next }) => (next === undefined ? EMPTY : request(next))),
            tap(({ items }) => {
              rows += items.length
            }),
          )
          await lastValueFrom(pages)
          return whole(rows)
        },
      },
      {
        name: 'effect, rows',
        role: 'peer',
        run: async () => {
          const rows = Stream.paginate(0, (page: number) =>
            Effect.promise(async () => {
              const { items, next } = await request(page)
              return [items, Option.fromUndefinedOr(next)] as const
            }),
          )
          return whole(
            await Effect.runPromise(
              Stream.runFold(
                rows,
                () => 0,
                (count) => count + 1,
              ),
            ),
          )
        },
      },
    ],
  },
])
