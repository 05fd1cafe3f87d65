import { inspect } from 'node:util'
import { firstValueFrom, of } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { E } from '../../src/fp.js'
import { kyTransport } from '../../src/http/transport/kyTransport.js'
import {
  type ClientOptions,
  type Credentials,
  createClient,
  InvalidOption,
} from '../../src/index.js'
import { createScheduler } from '../../src/scheduler/index.js'

const good: ClientOptions = {
  baseUrl: 'https://platform.test',
  credentials: { clientId: 'me', apiKey: 'key-81dc9bdb52d0' },
}

/** Returns the error for options, some of which may be of the wrong type. */
const thrown = (options: Readonly<Record<string, unknown>>): unknown => {
  try {
    createClient({ ...good, ...options } as ClientOptions)
    return undefined
  } catch (error) {
    return error
  }
}

const FAR = 'http://platform.example'

describe('an invalid option', () => {
  it.each<readonly [string, Readonly<Record<string, unknown>>]>([
    ['baseUrl', { baseUrl: '' }],
    ['baseUrl', { baseUrl: 'platform.test' }],
    ['baseUrl', { baseUrl: FAR }],
    ['baseUrl', { baseUrl: 'http://127.0.0.1.platform.example' }],
    ['baseUrl', { baseUrl: 'ftp://localhost' }],
    ['baseUrl', { baseUrl: 'ftp://platform.test', plainHttp: true }],
    ['baseUrl', { baseUrl: 'https://user:hunter22@platform.test' }],
    ['baseUrl', { baseUrl: 'https://platform.test/?a=hunter22' }],
    ['baseUrl', { baseUrl: 'https://platform.test/#hunter22' }],
    ['baseUrl', { baseUrl: 'https://platform.test?' }],
    ['baseUrl', { baseUrl: 'https://platform.test/#' }],
    ['baseUrl', { baseUrl: 'https://platform.test/?#' }],
    ['credentials', { credentials: {} }],
    ['credentials.clientId', { credentials: { clientId: '', apiKey: 'hunter22' } }],
    ['credentials.apiKey', { credentials: { clientId: 'me', apiKey: 'hunter22\n' } }],
    ['credentials.apiKey', { credentials: { clientId: 'me', apiKey: 'hunter22 ' } }],
    ['credentials.apiKey', { credentials: { clientId: 'me', apiKey: '\thunter22' } }],
    ['credentials.apiKey', { credentials: { clientId: 'me', apiKey: '   ' } }],
    ['credentials.apiKey', { credentials: { clientId: 'me' } }],
    ['credentials.loginAs', { credentials: { ...good.credentials, loginAs: 'hunter22\u{1f600}' } }],
    ['credentials.token', { credentials: { token: 'hunter22' } }],
    ['partner.clientSecret', { partner: { clientId: 'me', clientSecret: '' } }],
    ['partner.clientId', { partner: { clientId: 'hunter22:me', clientSecret: 'x' } }],
    ['partner.clientSecret', { partner: { clientId: 'me', clientSecret: 'hunter22\u{7f}' } }],
    ['partner.clientSecret', { partner: { clientId: 'me', clientSecret: ' hunter22' } }],
    ['partner.clientSecret', { partner: { clientId: 'me', clientSecret: 'hunter22\ud83d' } }],
    ['environment', { environment: 'hunter22' }],
    ['environment', { environment: 'toString' }],
    ['apiVersion', { apiVersion: 'hunter22' }],
    ['apiVersion', { apiVersion: '2026-02-30' }],
    ['onBehalfOf', { onBehalfOf: '' }],
    ['onBehalfOf', { onBehalfOf: 'hunter22\r\nx-evil: 1' }],
    ['timeout.headers', { timeout: { headers: 0 } }],
    ['timeout.connect', { timeout: { connect: Number.NaN } }],
    ['timeout.whole', { timeout: { whole: -1 } }],
    ['numbers', { numbers: 'hunter22' }],
    ['drift', { drift: 'hunter22' }],
    ['maxBytes', { maxBytes: 0 }],
    ['priority', { priority: 'hunter22' }],
    ['limits.global', { limits: { global: 0 } }],
    ['limits.concurrency', { limits: { concurrency: 2.5 } }],
    ['limits.logins', { limits: { logins: Number.NaN } }],
    ['share', { share: 0 }],
    ['share', { share: 1.5 }],
    ['guard', { guard: 'hunter22' }],
    ['guard', { guard: -1 }],
    ['retry.throttled', { retry: { throttled: -1 } }],
    ['retry.faults', { retry: { faults: 0.5 } }],
    ['lists.maxPages', { lists: { maxPages: 0 } }],
    ['lists.maxEmptyPages', { lists: { maxEmptyPages: -1 } }],
    ['renewEarly', { renewEarly: -5 }],
    ['codes.fault', { codes: { fault: 'hunter22' } }],
    ['codes.duplicate[0]', { codes: { duplicate: [409] } }],
    ['codes.duplicate', { codes: { duplicate: { hunter22: true } } }],
    ['credentials', { credentials: { ...good.credentials, token: async () => 'hunter22' } }],
    ['credentials.apikey', { credentials: { clientId: 'me', apikey: 'hunter22' } }],
    ['credentials.clientId', { credentials: { apiKey: 'hunter22' } }],
    ['credentials.apiKey', { credentials: { clientId: 'me', apiKey: 22 } }],
    ['partner.clientSecret', { partner: { clientId: 'me' } }],
    ['timer', { timer: { now: () => 0 } }],
    ['scheduler', { scheduler: createScheduler({ tiers: [], lanes: { interactive: 1 } }) }],
    ['scheduler', { scheduler: createScheduler({ tiers: [], lanes: { hunter22: 1 } }) }],
    ['partner', { partner: new URLSearchParams({ clientId: 'me' }) }],
    ['limits.perEndpoint', { limits: { perEndpoint: 5 } }],
    ['limits.toString', { limits: { toString: 5 } }],
    ['timeout.read', { timeout: { read: 'hunter22' } }],
    ['credentials.key', { credentials: { clientId: 'me', apiKey: 'x', key: 'hunter22' } }],
  ])('%s is named, and not repeated: %j', (name, options) => {
    const error = thrown(options)
    expect(error).toBeInstanceOf(InvalidOption)
    expect(error).toMatchObject({ name: 'InvalidOption', option: name })
    expect(String(error)).toContain(`${name} should be`)
    expect(inspect(error)).not.toContain('hunter22')
  })

  const scheduler = createClient(good).scheduler
  const transport = kyTransport()
  it.each<readonly [string, string, Readonly<Record<string, unknown>>]>([
    ['limits', 'scheduler', { scheduler, limits: { global: 5 } }],
    ['share', 'scheduler', { scheduler, share: 0.5 }],
    ['guard', 'scheduler', { scheduler, guard: 'safe' }],
    ['environment', 'scheduler', { scheduler, environment: 'test' }],
    ['quota', 'scheduler', { scheduler, quota: {} }],
    ['fair', 'scheduler', { scheduler, fair: false }],
    ['fetch', 'transport', { transport, fetch: globalThis.fetch }],
    ['maxBytes', 'transport', { transport, maxBytes: 5 }],
    ['hooks', 'transport', { transport, hooks: {} }],
  ])('is %s beside %s, which replaces it', (name, winner, options) => {
    expect(String(thrown(options))).toContain(
      `${name} should be omitted, because ${winner} replaces it`,
    )
    expect(thrown({ ...options, [name]: undefined })).toBeUndefined()
  })

  it.each<readonly [Readonly<Record<string, unknown>>, string]>([
    [{ baseUrl: '' }, 'user name, query and fragment, but is empty'],
    [
      { credentials: { clientId: '', apiKey: '' } },
      'without leading or trailing whitespace, but is empty',
    ],
    [{ apiVersion: '' }, 'a date in the form YYYY-MM-DD, but is empty'],
  ])('is said to be empty, as a variable that is not set may be: %j', (options, words) => {
    expect(String(thrown(options))).toContain(words)
  })

  it('given to `with` is named as well', () => {
    const client = createClient(good)
    expect(() => client.with({ apiVersion: 'latest' })).toThrow(InvalidOption)
    expect(() => client.with({ timeout: { body: -1 } })).toThrow('timeout.body')
    const entries: object = new Map([['check', false]])
    expect(() => client.with(entries)).toThrow(
      'options should be an object like { apiVersion, onBehalfOf, timeout, headers, priority, retry, lookUpFor, deadline, check }, but is an object without fields',
    )
    const misspelt: Readonly<Record<string, unknown>> = { apiversion: '2026-02-27' }
    expect(() => client.with(misspelt)).toThrow(
      'apiversion should be omitted: unknown option (did you mean apiVersion?)',
    )
    const ofClients: Readonly<Record<string, unknown>> = { share: 0.5 }
    expect(() => client.with(ofClients)).toThrow(
      'with: share should be omitted: unknown option; the options are',
    )
    const word: Readonly<Record<string, unknown>> = { check: 'no' }
    expect(() => client.with(word)).toThrow('check should be true or false, but is a string')
  })
})

describe('options that are undefined', () => {
  it.each<Readonly<Record<string, unknown>>>([
    { limits: { global: undefined } },
    { timeout: { headers: undefined } },
    { lists: { maxPages: undefined } },
    { retry: { faults: undefined }, share: undefined, guard: undefined, renewEarly: undefined },
    { environment: undefined, timer: undefined, random: undefined, fetch: undefined },
    { credentials: { ...good.credentials, token: undefined, loginAs: undefined } },
    { credentials: undefined, partner: undefined, scheduler: undefined, check: undefined },
  ])('are those that were left out: %j', (options) => {
    expect(thrown(options)).toBeUndefined()
  })

  it('leave the limits as they are', async () => {
    const limits: Readonly<Record<string, unknown>> = { global: undefined, endpoint: 7 }
    const { scheduler } = createClient({ ...good, limits })
    const { tiers } = await firstValueFrom(scheduler.state)
    expect(tiers.map(({ name, limit }) => [name, limit])).toEqual([
      ['concurrency', 50],
      ['global', 100],
      ['endpoint', 7],
      ['logins', 100],
    ])
  })

  it('leave the keys secret', async () => {
    const seen: Array<string> = []
    const client = createClient({
      ...good,
      credentials: { ...good.credentials, token: undefined } as unknown as Credentials,
      retry: { faults: 0 },
      transport: ({ url, headers }) => {
        seen.push(new URL(url).pathname)
        const text = JSON.stringify({ code: 'no', message: `no ${headers['x-api-key']}` })
        return of(E.right({ status: 400, header: () => undefined, body: text }))
      },
    })
    const failure = await firstValueFrom(client.charges.retrieve({ id: 'chg_1' }))
    expect(seen).toEqual(['/api/v1/authentication/login'])
    expect(failure).toMatchObject({ _tag: 'Left', left: { code: 'no' } })
    expect(JSON.stringify(failure)).not.toContain('key-81dc9bdb52d0')
  })
})

describe('valid options', () => {
  it.each<Partial<ClientOptions>>([
    { baseUrl: 'http://localhost:3000' },
    { baseUrl: 'http://127.0.0.1:3000/under/a/path/' },
    { baseUrl: 'http://[::1]:3000' },
    { baseUrl: 'http://sandbox:8080', plainHttp: true },
    { environment: 'test', limits: { endpoint: Number.POSITIVE_INFINITY }, share: 0.5 },
    { guard: 0, retry: { throttled: 0, faults: 0 }, renewEarly: 0 },
    { credentials: { clientId: 'me', apiKey: 'two words' } },
    { timeout: { headers: Number.POSITIVE_INFINITY }, maxBytes: Number.POSITIVE_INFINITY },
    {
      scheduler: createScheduler({ tiers: [], lanes: { bulk: 1, interactive: 1, other: 1 } }),
      priority: 'bulk',
    },
    { priority: 'bulk', timeout: { headers: 1 }, apiVersion: '2026-02-27', onBehalfOf: 'acct' },
  ])('%j', (options) => {
    expect(thrown(options)).toBeUndefined()
  })
})
