import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { O } from '../../src/fp.js'
import { ids, type Kind } from '../../src/sandbox/ids.js'
import {
  add,
  all,
  get,
  isTaken,
  type Numbered,
  next,
  put,
  type Register,
  register,
  remove,
} from '../../src/sandbox/Register.js'

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

it('is never changed by what is made of it', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const made: Array<Register<Row>> = [register<Row>()]
      const models: Array<ReadonlyArray<Row | undefined>> = [[]]
      for (const { from, what, which, value } of steps) {
        const before = made[from % made.length] ?? register<Row>()
        const model = models[from % models.length] ?? []
        const n = what === 'add' ? next(before) : which % Math.max(1, model.length)
        const row = { n, request_id: `r${n}`, value }
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
        expect(all(each)).toEqual(model.filter((row) => row !== undefined))
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
  let rows = register<Row>()
  for (let n = 0; n < 3_000; n++) rows = add({ n, request_id: `r${n}`, value: 0 })(rows)
  for (let n = 0; n < 3_000; n += 7) rows = put({ n, request_id: `r${n}`, value: 1 })(rows)
  expect(all(rows).map(({ value }) => value)).toEqual(
    Array.from({ length: 3_000 }, (_, n) => (n % 7 === 0 ? 1 : 0)),
  )
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
