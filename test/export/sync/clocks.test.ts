/** Times from outside that are wrong: the clock of the service for a night, and `updated_at` of a row. */
import { lastValueFrom, toArray } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { readRows, sync } from '../../../src/export/index.js'
import { E } from '../../../src/fp.js'
import { Charge } from '../../../src/index.js'
import { inTurn } from '../../support/inTurn.js'
import { databases, folder, present } from './databases.js'
import { account, DAY } from './nights.js'

const all = databases()
const pathOf = folder()

describe.each(all)('a table of $name', (database) => {
  const { isThere, make, sql } = database
  const test = inTurn(present(all), database, it.skipIf(!isThere))
  const count = async (to: string, where = 'true'): Promise<number> =>
    Number((await sql(to, `select count(*) as n from charges where ${where}`))[0]?.n)

  test.each([30, 1, -1])('misses no row after a night with a clock %d days off', async (days) => {
    let shift = 0
    const { payments, timer, last, pass, charge } = account({ charges: 1 }, async (response) => {
      const headers = new Headers(response.headers)
      headers.set('date', new Date(timer.now() + shift).toUTCString())
      return new Response(response.body, { status: response.status, headers })
    })
    const to = await make()
    const night = () => last(sync(payments.charges, { to, timer, lookback: DAY }))
    await night()
    await pass(10 * DAY)
    await charge('acct_1')
    shift = days * DAY
    await night()
    await charge('acct_2')
    await pass(10 * DAY)
    await charge('acct_3')
    shift = 0
    await night()
    expect(await count(to)).toBe(4)
  })

  test('says that a clock was ahead, and goes on from before', async () => {
    let shift = 30 * DAY
    const { payments, timer, all, pass, charge } = account({ charges: 1 }, async (response) => {
      const headers = new Headers(response.headers)
      headers.set('date', new Date(timer.now() + shift).toUTCString())
      return new Response(response.body, { status: response.status, headers })
    })
    const to = await make()
    const night = () => all(sync(payments.charges, { to, timer, lookback: 0 }))
    await charge('acct_1')
    await night()
    shift = 0
    await pass(DAY)
    const events = await night()
    expect(events).toContainEqual(
      expect.objectContaining({
        right: expect.objectContaining({
          started: expect.objectContaining({
            doubted: expect.stringMatching(/^2026-01-31T/),
            from: expect.stringMatching(/^2026-01-01T00:00:0\d\.000Z$/),
          }),
        }),
      }),
    )
    expect(await count(to)).toBe(2)
  })
})

/** The references of all charges in a destination. */
const places = [
  ...all.map(({ name, isThere, make, sql }) => ({
    ...{ name: `a table of ${name}`, isThere, make },
    references: async (to: string) =>
      (await sql(to, 'select reference from charges')).map(({ reference }) => reference),
  })),
  {
    ...{ name: 'a folder', isThere: true, make: async () => `${pathOf('ahead')}/` },
    references: async (to: string) => {
      const rows = await lastValueFrom(readRows(to, { codec: Charge }).pipe(toArray()))
      return rows.map((row) => (E.isRight(row) ? row.right.reference : row.left.message))
    },
  },
]

it.each(places)('$name replaces a row whose update is of a year to come', async (place) => {
  if (!place.isThere) return
  let row: object = { reference: 'first', updated_at: '2030-01-01T00:00:00+0000' }
  const { payments, timer, last, pass } = account({ charges: 3 }, async (response) => {
    const body: unknown = JSON.parse(await response.text())
    const { items } = Object(body)
    const changed = items?.map((item: object) => ({ ...item, ...row }))
    const { status, headers } = response
    return Response.json(items === undefined ? body : { ...Object(body), items: changed }, {
      status,
      headers: { date: headers.get('date') ?? '' },
    })
  })
  const to = await place.make()
  const options = { to, timer, lookback: 2_000 * DAY }
  await last(sync(payments.charges, options))
  await pass(DAY)
  row = { reference: 'second' }
  await last(sync(payments.charges, options))
  expect(await place.references(to)).toEqual(['second', 'second', 'second'])
})
