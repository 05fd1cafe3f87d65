/** Rows change with the text of the store or not at all, however two owners take turns. */
import fc from 'fast-check'
import { asyncScheduler } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { Charge } from '../../../src/codec/Charge.js'
import { shapeOf } from '../../../src/export/column/Shape.js'
import { readPostgresUrl } from '../../../src/export/location/postgresUrl.js'
import { postgresDestination } from '../../../src/export/sql/postgres.js'
import { sqliteDestination } from '../../../src/export/sql/sqlite.js'
import { tableShape } from '../../../src/export/sql/TableColumn.js'
import type { Destination } from '../../../src/export/transfer/Destination.js'
import { Waits } from '../../../src/store/Waits.js'
import { runs } from '../../support/runs.js'
import { databases } from './databases.js'

const shape = tableShape(shapeOf(Charge), { minorUnits: false })

const open = (name: string, to: string): Promise<Destination<object>> => {
  const waits = new Waits(name, asyncScheduler, () => {})
  const options = { table: 'charges', shape, replaces: false, waits }
  return name === 'SQLite'
    ? sqliteDestination<object>({ ...options, path: to, pause: async () => {} })
    : postgresDestination<object>({ ...options, at: readPostgresUrl(to, 'to') })
}

const turn = fc.record({
  owner: fc.nat(1),
  does: fc.constantFrom('read', 'write', 'write', 'write', 'remove'),
  /** Which row it writes, and in which version. */
  id: fc.nat(3),
  updated: fc.nat(3),
})

const rowOf = (id: number, updated: number, reference: string) => ({
  id: `chg_${id}`,
  amount: 1,
  currency: 'EUR',
  reference,
  status: 'NEW',
  created_at: '2026-01-01T00:00:00+0000',
  updated_at: `2026-01-0${updated + 1}T00:00:00+0000`,
})

describe.each([...databases()])('$name', ({ name, isThere, make, sql }) => {
  it.skipIf(!isThere)('is a store with a fence', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(turn, { minLength: 6, maxLength: 15 }), async (turns) => {
        const to = await make()
        const owners = [await open(name, to), await open(name, to)]
        // the model: the text, its version as a number, and the rows
        let text: string | undefined
        let count = 0
        const rows = new Map<string, string>()
        const known: Array<{ version: string | undefined; count: number }> = [
          { version: undefined, count: 0 },
          { version: undefined, count: 0 },
        ]
        for (const [n, { owner, does, id, updated }] of turns.entries()) {
          const target = owners[owner]
          const own = known[owner]
          if (target === undefined || own === undefined) continue
          const isCurrent = text === undefined ? own.version === undefined : own.count === count
          if (does === 'read') {
            const found = await target.store?.read('checkpoint')
            expect(found?.text).toBe(text)
            known[owner] = { version: found?.version, count }
          } else if (does === 'write') {
            const reference = `turn ${n}`
            const rowsOf = [rowOf(id, updated, reference)]
            await target.write(rowsOf, { number: 0, isLast: false })
            const step = await target.commit('pace')
            const version = await step?.store?.replace('checkpoint', reference, own.version)
            expect(version !== undefined).toBe(isCurrent)
            if (version === undefined) continue
            text = reference
            known[owner] = { version, count: ++count }
            rows.set(`chg_${id}`, reference) // whatever its time of change
          } else if (own.version !== undefined) {
            const isRemoved = await target.store?.remove('checkpoint', own.version)
            expect(isRemoved).toBe(isCurrent && text !== undefined)
            if (!isRemoved) continue
            text = undefined
            count++
            known[owner] = { version: undefined, count }
          }
        }
        const found = await sql(to, 'select id, reference from charges order by id')
        expect(found).toEqual([...rows].sort().map(([id, reference]) => ({ id, reference })))
        for (const owner of owners) await owner.store?.close?.()
      }),
      { numRuns: runs(name === 'SQLite' ? 50 : 10) },
    )
  })
})
