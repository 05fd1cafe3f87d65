import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { Collection, type CollectionItem } from '../../src/sandbox/Collection.js'
import {
  idOf,
  numberOf,
  numberOfRequestId,
  type ResourceKind,
  requestIdOf,
} from '../../src/sandbox/data/ids.js'

interface Row extends CollectionItem {
  readonly value: number
}

const rowOf = (n: number, value = 0): Row => ({ n, request_id: `r${n}`, value })

/** A collection with generated rows. */
const collectionOf = (count: number): Collection<Row> =>
  new Collection({
    count,
    at: (n) => rowOf(n),
    hasRequestId: (requestId) => Number(requestId.slice(1)) < count,
  })

it('holds what was added, replaced and not deleted, in order of creation', () => {
  const step = fc.record({
    change: fc.constantFrom('add', 'add', 'replace', 'delete'),
    which: fc.nat(),
    value: fc.nat(),
  })
  fc.assert(
    fc.property(fc.nat(20), fc.array(step, { maxLength: 40 }), (generated, steps) => {
      const rows = collectionOf(generated)
      const model: Array<Row | undefined> = Array.from({ length: generated }, (_, n) => rowOf(n))
      for (const { change, which, value } of steps) {
        const n = change === 'add' ? rows.next : which % Math.max(1, model.length)
        if (change === 'add') {
          rows.add(rowOf(n, value))
          model.push(rowOf(n, value))
        } else if (model.length > 0) {
          if (change === 'replace') rows.replace(rowOf(n, value))
          else rows.delete(n)
          model[n] = change === 'replace' ? rowOf(n, value) : undefined
        }
      }
      const left = model.filter((row) => row !== undefined)
      expect([...rows.walk(0, 1)]).toEqual(left)
      expect([...rows.walk(model.length, -1)]).toEqual(left.toReversed())
      model.forEach((row, n) => {
        expect(rows.get(n)).toEqual(row)
        expect(rows.hasRequestId(`r${n}`)).toBe(true) // also that of a deleted row
      })
      expect(rows.get(model.length)).toBeUndefined()
      expect(rows.hasRequestId(`r${model.length}`)).toBe(false)
    }),
  )
})

it('generates only the rows that are asked for', () => {
  const asked: Array<number> = []
  const rows = new Collection<Row>({
    count: 1_000_000,
    at: (n) => {
      asked.push(n)
      return rowOf(n)
    },
    hasRequestId: () => false,
  })
  rows.delete(5)
  rows.replace(rowOf(999_999, 1))
  const first = (walk: Iterable<Row>, count: number) => {
    const found: Array<Row> = []
    for (const row of walk) if (found.push(row) === count) break
    return found
  }
  expect(first(rows.walk(4, 1), 2)).toEqual([rowOf(4), rowOf(6)])
  expect(asked).toEqual([4, 6])
  expect(first(rows.walk(1_000_000, -1), 1)).toEqual([rowOf(999_999, 1)])
})

it('an identifier encodes the number of its resource', () => {
  const kinds = fc.constantFrom<ResourceKind>('charge', 'batch', 'webhook', 'partner webhook')
  fc.assert(
    fc.property(kinds, fc.integer(), fc.nat(2 ** 31), (kind, seed, n) => {
      const id = idOf(kind, seed, n)
      expect(numberOf(kind, seed, id)).toBe(n)
      expect(numberOf(kind, seed, `x${id}`)).toBeUndefined()
      expect(numberOf(kind, seed, id.toUpperCase())).toBeUndefined()
      expect(numberOfRequestId(seed, requestIdOf(seed, n))).toBe(n)
      expect(numberOfRequestId(seed, requestIdOf(seed, n).slice(0, -1))).toBeUndefined()
    }),
  )
})
