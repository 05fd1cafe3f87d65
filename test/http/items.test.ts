/** Items of a batch carry their own request_ids: a call that adds them is repeated only with all of them. */
import { expect, it } from 'vitest'
import { BATCH, item } from '../support/batch.js'
import { lab, problem, RESET } from '../support/lab.js'

const sent = (items: ReadonlyArray<unknown>) => {
  const all = lab({ play: () => ({ outage: RESET }), check: false })
  const outcomes = all.run(all.client.batchTransfers.addItems({ id: 'b', items: items as [] })) // unchecked
  return {
    calls: all.calls().filter(({ request }) => request.method === 'POST'),
    value: outcomes[0]?.value,
  }
}

it('is sent three times, the same each time', () => {
  const { calls, value } = sent([item(1), item(2)])
  expect(calls).toHaveLength(3)
  expect(new Set(calls.map(({ body }) => JSON.stringify(body))).size).toBe(1)
  expect(value).toMatchObject({ left: { _tag: 'Ambiguous', attempts: 3 } })
})

it('is asked again while its items may be worked on, by any 409', () => {
  const all = lab({ play: (_, nth) => (nth === 1 ? problem(409, 'busy') : { body: BATCH }) })
  const [outcome] = all.run(all.client.batchTransfers.addItems({ id: 'b', items: [item(1)] }))
  expect(outcome?.value).toEqual({ _tag: 'Right', right: BATCH })
})

it('is about the batch, where no items are sent: a 409 refuses, and leaves nothing open', () => {
  const all = lab({ play: () => problem(409, 'batch_state_invalid') })
  const { submit, quote, delete: remove } = all.client.batchTransfers
  for (const call of [submit, quote, remove]) {
    const [outcome] = all.run<unknown>(call({ id: 'b' }))
    expect(outcome?.value).toMatchObject({
      left: { _tag: 'Refused', status: 409, code: 'batch_state_invalid', attempts: 1 },
    })
  }
})

it('takes no request_id of another thing for its own', () => {
  const all = lab({ play: () => problem(500, 'internal_error') })
  const batch = { id: 'b', request_id: 'of the batch' }
  const [outcome] = all.run(all.client.batchTransfers.submit(batch))
  expect(outcome?.value).toMatchObject({ left: { _tag: 'Ambiguous', attempts: 1 } })
  expect(JSON.stringify(outcome)).not.toContain('of the batch')
})
