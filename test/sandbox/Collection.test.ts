import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { O } from '../../src/fp.js'
import {
  add,
  all,
  type Collection,
  collection,
  get,
  isTaken,
  type Numbered,
  next,
  put,
  remove,
  walk,
} from '../../src/sandbox/Collection.js'
import { ids, type Kind } from '../../src/sandbox/ids.js'
import { firstOf } from '../../src/sandbox/Walk.js'

interface Row extends Numbered {
  readonly value: number
}

const step = fc.record({
  /** Which of the registers made so far to change. */
  from: fc.nat(),
  what: fc.constantFrom('add', 'add', 'put', 'remove'),
  which: fc.nat(),
  value: fc.nat(),
})

const rowOf = (n: number, value = 0): Row => ({ n, request_id: `r${n}`, value })

/** With so many from the start. */
const registerOf = (count: number): Collection<Row> =>
  collection({
    count,
    row: rowOf,
    isTaken: (requestId) => Number(requestId.slice(1)) < count,
  })

it('is never changed by what is made of it', () => {
  const count = fc.constantFrom(0, 1, 5, 128, 300)
  fc.assert(
    fc.property(count, fc.array(step, { maxLength: 40 }), (there, steps) => {
      const made: Array<Collection<Row>> = [registerOf(there)]
      const models: Array<ReadonlyArray<Row | undefined>> = [
        Array.from({ length: there }, (_, n) => rowOf(n)),
      ]
      for (const { from, what, which, value } of steps) {
        const before = made[from % made.length] ?? collection<Row>()
        const model = models[from % models.length] ?? []
        const n = what === 'add' ? next(before) : which % Math.max(1, model.length)
        const row = rowOf(n, value)
        if (what === 'add') {
          made.push(add(row)(before))
          models.push([...model, row])
        } else if (model.length > 0) {
          made.push(what === 'put' ? put(row)(before) : remove(n)(before))
          models.push(model.with(n, what === 'put' ? row : undefined))
        }
      }
      made.forEach((each, k) => {
        const model = models[k] ?? []
        const left = model.filter((row) => row !== undefined)
        expect(all(each)).toEqual(left)
        expect([...walk(each)(model.length, -1)]).toEqual(left.toReversed())
        model.forEach((row, n) => {
          expect(get(n)(each)).toEqual(O.fromNullable(row))
          expect(isTaken(`r${n}`)(each)).toBe(true)
        })
        expect(get(model.length)(each)).toEqual(O.none)
        expect(isTaken(`r${model.length}`)(each)).toBe(false)
      })
    }),
  )
})

it('holds thousands, each within reach', () => {
  let rows = collection<Row>()
  for (let n = 0; n < 3_000; n++) rows = add({ n, request_id: `r${n}`, value: 0 })(rows)
  for (let n = 0; n < 3_000; n += 7) rows = put({ n, request_id: `r${n}`, value: 1 })(rows)
  expect(all(rows).map(({ value }) => value)).toEqual(
    Array.from({ length: 3_000 }, (_, n) => (n % 7 === 0 ? 1 : 0)),
  )
})

it('makes what was there from the start when it is asked for, and only that', () => {
  const asked: Array<number> = []
  const row = (n: number): Row => {
    asked.push(n)
    return rowOf(n)
  }
  const rows = collection({ count: 1_000_000, row, isTaken: () => false })
  const changed = put(rowOf(999_999, 1))(remove(5)(rows))
  expect(firstOf(2, walk(changed)(4, 1))).toEqual({ rows: [rowOf(4), rowOf(6)], isMore: true })
  expect(asked).toEqual([4, 6, 7])
  expect(firstOf(1, walk(changed)(1_000_000, -1)).rows).toEqual([rowOf(999_999, 1)])
})

it('an identifier holds its number', () => {
  const kind = fc.constantFrom<Kind>('batch', 'webhook', 'partner webhook')
  fc.assert(
    fc.property(kind, fc.integer(), fc.nat(2 ** 31), (of, seed, n) => {
      const { id, number } = ids(of, seed)
      expect(number(id(n))).toEqual(O.some(n))
      expect(number(`x${id(n)}`)).toEqual(O.none)
      expect(number(id(n).toUpperCase())).toEqual(O.none)
    }),
  )
})
