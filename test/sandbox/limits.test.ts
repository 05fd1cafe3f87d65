import { describe, expect, it } from 'vitest'
import { limits } from '../../src/api/limits.js'
import { createSandbox } from '../../src/sandbox/index.js'
import { loginHeaders, open, stillClock, turn } from './support.js'

const tooMany = {
  status: 429,
  body: {
    code: 'too_many_requests',
    message: expect.any(String),
    trace_id: expect.stringMatching(/^[0-9a-f]{32}$/),
    details: {},
  },
}

describe.each(['production', 'test'] as const)('the limits of %s', (environment) => {
  const { endpoint, global } = limits[environment]

  it('refuse an endpoint what is too much within a second', async () => {
    const { get, clock, sandbox } = await open({ environment, limits: {} })
    const list = () => get('/api/v1/charges')
    clock.pass(1_000) // after the login
    const before = sandbox.stats()
    const all = await Promise.all(Array.from({ length: endpoint }, list))
    expect(all.map(({ status }) => status)).toEqual(all.map(() => 200))
    expect(await list()).toEqual(tooMany)
    clock.pass(999)
    expect(await list()).toEqual(tooMany)
    clock.pass(1)
    expect(await list()).toMatchObject({ status: 200 })
    expect(sandbox.stats()).toMatchObject({
      requests: endpoint + 4,
      refused: { endpoint: 2, global: 0, concurrency: 0, logins: 0 },
      endpoints: { 'GET /api/v1/charges': { requests: endpoint + 3, refused: 2 } },
    })
    expect(before).toMatchObject({ requests: 1, refused: { endpoint: 0 } })
  })

  it('refuse all endpoints what is too much within a second', async () => {
    const raised = { endpoint: 1_000, concurrency: 1_000 }
    const { get, post, clock, sandbox } = await open({ environment, limits: raised })
    clock.pass(1_000)
    for (let n = 0; n < global; n += 2) {
      expect(await get('/api/v1/charges')).toMatchObject({ status: 200 })
      expect(await get('/api/v1/charges/other')).toMatchObject({ status: 404 })
    }
    expect(await post('/api/v1/charges/create', {})).toEqual(tooMany)
    expect(await get('/api/v1/elsewhere')).toEqual(tooMany)
    expect(sandbox.stats().refused.global).toBe(2)
    clock.pass(1_000)
    expect(await get('/api/v1/charges')).toMatchObject({ status: 200 })
  })

  it('refuse what is too much at the same time', async () => {
    const { get, clock, sandbox } = await open({
      environment,
      limits: { endpoint: 1_000, global: 1_000 },
      faults: ({ route }) => (route === 'GET /api/v1/charges' ? 'slow' : undefined),
    })
    const { concurrency } = limits[environment]
    const inside = Array.from({ length: concurrency }, () => get('/api/v1/charges'))
    await Promise.resolve()
    expect(await get('/api/v1/charges')).toEqual(tooMany)
    for (let n = 0; n < 10; n++) clock.pass(100)
    await Promise.all(inside)
    const after = get('/api/v1/charges')
    for (let n = 0; n < 12; n++) {
      await Promise.resolve()
      clock.pass(100)
    }
    expect(await after).toMatchObject({ status: 200 })
    const refused = { concurrency: 1 }
    expect(sandbox.stats()).toMatchObject({ peakConcurrency: concurrency, refused })
  })
})

it('refuses a key more than a hundred logins per minute', async () => {
  const { login, clock } = await open({ environment: 'test', limits: { global: 1_000 } })
  for (let n = 1; n < 100; n++) expect(await login()).toMatchObject({ status: 201 })
  expect(await login()).toEqual(tooMany)
  const other = { ...loginHeaders, 'x-api-key': 'other' }
  expect(await login(other)).toMatchObject({ status: 401 })
  clock.pass(59_999)
  expect(await login()).toEqual(tooMany)
  clock.pass(1)
  expect(await login()).toMatchObject({ status: 201 })
})

it('counts a request when it arrives, half the latency after it was sent', async () => {
  const clock = stillClock()
  const sandbox = createSandbox({ timer: clock.timer, latency: 100 })
  const answered = sandbox.fetch('http://sandbox.test/api/v1/charges')
  const seen: Array<string> = []
  for (const ms of [0, 49, 1, 49, 1]) {
    clock.pass(ms)
    await turn()
    const { requests, peakConcurrency } = sandbox.stats()
    seen.push(`${requests} ${peakConcurrency}`)
  }
  expect(seen).toEqual(['0 0', '0 0', '1 1', '1 1', '1 1'])
  expect((await answered).status).toBe(401)
})

it('spreads the latency by up to the jitter, the same for the same seed', async () => {
  const arrivals = async (seed: number) => {
    const clock = stillClock()
    const options = { seed, limits: false, latency: 100, jitter: 80 } as const
    const sandbox = createSandbox({ timer: clock.timer, ...options })
    for (let n = 0; n < 200; n++) void sandbox.fetch('http://sandbox.test/api/v1/charges')
    const seen: Array<number> = []
    for (let ms = 0; ms <= 90; ms++) {
      await turn()
      seen.push(sandbox.stats().requests)
      clock.pass(1)
    }
    return seen
  }
  const seen = await arrivals(1)
  expect(seen[9]).toBe(0)
  expect(seen[50]).toBeGreaterThan(80)
  expect(seen[50]).toBeLessThan(120)
  expect(seen[90]).toBe(200)
  expect(await arrivals(1)).toEqual(seen)
  expect(await arrivals(2)).not.toEqual(seen)
})

it('a request whose body breaks off has its place no more', async () => {
  const { sandbox, authorization, get } = await open({ limits: { concurrency: 1 } })
  const body = new ReadableStream({ start: (to) => to.error(new Error('away')) })
  const sent = sandbox.fetch('http://test/api/v1/charges/create', {
    ...{ method: 'POST', headers: { authorization }, body, duplex: 'half' },
  })
  await expect(sent).rejects.toThrow('away')
  expect(await get('/api/v1/charges')).toMatchObject({ status: 200 })
})
