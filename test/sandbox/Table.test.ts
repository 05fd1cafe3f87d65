import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { O } from '../../src/fp.js'
import { append, at, find, table, toArray } from '../../src/sandbox/Table.js'

it('is never changed by what grows from it', () => {
  const appends = fc.array(fc.tuple(fc.nat(), fc.string()), { maxLength: 30 })
  fc.assert(
    fc.property(appends, (steps) => {
      // each step appends to any of the tables that were made before
      const tables = [table<string>((row) => row)]
      const models: Array<ReadonlyArray<string>> = [[]]
      for (const [n, row] of steps) {
        const from = tables[n % tables.length]
        const model = models[n % models.length]
        if (from === undefined || model === undefined) continue
        tables.push(append(row)(from))
        models.push([...model, row])
      }
      tables.forEach((each, n) => {
        const model = models[n] ?? []
        expect(toArray(each)).toEqual(model)
        expect(at(model.length)(each)).toEqual(O.none)
        for (const [, row] of steps) {
          expect(O.isSome(find(row)(each))).toBe(model.includes(row))
        }
      })
    }),
  )
})
