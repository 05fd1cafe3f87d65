import { firstValueFrom, toArray } from 'rxjs'
import { afterEach, beforeEach, describe, expect, expectTypeOf, it, vi } from 'vitest'
import { type ClientOptions, createClient, fromEnv, InvalidOption } from '../../src/index.js'
import { createSandbox, sandboxCredentials } from '../../src/sandbox/index.js'

const NAMES = [
  ...['BASE_URL', 'CLIENT_ID', 'API_KEY', 'ENVIRONMENT', 'PLAIN_HTTP', 'API_VERSION'],
  ...['LOGIN_AS', 'ON_BEHALF_OF', 'PARTNER_ID', 'PARTNER_SECRET'],
]

beforeEach(() => {
  for (const name of NAMES) vi.stubEnv(`PAYMENTS_${name}`, undefined)
})

afterEach(() => vi.unstubAllEnvs())

const { clientId, apiKey } = sandboxCredentials

const set = (variables: Readonly<Record<string, string>>): void => {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(`PAYMENTS_${name}`, value)
}

const thrownBy = (make: () => unknown): InvalidOption => {
  try {
    make()
  } catch (error) {
    if (error instanceof InvalidOption) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

describe('fromEnv', () => {
  const account = {
    PAYMENTS_BASE_URL: 'https://api.example.com',
    PAYMENTS_CLIENT_ID: 'me',
    PAYMENTS_API_KEY: 'key-81dc9bdb52d0',
  }

  it.each(['\n', '\r\n'])('drops the line end of a mounted secret: %j', (end) => {
    const env = Object.fromEntries(
      Object.entries(account).map(([name, value]) => [name, value + end]),
    )
    expect(fromEnv(env)).toEqual(fromEnv(account))
  })

  it.each(Object.keys(account))('names a variable with another control character: %s', (name) => {
    for (const character of ['\n\n', '\t', '\0', '\nx', '\u0085']) {
      const error = thrownBy(() => fromEnv({ ...account, [name]: `value-of-it${character}` }))
      expect(error.option).toBe(name)
      expect(error.message).toBe(`${name} should be text without control characters`)
    }
  })

  it('returns the options that the variables hold', () => {
    const env = {
      ...account,
      PAYMENTS_ENVIRONMENT: 'test',
      PAYMENTS_API_VERSION: '2026-06-30',
      PAYMENTS_LOGIN_AS: 'acct_1',
      PAYMENTS_ON_BEHALF_OF: 'acct_2',
      PAYMENTS_PARTNER_ID: 'app',
      PAYMENTS_PARTNER_SECRET: 'app-secret',
    }
    expectTypeOf(fromEnv).returns.toEqualTypeOf<ClientOptions>()
    expect(fromEnv(env)).toEqual({
      environment: 'test',
      baseUrl: 'https://api.example.com',
      plainHttp: false,
      apiVersion: '2026-06-30',
      onBehalfOf: 'acct_2',
      credentials: { clientId: 'me', apiKey: 'key-81dc9bdb52d0', loginAs: 'acct_1' },
      partner: { clientId: 'app', clientSecret: 'app-secret' },
    })
  })

  it('names all variables that are missing, and what they should hold', () => {
    const { message } = thrownBy(() => fromEnv({ PAYMENTS_API_KEY: '' }))
    expect(message).toBe(
      'PAYMENTS_BASE_URL should be set to the URL of the platform, such as https://api.example.com, PAYMENTS_CLIENT_ID to the client id of an API key, PAYMENTS_API_KEY to the API key: without the option baseUrl, the client reads its connection from environment variables. If you have no account, start a local sandbox with "npx payments-rx sandbox"',
    )
  })

  it.each([
    [{ ...account, PAYMENTS_CLIENT_ID: '' }, 'PAYMENTS_CLIENT_ID should be set to'],
    [
      { PAYMENTS_BASE_URL: 'https://api.example.com', PAYMENTS_PARTNER_ID: 'app' },
      'PAYMENTS_PARTNER_SECRET should be set to the client secret of that application:',
    ],
    [{ ...account, PAYMENTS_BASE_URL: 'api.example.com' }, 'PAYMENTS_BASE_URL should be an HTTPS'],
    [
      { ...account, PAYMENTS_ENVIRONMENT: 'live' },
      'PAYMENTS_ENVIRONMENT should be one of production, test',
    ],
    [{ ...account, PAYMENTS_PLAIN_HTTP: 'yes' }, 'PAYMENTS_PLAIN_HTTP should be 1 or 0'],
    [
      { ...account, PAYMENTS_API_VERSION: '2026-02-30' },
      'PAYMENTS_API_VERSION should be a date in the form YYYY-MM-DD',
    ],
    [
      { ...account, PAYMENTS_API_KEY: ' key-81dc' },
      'PAYMENTS_API_KEY should be a valid header value',
    ],
  ])('names the variable that is missing or wrong: %#', (env, message) => {
    const error = thrownBy(() => fromEnv(env))
    expect(error.message).toContain(message)
    expect(error.message).toContain(error.option)
    expect(error.message).not.toContain('81dc')
  })

  it('needs no keys of an account for an application', () => {
    const env = {
      PAYMENTS_BASE_URL: 'https://api.example.com',
      PAYMENTS_PARTNER_ID: 'app',
      PAYMENTS_PARTNER_SECRET: 'app-secret',
    }
    expect(fromEnv(env).partner).toEqual({ clientId: 'app', clientSecret: 'app-secret' })
  })
})

describe('createClient without baseUrl', () => {
  const sandbox = createSandbox({ charges: 3 })
  const fetch = sandbox.fetch

  it('takes the connection from the variables of the process', async () => {
    set({ BASE_URL: 'https://platform.test', CLIENT_ID: clientId, API_KEY: apiKey })
    const payments = createClient({ fetch, lists: { maxPages: 1 } })
    expect(await firstValueFrom(payments.charges.list().pipe(toArray()))).toHaveLength(3)
  })

  it('prefers the options that are given, and does not need their variables', async () => {
    set({ BASE_URL: 'https://platform.test', CLIENT_ID: 'another', API_KEY: '' })
    const payments = createClient({ fetch, credentials: sandboxCredentials, onBehalfOf: undefined })
    expect(await firstValueFrom(payments.charges.list().pipe(toArray()))).toHaveLength(3)
  })

  it('throws for all that is missing', () => {
    expect(thrownBy(() => createClient()).message).toMatch(
      /PAYMENTS_BASE_URL .*PAYMENTS_CLIENT_ID .*PAYMENTS_API_KEY /,
    )
  })

  it('says that baseUrl is needed where there are no variables, as in a browser', () => {
    const { process } = globalThis
    Reflect.deleteProperty(globalThis, 'process')
    try {
      expect(thrownBy(() => createClient()).message).toBe(
        'baseUrl should be given, because this runtime has no environment variables',
      )
    } finally {
      globalThis.process = process
    }
  })
})

it('createClient with baseUrl reads no variables', async () => {
  set({ CLIENT_ID: clientId, API_KEY: apiKey, ENVIRONMENT: 'live' })
  const payments = createClient({ baseUrl: 'https://platform.test' })
  expect(await firstValueFrom(payments.charges.retrieve({ id: 'chg_1' }))).toMatchObject({
    left: { _tag: 'InvalidRequest', field: 'credentials' },
  })
})
