import { describe, expect, it } from 'vitest'
import { loginHeaders, open } from './support.js'

const unknown = { code: 'credentials_invalid', message: 'The credentials are missing or unknown.' }
const invalid = { status: 401, body: unknown }

const over = { code: 'credentials_expired', message: 'The access token has expired.' }
const expired = { status: 401, body: over }

describe('a login', () => {
  it('answers a token and the time of its end', async () => {
    const { login } = await open()
    expect(await login()).toEqual({
      status: 201,
      body: { token: expect.stringMatching(/^\S+$/), expires_at: '2026-01-02T03:34:05+0000' },
    })
  })

  it('needs credentials that are known', async () => {
    const { login } = await open()
    expect(await login({ ...loginHeaders, 'x-api-key': 'other' })).toEqual(invalid)
    expect(await login({ ...loginHeaders, 'x-client-id': 'other' })).toEqual(invalid)
    expect(await login({ 'x-client-id': 'sandbox' })).toEqual(invalid)
    expect(await login({})).toEqual(invalid)
  })

  it('takes the credentials it is told to', async () => {
    const credentials = [
      { clientId: 'a', apiKey: '1' },
      { clientId: 'b', apiKey: '2' },
    ]
    const { login } = await open({ credentials })
    const tries = ['a1', 'a2', 'b1', 'b2'].map(([id = '', key = '']) =>
      login({ 'x-client-id': id, 'x-api-key': key }),
    )
    const statuses = (await Promise.all(tries)).map(({ status }) => status)
    expect(statuses).toEqual([201, 401, 401, 201])
    expect(await login()).toEqual(invalid)
  })

  it('takes an empty JSON object as its body', async () => {
    const { send } = await open()
    const init = { method: 'POST', headers: loginHeaders, body: '{}' }
    expect(await send('/api/v1/authentication/login', init)).toMatchObject({ status: 201 })
  })
})

it('a token of another sandbox is none of this one, although they have one seed', async () => {
  const [one, other] = [await open(), await open()]
  const { body } = await other.login()
  const authorization = `Bearer ${Object(body).token}`
  expect(await other.get('/api/v1/charges', { authorization })).toMatchObject({ status: 200 })
  expect(await one.get('/api/v1/charges', { authorization })).toEqual(invalid)
})

it('credentials go into headers, and nowhere else', async () => {
  const { send } = await open()
  const body = JSON.stringify({ client_id: 'sandbox', api_key: 'sandbox-key' })
  const init = { method: 'POST', body }
  expect(await send('/api/v1/authentication/login', init)).toEqual(invalid)
})

describe('a token', () => {
  it('comes after its scheme in any letter case', async () => {
    const { send, authorization } = await open()
    for (const scheme of ['bearer', 'BEARER', 'Bearer']) {
      const headers = { authorization: authorization.replace('Bearer', scheme) }
      expect(await send('/api/v1/charges', { headers })).toMatchObject({ status: 200 })
    }
    const headers = { authorization: authorization.replace('sandbox', 'SANDBOX') }
    expect(await send('/api/v1/charges', { headers })).toEqual(invalid)
  })

  it('works until its end', async () => {
    const { get, login, send, clock } = await open({ tokenLife: 60_000 })
    clock.pass(59_999)
    expect(await get('/api/v1/charges')).toMatchObject({ status: 200 })
    clock.pass(1)
    expect(await get('/api/v1/charges')).toEqual(expired)
    const { body } = await login()
    const headers = { authorization: `Bearer ${Object(body).token}` }
    expect(await send('/api/v1/charges', { headers })).toMatchObject({ status: 200 })
  })

  it.each([
    [1_500.5, '2026-01-02T03:04:06+0000'],
    [Number.MAX_SAFE_INTEGER, '9999-12-31T23:59:59+0000'],
  ])('works for %d ms, at most until the last moment a time can say', async (tokenLife, end) => {
    const { get, login } = await open({ tokenLife })
    expect(await login()).toMatchObject({ status: 201, body: { expires_at: end } })
    expect(await get('/api/v1/charges')).toMatchObject({ status: 200 })
  })

  it('has to be there, and to be one that was issued', async () => {
    const { send, authorization } = await open()
    const other = await open({ seed: 2 })
    const tries = [
      undefined,
      '',
      'Bearer',
      'Bearer abc',
      authorization.replace(/^Bearer /, 'Basic '),
      authorization.slice(0, -1),
      authorization.replace(/\.0\./, '.1.'),
      authorization.replace(/\.(\d+)\./, '.9$1.'),
      other.authorization,
    ]
    for (const value of tries) {
      const headers: Record<string, string> = value === undefined ? {} : { authorization: value }
      expect(await send('/api/v1/charges', { headers })).toEqual(invalid)
    }
    const headers = { authorization }
    expect(await send('/api/v1/charges', { headers })).toMatchObject({ status: 200 })
  })
})
