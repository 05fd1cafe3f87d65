import { describe, expect, it } from 'vitest'
import { Charge } from '../../src/codec/Charge.js'
import { E } from '../../src/fp.js'
import { createSandbox, type FaultName, type Faults } from '../../src/sandbox/index.js'
import { items, loginHeaders, newCharge, open, partnerHeaders, turn } from './support.js'

const by = (fault: FaultName) => ({ 'x-sandbox-fault': fault })

const internal = { code: 'internal_error', message: 'Service unavailable.' }
const unavailable = { status: 500, body: internal }

const OF_ROWS = ['malformed-row', 'unknown-field', 'unknown-enum'] as const

describe('a fault asked for by header', () => {
  it('429 refuses one request, and takes no place in a limit', async () => {
    const { get, sandbox } = await open({ limits: { endpoint: 1 } })
    expect(await get('/api/v1/charges', by('429'))).toMatchObject({
      status: 429,
      body: { code: 'too_many_requests', details: {} },
    })
    expect(await get('/api/v1/charges')).toMatchObject({ status: 200 })
    expect(sandbox.stats().faults).toEqual({ '429': 1 })
    expect(sandbox.stats().refused.endpoint).toBe(0)
  })

  it('429-storm refuses everything for two seconds', async () => {
    const { get, login, clock, sandbox } = await open()
    const refused = { status: 429, body: { code: 'too_many_requests' } }
    expect(await get('/api/v1/charges', by('429-storm'))).toMatchObject(refused)
    expect(await login()).toMatchObject(refused)
    clock.pass(1_999)
    expect(await get('/api/v1/charges')).toMatchObject(refused)
    clock.pass(1)
    expect(await get('/api/v1/charges')).toMatchObject({ status: 200 })
    expect(sandbox.stats().faults).toEqual({ '429-storm': 3 })
  })

  it.each([
    ['500', 0],
    ['500-after', 1],
  ] as const)('%s answers an error, and %i charge was made', async (fault, made) => {
    const { post, get } = await open()
    expect(await post('/api/v1/charges/create', newCharge, by(fault))).toEqual(unavailable)
    expect(items(await get('/api/v1/charges?request_id=order-17'))).toHaveLength(made)
  })

  it.each([
    ['reset-before', 0],
    ['reset-after', 1],
  ] as const)('%s fails as fetch does, and %i charge was made', async (fault, made) => {
    const { post, get } = await open()
    const failed = post('/api/v1/charges/create', newCharge, by(fault))
    await expect(failed).rejects.toThrow(new TypeError('fetch failed'))
    expect(items(await get('/api/v1/charges?request_id=order-17'))).toHaveLength(made)
  })

  it.each(OF_ROWS)('%s leaves an error as it is', async (fault) => {
    const { get, post } = await open()
    const lost = '/api/v1/batch_transfers/none'
    expect(await get(lost, by(fault))).toEqual(await get(lost))
    const wrong = { ...newCharge, currency: 7 }
    const create = '/api/v1/charges/create'
    expect(await post(create, wrong, by(fault))).toEqual(await post(create, wrong))
  })

  it('befalls a path that no call has, too', async () => {
    const { get } = await open()
    const nowhere = '/api/v1/nowhere'
    expect(await get(nowhere)).toMatchObject({ status: 404, body: { code: 'not_found' } })
    expect(await get(nowhere, by('500-after'))).toEqual(unavailable)
    await expect(get(nowhere, by('reset-after'))).rejects.toThrow(new TypeError('fetch failed'))
  })

  it('token-revoked answers a login, and a call of a partner, which have no token', async () => {
    const { get, login, send } = await open()
    const hooks = { headers: { ...partnerHeaders, ...by('token-revoked') } }
    expect(await send('/partner-api/v1/webhooks', hooks)).toMatchObject({ status: 200 })
    expect(await get('/api/v1/charges')).toMatchObject({ status: 401 })
    expect(await login({ ...loginHeaders, ...by('token-revoked') })).toMatchObject({ status: 201 })
  })

  it.each(OF_ROWS)('%s leaves a session as it is', async (fault) => {
    const { login } = await open()
    const { body } = await login({ ...loginHeaders, ...by(fault) })
    expect(body).toEqual({ token: expect.any(String), expires_at: expect.any(String) })
  })

  it('cut-off ends the body with an error, halfway', async () => {
    const { sandbox, authorization, clock } = await open()
    const headers = { authorization, ...by('cut-off') }
    const { status, body } = await sandbox.fetch('http://test/api/v1/charges', { headers })
    const reader = body?.getReader()
    expect(status).toBe(200)
    const first = await reader?.read()
    const text = new TextDecoder().decode(first?.value)
    expect(text).toMatch(/^\{"has_more":false,"items":\[\{/)
    expect(() => JSON.parse(text)).toThrow(SyntaxError)
    clock.pass(0)
    await expect(reader?.read()).rejects.toThrow('terminated')
  })

  it('stall ends the body never, and holds its place until it is given up', async () => {
    const { sandbox, authorization, get } = await open({ limits: { concurrency: 1 } })
    const stop = new AbortController()
    const response = await sandbox.fetch('http://test/api/v1/charges', {
      headers: { authorization, ...by('stall') },
      signal: stop.signal,
    })
    const text = response.text()
    expect(await get('/api/v1/charges')).toMatchObject({ status: 429 })
    stop.abort(new Error('given up'))
    await expect(text).rejects.toThrow('given up')
    expect(await get('/api/v1/charges')).toMatchObject({ status: 200 })
  })

  it('no-answer answers never, and has done all', async () => {
    const { sandbox, authorization, get } = await open({ limits: { concurrency: 1 } })
    const stop = new AbortController()
    const answer = sandbox.fetch('http://test/api/v1/charges/create', {
      method: 'POST',
      headers: { authorization, ...by('no-answer') },
      body: JSON.stringify(newCharge),
      signal: stop.signal,
    })
    await turn()
    expect(await get('/api/v1/charges')).toMatchObject({ status: 429 })
    stop.abort(new Error('given up'))
    await expect(answer).rejects.toThrow('given up')
    expect(items(await get('/api/v1/charges?request_id=order-17'))).toHaveLength(1)
  })

  it('slow sends the whole body in ten pieces', async () => {
    const { sandbox, authorization, clock } = await open()
    const whole = await sandbox.fetch('http://test/api/v1/charges', { headers: { authorization } })
    const headers = { authorization, ...by('slow') }
    const slow = await sandbox.fetch('http://test/api/v1/charges', { headers })
    const reader = slow.body?.getReader()
    const decoder = new TextDecoder()
    let text = ''
    for (let n = 0; n < 10; n++) {
      const piece = await reader?.read()
      text += decoder.decode(piece?.value, { stream: true })
      clock.pass(100)
    }
    expect((await reader?.read())?.done).toBe(true)
    expect(text).toBe(await whole.text())
  })

  it('slow stops when its body is cancelled: nothing waits, and its place is free', async () => {
    const { sandbox, authorization, clock } = await open({ limits: { concurrency: 1 } })
    const ask = (headers = {}) =>
      sandbox.fetch('http://test/api/v1/charges', { headers: { authorization, ...headers } })
    const slow = await ask(by('slow'))
    expect(clock.waiting()).toBe(1)
    await slow.body?.cancel()
    expect(clock.waiting()).toBe(0)
    clock.pass(1_000)
    expect((await ask()).status).toBe(200)
  })

  it.each(['slow', 'stall', 'no-answer'] as const)('%s ends with the request', async (fault) => {
    const { sandbox, authorization, clock } = await open({ limits: { concurrency: 1 } })
    const stop = new AbortController()
    const headers = { authorization, ...by(fault) }
    const answer = sandbox.fetch('http://test/api/v1/charges', { headers, signal: stop.signal })
    const read = answer.then((response) => response.text())
    await turn()
    stop.abort(new Error('given up'))
    await expect(read).rejects.toThrow('given up')
    expect(clock.waiting()).toBe(0)
    const next = await sandbox.fetch('http://test/api/v1/charges', { headers: { authorization } })
    expect(next.status).toBe(200)
  })

  it.each(['slow', 'stall', 'cut-off'] as const)('%s keeps no place for a HEAD', async (fault) => {
    const { sandbox, authorization, get } = await open({ limits: { concurrency: 1 } })
    const head = await sandbox.fetch('http://test/api/v1/charges', {
      method: 'HEAD',
      headers: { authorization, ...by(fault) },
    })
    expect([head.status, head.body]).toEqual([200, null])
    expect(await get('/api/v1/charges')).toMatchObject({ status: 200 })
  })

  it('malformed-row spoils the row in the middle, and no other', async () => {
    const { get } = await open({ charges: 11 })
    const rows = items(await get('/api/v1/charges', by('malformed-row')))
    expect(rows.map((row) => E.isRight(Charge.decode(row)))).toEqual(rows.map((_, n) => n !== 5))
    expect(rows[5]?.amount).toEqual({})
  })

  it('unknown-field and unknown-enum come to every row, which still decodes', async () => {
    const { get } = await open({ charges: 20 })
    const plain = items(await get('/api/v1/charges'))
    const added = { sandbox_field: { nested: [1, null, 'text'] } }
    const more = items(await get('/api/v1/charges', by('unknown-field')))
    expect(more).toEqual(plain.map((row) => ({ ...row, ...added })))
    const unknown = items(await get('/api/v1/charges', by('unknown-enum')))
    expect(unknown).toEqual(plain.map((row) => ({ ...row, status: 'SANDBOX_STATUS' })))
    expect(unknown.every((row) => E.isRight(Charge.decode(row)))).toBe(true)
    const one = await get(`/api/v1/charges/${plain[0]?.id}`, by('unknown-field'))
    expect(one).toEqual({ status: 200, body: { ...plain[0], ...added } })
  })

  it('token-revoked ends all tokens that were issued', async () => {
    const { get, login, send } = await open()
    const invalid = { status: 401, body: { code: 'credentials_invalid' } }
    expect(await get('/api/v1/charges', by('token-revoked'))).toMatchObject(invalid)
    expect(await get('/api/v1/charges')).toMatchObject(invalid)
    const { body } = await login()
    const headers = { authorization: `Bearer ${Object(body).token}` }
    expect(await send('/api/v1/charges', { headers })).toMatchObject({ status: 200 })
  })

  it('has to be one there is', async () => {
    const { get } = await open()
    const message = 'There is no fault with this name.'
    expect(await get('/api/v1/charges', { 'x-sandbox-fault': '418' })).toEqual({
      status: 400,
      body: { code: 'invalid_argument', message, source: 'x-sandbox-fault' },
    })
  })
})

describe('faults by option', () => {
  it('befall as often as told, the same requests for the same seed', async () => {
    const statuses = async (seed: number) => {
      const { get } = await open({ seed, faults: { '500': 0.2, '429': 0.1 } })
      const all: Array<number> = []
      for (let n = 0; n < 300; n++) all.push((await get('/api/v1/charges?page_size=10')).status)
      return all
    }
    const seen = await statuses(3)
    const count = (status: number) => seen.filter((one) => one === status).length
    expect(Math.abs(count(500) - 60)).toBeLessThan(25)
    expect(Math.abs(count(429) - 30)).toBeLessThan(20)
    expect(await statuses(3)).toEqual(seen)
    expect(await statuses(4)).not.toEqual(seen)
  })

  it('befall just the requests that a plan names', async () => {
    const faults: Faults = ({ route, nth }) =>
      route === 'GET /api/v1/charges' && nth === 2 ? '500' : undefined
    const { get } = await open({ faults })
    const statuses = [1, 2, 3].map(async () => (await get('/api/v1/charges')).status)
    expect(await Promise.all(statuses)).toEqual([200, 500, 200])
  })
})

describe('a request that is given up', () => {
  it('fails at once, and is counted all the same', async () => {
    const { clock, sandbox } = await open()
    const slow = createSandbox({ timer: clock.timer, latency: 1_000 })
    const stop = new AbortController()
    const answer = slow.fetch('http://test/api/v1/authentication/login', {
      method: 'POST',
      headers: loginHeaders,
      signal: stop.signal,
    })
    stop.abort(new Error('given up'))
    await expect(answer).rejects.toThrow('given up')
    clock.pass(500)
    await turn()
    expect(slow.stats().requests).toBe(1)
    const late = sandbox.fetch('http://test/', { signal: AbortSignal.abort(new Error('late')) })
    await expect(late).rejects.toThrow('late')
    expect(sandbox.stats().requests).toBe(1) // the login
  })

  it('takes no place when its answer stalls after that', async () => {
    const { clock } = await open()
    const limits = { concurrency: 1 }
    const sandbox = createSandbox({ timer: clock.timer, latency: 1_000, limits })
    const legs = async () => {
      for (const leg of [500, 500]) {
        await turn()
        clock.pass(leg)
      }
      await turn()
    }
    const login = (init: RequestInit) => {
      const url = 'http://test/api/v1/authentication/login'
      return Promise.all([sandbox.fetch(url, { method: 'POST', ...init }), legs()])
    }
    const stop = new AbortController()
    const late = login({ headers: { ...loginHeaders, ...by('stall') }, signal: stop.signal })
    stop.abort(new Error('given up'))
    await expect(late).rejects.toThrow('given up')
    await legs()
    const [next] = await login({ headers: loginHeaders })
    expect(next.status).toBe(201)
  })
})
