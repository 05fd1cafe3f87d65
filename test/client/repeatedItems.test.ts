import { from } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { E } from '../../src/fp.js'
import { type NewBatchItem, wasRecovered } from '../../src/index.js'
import { BATCH, item } from '../support/batch.js'
import { type Lab, lab, problem, RESET } from '../support/lab.js'

describe('items that the platform has already', () => {
  const taken = { status: 400, body: { code: 'request_id_in_batch_duplicate', message: 'taken' } }
  const there = (...ns: ReadonlyArray<number>) => ({
    body: {
      items: ns.map((n) => ({
        id: `itm_${n}`,
        request_id: `item-${n}`,
        status: 'VALIDATED',
        updated_at: '2024-05-06T07:08:09+0000',
      })),
      page_after: null,
    },
  })

  /** A batch that holds these items, and refuses them when they come again. */
  const holding = (...ns: ReadonlyArray<number>): Lab =>
    lab({
      play: ({ route, body }) => {
        if (route.endsWith('/items')) return there(...ns)
        const sent = (body.items ?? []) as ReadonlyArray<NewBatchItem>
        const again = sent.some(({ request_id }) => ns.some((n) => request_id === `item-${n}`))
        return again ? taken : { body: BATCH }
      },
    })

  const add = ({ client }: Lab, ...ns: ReadonlyArray<number>) =>
    client.batchTransfers.addItems({ id: 'bat_1', items: ns.map(item) })

  it('count as added; the others are sent, with their own request_ids', () => {
    const wire = holding(0, 1)
    const out = wire.run(add(wire, 0, 1, 2))
    expect(out.map(({ value }) => value._tag)).toEqual(['Right'])
    const last = wire.calls().at(-1)?.body.items as ReadonlyArray<NewBatchItem>
    expect(last.map(({ request_id }) => request_id)).toEqual(['item-2'])
  })

  it('are not those that carry no request_id, on either side', () => {
    const nameless = { ...item(1), request_id: undefined }
    const wire = lab({
      check: false,
      play: ({ route, body }) => {
        if (route.endsWith('/items')) return { body: { items: [item(0), nameless] } }
        const sent = (body.items ?? []) as ReadonlyArray<NewBatchItem>
        return sent.some(({ request_id }) => request_id === 'item-0') ? taken : { body: BATCH }
      },
    })
    const items = [item(0), nameless] as ReadonlyArray<unknown> as Array<NewBatchItem>
    wire.run(wire.client.batchTransfers.addItems({ id: 'bat_1', items }))
    expect(wire.calls().at(-1)?.body.items).toMatchObject([{ reference: item(1).reference }])
  })

  it('count as added in a stream of items, too', () => {
    const wire = holding(0, 1)
    const items = from([0, 1, 2].map(item))
    const out = wire.run(items.pipe(wire.client.batchTransfers.addAllItems({ id: 'bat_1' })))
    expect(out.map(({ value }) => value)).toEqual([{ first: 0, count: 3, outcome: E.right(BATCH) }])
    const last = wire.calls().at(-1)?.body.items as ReadonlyArray<NewBatchItem>
    expect(last.map(({ request_id }) => request_id)).toEqual(['item-2'])
  })

  it('are a recovered batch when there are no others', () => {
    const wire = holding(0, 1)
    const [out] = wire.run(add(wire, 0, 1))
    expect(out && E.isRight(out.value) && wasRecovered(out.value.right)).toBe(true)
    expect(wire.calls().map(({ route }) => route.split(' ')[0])).toEqual(['POST', 'GET', 'GET'])
  })

  it('are a recovered batch when it is their own first attempt that was not answered', () => {
    let sent = 0
    const wire = lab({
      play: ({ route }) => {
        if (route.endsWith('/items')) return there(0, 1)
        if (route.endsWith('/add_items')) return sent++ === 0 ? { outage: RESET } : taken
        return { body: BATCH }
      },
    })
    const [out] = wire.run(add(wire, 0, 1))
    expect(out && E.isRight(out.value) && wasRecovered(out.value.right)).toBe(true)
  })

  it.each([
    ['a refusal', taken],
    ['no answer to the first attempt', { outage: RESET }],
  ])('are not told as refused when only their batch cannot be read, after %s', (_, first) => {
    let sent = 0
    const wire = lab({
      play: ({ route }) => {
        if (route.endsWith('/items')) return there(0, 1)
        if (route.endsWith('/add_items')) return sent++ === 0 ? first : taken
        return problem(403, 'forbidden')
      },
    })
    const [out] = wire.run(add(wire, 0, 1))
    expect(out?.value).toMatchObject(
      E.left({
        _tag: 'Ambiguous',
        endpoint: 'POST /api/v1/batch_transfers/{id}/add_items',
        attempts: sent,
        tried: expect.arrayContaining([
          expect.stringMatching(/^all items are in the list of the batch/),
        ]),
        cause: { _tag: 'Refused', status: 403 },
        message: expect.stringMatching(
          /all items are in the list of the batch.*could not be read: GET/,
        ),
      }),
    )
  })

  it('are told of when the others are refused: the call is half done', () => {
    let sent = 0
    const wire = lab({
      play: ({ route }) => {
        if (route.endsWith('/items')) return there(0)
        return sent++ === 0 ? taken : problem(400, 'invalid_argument')
      },
    })
    expect(wire.run(add(wire, 0, 1))[0]?.value).toMatchObject(
      E.left({
        _tag: 'Ambiguous',
        cause: { _tag: 'Refused', code: 'invalid_argument' },
        tried: [
          'sent 2 times',
          expect.stringMatching(
            /^looked up.*: 1 of 2 items found; the others were not added: .*invalid_argument/,
          ),
        ],
      }),
    )
  })

  it('are looked up again when the answer to the others is lost', () => {
    const held = new Set(['item-0'])
    const wire = lab({
      play: ({ route, body, request }) => {
        if (route.endsWith('/items')) return there(...[...held].map((id) => Number(id.slice(5))))
        if (request.method === 'GET') return { body: BATCH }
        const ids = ((body.items ?? []) as ReadonlyArray<NewBatchItem>).map(
          ({ request_id }) => request_id,
        )
        if (ids.some((id) => held.has(id))) return taken
        for (const id of ids) held.add(id)
        return { outage: RESET }
      },
    })
    const [out] = wire.run(add(wire, 0, 1, 2))
    expect(out?.value).toMatchObject(E.right(BATCH))
    expect(out && E.isRight(out.value) && wasRecovered(out.value.right)).toBe(true)
  })

  it('are sent no third time when none of those that are refused is there', () => {
    const wire = lab({ play: ({ route }) => (route.endsWith('/items') ? there(0) : taken) })
    expect(wire.run(add(wire, 0, 1, 2))[0]?.value).toMatchObject(
      E.left({
        _tag: 'Ambiguous',
        cause: { _tag: 'Refused', code: 'request_id_in_batch_duplicate' },
        message: expect.stringMatching(/: 1 of 3 items found \(5 look-ups\)$/),
      }),
    )
    expect(wire.calls().filter(({ request }) => request.method === 'POST')).toHaveLength(2)
  })

  it('are seen behind one that cannot be read, and that one as well', () => {
    const odd = (body: { readonly items: ReadonlyArray<object> }) => ({
      items: body.items.map((row, i) => (i === 1 ? { ...row, status: 5 } : row)),
      page_after: null,
    })
    let sent = 0
    const wire = lab({
      play: ({ route }) => {
        if (route.endsWith('/items')) return { body: odd(there(1, 2, 3).body) }
        return sent++ === 0 ? taken : { body: BATCH }
      },
    })
    expect(wire.run(add(wire, 1, 2, 3, 4))[0]?.value).toMatchObject(E.right(BATCH))
    const last = wire.calls().at(-1)?.body.items as ReadonlyArray<NewBatchItem>
    expect(last.map(({ request_id }) => request_id)).toEqual(['item-4'])
  })

  it('are not sent again when they cannot be read to their end, and the failure says why', () => {
    const wire = lab({
      play: ({ route, query }) => {
        if (!route.endsWith('/items')) return taken
        return query.has('page')
          ? problem(403, 'forbidden')
          : { body: { ...there(0).body, page_after: 'next' } }
      },
    })
    const [out] = wire.run(add(wire, 0, 1))
    expect(out?.value).toMatchObject(
      E.left({
        _tag: 'Ambiguous',
        cause: { _tag: 'Refused', code: 'request_id_in_batch_duplicate' },
        message: expect.stringMatching(/taken; the look-up failed: GET .*403 forbidden/),
      }),
    )
    expect(wire.calls().filter(({ route }) => route.startsWith('POST'))).toHaveLength(1)
  })

  it('that are not shown in time are ambiguous: one of them is there', () => {
    const wire = lab({ play: ({ route }) => (route.endsWith('/items') ? there() : taken) })
    const [out] = wire.run(add(wire, 0))
    expect(out).toMatchObject({
      at: 15_030, // looked up at 20 for the first time
      value: E.left({
        _tag: 'Ambiguous',
        cause: { _tag: 'Refused', code: 'request_id_in_batch_duplicate' },
      }),
    })
  })

  describe('with a list of items that lags', () => {
    /** Adds what comes, loses its first answer, refuses repeated items, and shows one more item every `every` ms. */
    const lagging = (every: number, terms: (item: NewBatchItem) => object = () => ({})) => {
      const held = new Map<string, { readonly item: NewBatchItem; readonly shownAt: number }>()
      let isLost = false
      const wire = lab({
        play: ({ route, body, request, at }) => {
          if (route.endsWith('/items')) {
            const shown = [...held.values()].filter(({ shownAt }) => shownAt <= at)
            return {
              body: {
                items: shown.map(({ item: one }) => ({
                  id: one.request_id,
                  request_id: one.request_id,
                  status: 'VALIDATED',
                  updated_at: '2024-05-06T07:08:09+0000',
                  ...terms(one),
                })),
                page_after: null,
              },
            }
          }
          if (request.method === 'GET') return { body: { ...BATCH, total_item_count: held.size } }
          const sent = (body.items ?? []) as ReadonlyArray<NewBatchItem>
          if (sent.some(({ request_id }) => held.has(request_id))) return taken
          for (const [i, one] of sent.entries()) {
            held.set(one.request_id, { item: one, shownAt: at + i * every })
          }
          if (isLost) return { body: { ...BATCH, total_item_count: held.size } }
          isLost = true
          return { outage: RESET }
        },
      })
      return { ...wire, held }
    }

    it.each([0, 30, 140])('are a recovered batch once all are shown, one each %i ms', (every) => {
      const wire = lagging(every)
      const hundred = Array.from({ length: 100 }, (_, n) => n)
      const [out] = wire.run(add(wire, ...hundred))
      expect(out && E.isRight(out.value) && wasRecovered(out.value.right)).toBe(true)
      expect(wire.held.size).toBe(100)
    })

    it('are ambiguous, and never refused, when they are not shown in time', () => {
      const wire = lagging(300)
      const hundred = Array.from({ length: 100 }, (_, n) => n)
      const [out] = wire.run(add(wire, ...hundred))
      expect(out?.value).toMatchObject(
        E.left({
          _tag: 'Ambiguous',
          cause: { _tag: 'Refused', code: 'request_id_in_batch_duplicate' },
        }),
      )
    })

    it.each<readonly [string, (item: NewBatchItem) => object]>([
      ['itself', (one) => ({ ...one, status: 'VALIDATED' })],
      ['its transfer', (one) => ({ transfer_draft: { ...one, fee_amount: 1, beneficiary: null } })],
    ])('that differ in what %s shows are told field by field', (_, terms) => {
      const wire = lagging(20, terms)
      wire.run(add(wire, 0, 1))
      const changed = [item(0), { ...item(1), transfer_amount: 99, beneficiary_id: 'ben_2' }]
      const [out] = wire.run(wire.client.batchTransfers.addItems({ id: 'bat_1', items: changed }))
      expect(out?.value).toMatchObject(
        E.left({
          _tag: 'Ambiguous',
          differences: [
            { path: 'items[1].transfer_amount', sent: '99', found: '100' },
            {
              path: 'items[1].beneficiary_id',
              sent: 'text of 5 characters',
              found: 'a different text of 5 characters',
            },
          ],
        }),
      )
    })
  })

  describe('that are ignored', () => {
    /** Ignores repeated items, and shows the amount of each. */
    const ignoring = (lag = 0) => {
      const held = new Map<string, { readonly item: NewBatchItem; readonly at: number }>()
      const wire = lab({
        play: ({ route, body, request, at }) => {
          if (route.endsWith('/items')) {
            const shown = [...held.values()].filter((one) => one.at + lag <= at)
            return {
              body: {
                items: shown.map(({ item: { request_id, transfer_amount } }) => ({
                  ...{ id: request_id, request_id, status: 'VALIDATED', transfer_amount },
                  updated_at: '2024-05-06T07:08:09+0000',
                })),
                page_after: null,
              },
            }
          }
          if (request.method === 'POST') {
            for (const one of (body.items ?? []) as ReadonlyArray<NewBatchItem>) {
              if (!held.has(one.request_id)) held.set(one.request_id, { item: one, at })
            }
          }
          return { body: { ...BATCH, total_item_count: held.size } }
        },
      })
      const addAll = (...items: ReadonlyArray<NewBatchItem>) =>
        wire
          .run(from(items).pipe(wire.client.batchTransfers.addAllItems({ id: 'bat_1' })))
          .map(({ value }) => value.outcome)
      return { ...wire, addAll }
    }

    it('are not looked for in a batch that had none', () => {
      const { addAll, calls } = ignoring()
      expect(addAll(item(0), item(1))).toMatchObject([E.right({ total_item_count: 2 })])
      expect(calls().some(({ route }) => route.endsWith('/items'))).toBe(false)
    })

    it('are told field by field when another run has changed them', () => {
      const { addAll } = ignoring()
      addAll(item(0), item(1))
      const [outcome] = addAll(item(2), { ...item(1), transfer_amount: 250 })
      expect(outcome).toMatchObject(
        E.left({
          _tag: 'Ambiguous',
          differences: [{ path: 'items[1].transfer_amount', sent: '250', found: '100' }],
          cause: { _tag: 'InvalidRequest', field: 'items[1].transfer_amount' },
        }),
      )
    })

    it.each([0, 1_000, 3_000])('are added when they are equal, with a list %i ms behind', (lag) => {
      const { addAll } = ignoring(lag)
      addAll(item(0), item(1))
      expect(addAll(item(0), item(1))).toMatchObject([E.right({ total_item_count: 2 })])
    })

    it('are ambiguous when the list does not show them in time', () => {
      const { addAll } = ignoring(20_000)
      addAll(item(0))
      expect(addAll(item(0))).toMatchObject([
        E.left({ _tag: 'Ambiguous', cause: { _tag: 'TimedOut' } }),
      ])
    })
  })
})
