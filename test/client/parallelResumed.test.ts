/** A list that was cut short, from where it was. */
import { map } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { E, O } from '../../src/fp.js'
import type { Failure, Truncated } from '../../src/index.js'
import { CHARGE, lab, type Play, problem } from '../support/lab.js'

const cutOf = (all: ReadonlyArray<E.Either<Failure, unknown>>): Truncated => {
  const last = all.at(-1)
  if (last !== undefined && E.isLeft(last) && last.left._tag === 'Truncated') return last.left
  throw new Error('the list was not cut short')
}

type Item = E.Either<Failure, { readonly id: string }>
type Page = { readonly items: ReadonlyArray<Item> }

const name = E.match(
  ({ message }: Failure) => message,
  ({ id }: { readonly id: string }) => id,
)

const id = map(E.map(({ id }: { readonly id: string }) => id))

/** Sixty charges, 10 a page, of which page 3 fails until it is whole. */
const numbered =
  (isWhole: () => boolean): Play =>
  ({ query }) => {
    const num = Number(query.get('page_num'))
    if (num === 3 && !isWhole()) return problem(403, 'forbidden')
    const items = Array.from({ length: 10 }, (_, i) => ({ ...CHARGE, id: `chg_${num * 10 + i}` }))
    return { body: { has_more: num < 5, items } }
  }

describe('a truncated list', () => {
  it.each([1, 4])('resumes at its position without missing or repeated rows: %i', (count) => {
    let whole = false
    const { client, calls, run } = lab({ play: numbered(() => whole) })
    const filter = { status: 'NEW', page_size: 10 } as const
    const first = run(client.charges.list(filter).parallel(count).pipe(id)).map(
      ({ value }) => value,
    )
    const failure = cutOf(first)
    expect(failure.position).toEqual({ page_num: 3 })
    whole = true
    const before = calls().length
    const rest = run(
      client.charges
        .list({ ...filter, ...failure.position })
        .parallel(count)
        .pipe(id),
    ).map(({ value }) => value)
    expect([...first.slice(0, -1), ...rest]).toEqual(
      Array.from({ length: 60 }, (_, n) => E.right(`chg_${n}`)),
    )
    expect(Object.fromEntries(calls()[before]?.query ?? [])).toEqual({
      status: 'NEW',
      page_size: '10',
      page_num: '3',
    })
  })

  it.each([true, false])(
    'goes on after any of its pages, and no row is missing (ordered: %s)',
    (ordered) => {
      const play: Play = (departure, nth) => ({
        ...numbered(() => true)(departure, nth),
        ms: departure.query.get('page_num') === '1' ? 100 : 10,
      })
      const { client, run } = lab({ play })
      const list = client.charges.list({ page_size: 10 }).parallel(4, { ordered })
      const idsOf = (pages: ReadonlyArray<Page>) => pages.flatMap(({ items }) => items.map(name))
      const pages = run(list.pages).flatMap(({ value }) => (E.isRight(value) ? [value.right] : []))
      if (!ordered) expect(pages[1]?.position).not.toEqual({ page_num: 1 })
      for (const [i, { next }] of pages.entries()) {
        const before = idsOf(pages.slice(0, i + 1))
        const rest = O.isSome(next)
          ? run(list.from(next.value)).map(({ value }) => name(value))
          : []
        const all = new Set([...before, ...rest])
        expect(all.size).toBe(60)
        if (ordered) expect(before.length + rest.length).toBe(60)
      }
    },
  )

  it('resumes at its bookmark', () => {
    let whole = false
    const { client, calls, run } = lab({
      play: ({ query }) => {
        const mark = query.get('page')
        if (mark === 'B' && !whole) return problem(403, 'forbidden')
        const after: Readonly<Record<string, string>> = { A: 'B', B: 'C' }
        return { body: { items: [], page_after: mark === null ? 'A' : (after[mark] ?? null) } }
      },
    })
    const filter = { page_size: 5 }
    const failure = cutOf(run(client.batchTransfers.list(filter).pages).map(({ value }) => value))
    expect(failure.position).toEqual({ page: 'B' })
    whole = true
    run(client.batchTransfers.list({ ...filter, ...failure.position }))
    expect(calls().map(({ query }) => query.get('page'))).toEqual([null, 'A', 'B', 'B', 'C'])
  })
})
