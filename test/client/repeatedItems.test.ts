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
        tried: expect.arrayContaining([expect.stringMatching(/its items are in the batch/)]),
        cause: { _tag: 'Refused', status: 403 },
        message: expect.stringMatching(/items are in the batch.*reading the batch failed: GET/),
      }),
    )
  })

  it('are told of when the others are refused', () => {
    let sent = 0
    const wire = lab({
      play: ({ route }) => {
        if (route.endsWith('/items')) return there(0)
        return sent++ === 0 ? taken : problem(400, 'invalid_argument')
      },
    })
    expect(wire.run(add(wire, 0, 1))[0]?.value).toMatchObject(
      E.left({
        _tag: 'Refused',
        message: expect.stringMatching(/invalid_argument.*; 1 of 2 items were there before$/),
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
        _tag: 'Refused',
        code: 'request_id_in_batch_duplicate',
        message: expect.stringMatching(/taken; 1 of 3 items were there before$/),
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

  it('are not sent again when they cannot be read to their end, and the refusal says why', () => {
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
        _tag: 'Refused',
        code: 'request_id_in_batch_duplicate',
        message: expect.stringMatching(/taken; reading its items failed: GET .*403 forbidden/),
      }),
    )
    expect(wire.calls().filter(({ route }) => route.startsWith('POST'))).toHaveLength(1)
  })

  it('that cannot be found leave the refusal as it is', () => {
    const wire = lab({ play: ({ route }) => (route.endsWith('/items') ? there() : taken) })
    const [out] = wire.run(add(wire, 0))
    expect(out?.value).toMatchObject(
      E.left({ _tag: 'Refused', code: 'request_id_in_batch_duplicate' }),
    )
  })
})
