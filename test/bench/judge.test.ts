import { from, lastValueFrom, mergeMap, take, toArray } from 'rxjs'
import { expect, it } from 'vitest'
import { ArrivalCounter, judged } from '../../src/bench/judge.js'
import { createClient } from '../../src/index.js'
import { servableSandbox } from '../../src/sandbox/createSandbox.js'
import { sandboxCredentials } from '../../src/sandbox/index.js'
import { replyInProcess } from '../../src/sandbox/replyInProcess.js'
import { virtualTime } from '../support/idleClock.js'

it('finds the densest second, of one endpoint and of all', () => {
  const counter = new ArrivalCounter()
  for (const at of [0, 400, 900, 999]) counter.arrive(at, 'GET /a')(200, 10)
  counter.arrive(999, 'GET /b')(429, 0)
  for (const at of [1_000, 1_001, 5_000]) counter.arrive(at, 'GET /a')(200, 10)
  expect(counter.count()).toMatchObject({
    ...{ requests: 8, refused: 1, rows: 70, ms: 5_000 },
    ...{ mostOfEndpoint: 5, mostOfAll: 6, isSettled: true }, // 400 to 1,001, and 0 is a second before 1,000
  })
})

it('counts the first of them by when they arrived, and knows which have no answer', () => {
  const counter = new ArrivalCounter()
  counter.arrive(100, 'GET /a')(200, 10)
  counter.arrive(1_099, 'GET /a')
  counter.arrive(1_100, 'GET /a')(200, 10)
  expect(counter.count(1_000)).toMatchObject({ requests: 2, rows: 10, isSettled: false })
  expect(counter.count(500)).toMatchObject({ requests: 1, isSettled: true })
})

it('agrees with the service behind it, and lets time pass on both ways', async () => {
  const { timer, run } = virtualTime()
  const counter = new ArrivalCounter()
  const sandbox = servableSandbox({ charges: 1_000, timer })
  const network = { latency: 200, jitter: 100, random: () => 0.5, timer }
  const { handle } = judged(sandbox, counter, network)
  const payments = createClient({
    baseUrl: 'https://sandbox',
    credentials: sandboxCredentials,
    fetch: async (input, init) => {
      const request = new Request(input, init)
      return handle(request, replyInProcess(request))
    },
    timer,
  })
  const took: Array<number> = []
  payments.events.subscribe((event) => {
    if (event._tag === 'Answered') took.push(event.took)
  })
  const pages = from(Array.from({ length: 45 }, (_, page_num) => page_num)).pipe(
    mergeMap((page_num) => payments.charges.list({ page_num, page_size: 10 }).pages.pipe(take(1))),
    toArray(),
  )
  await run(lastValueFrom(pages))
  const { endpoints } = sandbox.stats()
  const { requests, rows, mostOfEndpoint } = counter.count()
  expect(requests).toBe(endpoints['GET /api/v1/charges']?.requests)
  expect(rows).toBe(450)
  expect(mostOfEndpoint).toBe(20)
  expect(new Set(took)).toEqual(new Set([200]))
})
