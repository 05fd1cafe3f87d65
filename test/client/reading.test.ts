import { describe, expect, it } from 'vitest'
import { digitsOf } from '../../src/decode/index.js'
import { E, O } from '../../src/fp.js'
import { wasRecovered } from '../../src/index.js'
import { CHARGE, CREATE, LIST, lab, NEW_CHARGE } from '../support/lab.js'

const page = (...items: ReadonlyArray<unknown>) => ({ body: { has_more: false, items } })

describe('drift', () => {
  const play = () =>
    page(
      { ...CHARGE, status: 'ARCHIVED', colour: 'red' },
      { ...CHARGE, status: 'ARCHIVED', colour: 'blue' },
      CHARGE,
    )

  it('is reported once for each fact, and counted', () => {
    const { client, events, run } = lab({ play, drift: true })
    const out = run(client.charges.list())
    expect(out.map(({ value }) => value._tag)).toEqual(['Right', 'Right', 'Right'])
    const facts = events.flatMap((event) => (event._tag === 'Drifted' ? [event.fact] : []))
    expect(facts.map(({ path, kind }) => [path, kind])).toEqual(
      expect.arrayContaining([
        ['status', 'unknown value'],
        ['colour', 'unknown field'],
      ]),
    )
    expect(facts).toHaveLength(2)
    expect(client.drift()).toEqual(
      expect.arrayContaining([
        { endpoint: LIST, path: 'status', kind: 'unknown value', example: 'ARCHIVED', count: 2 },
        expect.objectContaining({ endpoint: LIST, path: 'colour', count: 2 }),
      ]),
    )
  })

  it('is off unless it is asked for', () => {
    const { client, events, run } = lab({ play })
    run(client.charges.list())
    expect(events.some(({ _tag }) => _tag === 'Drifted')).toBe(false)
    expect(client.drift()).toEqual([])
  })

  it('is shared by a client and what `with` makes of it', () => {
    const { client, run } = lab({ play, drift: true })
    run(client.with({ apiVersion: '2026-08-21' }).charges.list())
    expect(client.drift()).toHaveLength(2)
  })
})

describe('exact numbers', () => {
  const text = JSON.stringify(CHARGE).replace('"amount":9.99', '"amount":12345678901234567.50')
  const raw = (body: string) => ({ body })

  it('keep the digits of an amount as they came, of one value and of rows', () => {
    const { client, run } = lab({
      numbers: 'exact',
      play: ({ route }) => raw(route === LIST ? `{"has_more":false,"items":[${text}]}` : text),
    })
    for (const source of [client.charges.retrieve({ id: 'chg_1' }), client.charges.list()]) {
      const [out] = run<E.Either<unknown, { readonly amount: number }>>(source)
      const digits =
        out !== undefined && E.isRight(out.value) ? digitsOf('amount')(out.value.right) : O.none
      expect(digits).toEqual(O.some('12345678901234567.50'))
    }
  })

  it('are kept of what was recovered', () => {
    const { client, run } = lab({
      numbers: 'exact',
      retry: { faults: 0 },
      play: ({ route }) =>
        route === CREATE ? { status: 500 } : raw(`{"has_more":false,"items":[${text}]}`),
    })
    const [out] = run(
      client.charges.create({
        ...NEW_CHARGE,
        amount: '12345678901234567.50',
        request_id: CHARGE.request_id,
      }),
    )
    const made = out !== undefined && E.isRight(out.value) ? out.value.right : undefined
    expect(wasRecovered(made)).toBe(true)
    expect(made && digitsOf('amount')(made)).toEqual(O.some('12345678901234567.50'))
  })

  it('are kept where a number may be rounded, without being asked for', () => {
    const { client, run } = lab({ play: () => raw(text) })
    const [out] = run(client.charges.retrieve({ id: 'chg_1' }))
    const made = out !== undefined && E.isRight(out.value) ? out.value.right : undefined
    expect(made && digitsOf('amount')(made)).toEqual(O.some('12345678901234567.50'))
    expect(made && digitsOf('fee')(made)).toEqual(O.none)
  })
})
