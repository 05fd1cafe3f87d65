import { firstValueFrom } from 'rxjs'
import { expect, it } from 'vitest'
import {
  explainExport,
  explainSync,
  InvalidOption,
  itemsOfAllBatches,
} from '../../src/export/index.js'
import { E } from '../../src/fp.js'
import { createClient, unlimited } from '../../src/index.js'
import { createSandbox, sandboxCredentials } from '../../src/sandbox/index.js'

/** A client of a sandbox with 5,000 charges and 60 batches, and its requests so far, without logins. */
const service = (apiKey = sandboxCredentials.apiKey) => {
  const sandbox = createSandbox({ charges: 5_000, batches: 60, limits: false })
  const client = createClient({
    baseUrl: 'https://sandbox.example.com',
    credentials: { ...sandboxCredentials, apiKey },
    fetch: sandbox.fetch,
    limits: unlimited,
  })
  const asked: Array<string> = []
  client.events.subscribe((event) => {
    if (event._tag === 'Sent' && !event.endpoint.includes('login')) asked.push(event.endpoint)
  })
  return { client, asked }
}

const planOf = async <L, A>(plan: Parameters<typeof firstValueFrom<E.Either<L, A>>>[0]) => {
  const answer = await firstValueFrom(plan)
  if (E.isLeft(answer)) throw new Error('no plan')
  return answer.right
}

it('an export of charges is counted by reads alone, and told in lines', async () => {
  const { client, asked } = service()
  const { rows, probes, costs, lines } = await planOf(explainExport(client.charges.snapshot()))
  expect(rows).toBe(5_000)
  expect(asked).toEqual(Array.from({ length: probes }, () => 'GET /api/v1/charges'))
  expect(costs).toEqual([{ part: 'export', requests: 3, ms: expect.any(Number) }])
  expect(lines[0]).toBe(`rows      5,000 (${probes} requests to count them)`)
  expect(lines[1]).toBe('requests  3 of 2,000 rows each')
})

it('an export of another list sends nothing', async () => {
  const { client, asked } = service()
  const plan = await planOf(explainExport(client.batchTransfers.list()))
  expect(plan).toMatchObject({ probes: 0, costs: [] })
  expect(plan.lines[0]).toBe('rows      unknown: the list only says whether there is another page')
  expect(asked).toEqual([])
})

it('a sync costs its rows, lists of open charges and counts; a later night reads a sweep', async () => {
  const { client, asked } = service()
  const plan = await planOf(explainSync(client.charges))
  const [first, later] = plan.costs
  expect(plan.rows).toBe(5_000)
  expect(plan.costs.map(({ part }) => part)).toEqual(['first night', 'later'])
  expect(first?.requests).toBe(3 + 3 + 28) // pages, lists and counts
  const without = await planOf(explainSync(client.charges, { sweep: 'off' }))
  expect(without.costs[1]?.requests).toBe((later?.requests ?? 0) - 3)
  expect(new Set(asked)).toEqual(new Set(['GET /api/v1/charges']))
})

it('a follow costs a start, polls, and, into a table, a proof', async () => {
  const { client } = service()
  const partsOf = async (of: 'follow' | 'changes') =>
    (await planOf(explainSync(client.charges, { of, every: 60_000 }))).costs.map(({ part }) => part)
  expect(await partsOf('follow')).toEqual(['start', 'poll', 'proof'])
  expect(await partsOf('changes')).toEqual(['start', 'poll'])
  const batches = await planOf(explainSync(client.batchTransfers.list(), { of: 'follow' }))
  expect(batches.lines[1]).toMatch(/^poll {4}2 requests every 10\.0 s: 17,280 per day/)
})

it('lists that are replaced are read whole, as often as a night reads them', async () => {
  const { client } = service()
  const once = await planOf(explainSync(client.batchTransfers.list()))
  expect(once).toMatchObject({ rows: 60, probes: 2, costs: [{ part: 'each night', requests: 2 }] })
  const twice = await planOf(explainSync(client.batchTransfers.list(), { untilStable: true }))
  expect(twice.costs[0]?.requests).toBe(4)
  const items = await planOf(explainSync(itemsOfAllBatches(client)))
  expect(items.costs.map(({ part }) => part)).toEqual(['first night', 'later'])
})

it('a refusal is a value, and a wrong option is thrown', async () => {
  const { client } = service('wrong-key')
  for (const plan of [explainExport(client.charges.snapshot()), explainSync(client.charges)]) {
    expect(await firstValueFrom(plan)).toMatchObject({ left: { _tag: 'Unauthorized' } })
  }
  expect(() => explainSync(client.charges, { lookback: -1 })).toThrow(InvalidOption)
})
