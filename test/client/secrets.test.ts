/**
 * No secret leaves: every way in which a call can end is played with secrets that can be told apart,
 * on a wire that repeats them in whatever it says, and all that comes out is searched for them.
 *
 * To watch over another secret, add it to `support/secrets.ts` and let a call carry it; over another
 * output, add it to `outputs`; over another way to fail, add it to `ways`.
 */
import { pino } from 'pino'
import { firstValueFrom, map, type Observable, of } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { E } from '../../src/fp.js'
import {
  type Client,
  type ClientOptions,
  createClient,
  type Failure,
  type HttpRequest,
  toError,
} from '../../src/index.js'
import { virtualTime } from '../support/idleClock.js'
import { CHARGE, LOGIN, lab, NEW_CHARGE, type Reply } from '../support/lab.js'
import { sample } from '../support/runs.js'
import { everything, expectNoSecret, secrets, spellings } from '../support/secrets.js'

/** All that a client lets out while a call is made of it, as texts. */
const outputs = (
  options: Partial<ClientOptions>,
  call: (client: Client) => Observable<unknown>,
  reply: (request: HttpRequest) => Reply,
  login: (request: HttpRequest) => Reply = () => ({ body: { token: secrets.token } }),
): { readonly texts: ReadonlyArray<string>; readonly values: ReadonlyArray<unknown> } => {
  const lines: Array<string> = []
  const bench = lab({
    log: pino({ level: 'debug' }, { write: (line) => lines.push(line) }),
    credentials: { clientId: 'lab-client', apiKey: secrets.apiKey },
    partner: { clientId: 'partner', clientSecret: secrets.clientSecret },
    play: ({ request }) => reply(request),
    login: ({ request }) => login(request),
    retry: { throttled: 1, faults: 1 },
    ...options,
  })
  const states: Array<unknown> = []
  const watching = bench.client.scheduler.state.subscribe((state) => states.push(state))
  const out = call(bench.client)
  const values = bench.run(out).map(({ value }) => value)
  watching.unsubscribe()
  const errors = values.flatMap((value) => {
    const ea = value as E.Either<Failure, unknown>
    return E.isLeft(ea) ? [toError(ea.left)] : []
  })
  const told = [
    bench.client,
    out,
    values,
    bench.events,
    lines,
    states,
    errors,
    ...errors.map(({ stack }) => stack),
  ]
  return { texts: told.flatMap(everything), values }
}

// what can happen

const headersOf = ({ headers }: HttpRequest): string => Object.values(headers).join(' ; ')

/** JSON as another writer has it: with slashes and quotes in escapes of their own. */
const escaped = (text: string): string =>
  JSON.stringify(text).replaceAll('/', '\\/').replaceAll('+', '\\u002b').replaceAll('e', '\\u0065')

/** An error answer that repeats every header in every field that it has. */
const echo =
  (status: number) =>
  (request: HttpRequest): Reply => {
    const all = headersOf(request)
    return {
      status,
      headers: { 'x-request-id': all, 'request-id': all, 'retry-after': '0' },
      body: {
        code: all,
        message: all,
        source: all,
        trace_id: all,
        details: { [all]: [all, { deep: all }], number: Number(request.headers['x-pan'] ?? 0) },
      },
    }
  }

const ways: Readonly<Record<string, (request: HttpRequest) => Reply>> = {
  ...Object.fromEntries(
    [302, 400, 401, 403, 404, 409, 429, 500, 503].map((status) => [`${status}`, echo(status)]),
  ),
  'a 400 in escapes': (request) => {
    const all = escaped(headersOf(request))
    return { status: 400, body: `{"code":${all},"message":${all},"errors":[${all}]}` }
  },
  'a 500 as text': (request) => ({ status: 500, body: `<html>${headersOf(request)}` }),
  'a 500 as text, cut in the middle of a secret': (request) => ({
    status: 500,
    body: `${'x'.repeat(190)}${headersOf(request)}`,
  }),
  'a 409 that shows what is there': () => {
    const webhook = { id: 'w', secret: secrets.webhookSecret }
    const text = JSON.stringify(webhook)
    return { status: 409, body: { code: 'already_exists', message: text, details: { webhook } } }
  },
  'a 500 page of what is there': () => ({
    status: 500,
    body: `<pre>{&quot;secret&quot;: &quot;${secrets.webhookSecret}&quot;}</pre>`,
  }),
  'a 400 with digits in groups': ({ headers }) => {
    const groups = (headers['x-pan'] ?? '').match(/\d{4}/g) ?? []
    const odd = (headers['x-pan'] ?? '').match(/\d{1,3}/g) ?? []
    const all = ['+', '%20', '%2D', '&nbsp;', '&#32;', '_', '/'].map((by) => groups.join(by))
    all.push(odd.join(','), odd.join(' - '), groups.join(' | '), groups.slice(1).join(''))
    return { status: 400, body: { code: 'unknown', message: all.join(' ; '), details: all } }
  },
  'a 400 with a card number in every spelling': ({ headers }) => {
    const all = spellings((headers['x-pan'] ?? '').replaceAll(' ', ''))
    return {
      status: 400,
      headers: { 'x-request-id': all.at(0) ?? '' },
      body: { code: all.at(-3), message: all.join(' ; '), source: all.at(1), details: all },
    }
  },
  'no JSON': (request) => ({ body: headersOf(request) }),
  'another shape': (request) => ({
    body: { id: 7, secret: secrets.webhookSecret, [headersOf(request)]: headersOf(request) },
  }),
  'a list of other things': (request) => ({ body: { items: [headersOf(request)] } }),
  'a broken connection': (request) => ({
    outage: {
      _tag: 'Unreachable',
      code: 'FETCH_FAILED',
      reason: `could not send ${headersOf(request)}`,
      mayHaveArrived: true,
    },
  }),
  'no answer in time': () => ({ outage: { _tag: 'TimedOut', phase: 'headers', limit: 60_000 } }),
}

/** Calls that carry a secret each. */
const calls: Readonly<Record<string, (client: Client) => Observable<unknown>>> = {
  'a charge': ({ charges }) => charges.create(NEW_CHARGE),
  'a list': ({ charges }) => charges.list(),
  // what a success holds is the caller's: `raw` has its rows as they came
  'the pages of a list': ({ charges }) =>
    charges.list().pages.pipe(map(E.map(({ raw: _, ...page }) => page))),
  'a card number': (client) => client.reference.lookUpBin({ pan: secrets.cardNumber }),
  'a card number with spaces': (client) =>
    client.reference.lookUpBin({ pan: secrets.cardNumber.replace(/(?<=^(....)+)/g, ' ').trim() }),
  'a partner’s call': (client) => client.partnerWebhooks.list(),
  'a subscription': (client) => client.webhooks.retrieve({ id: 'w' }),
}

const cases = Object.keys(ways).flatMap((way) => Object.keys(calls).map((call) => ({ way, call })))

const good = (): Reply => ({ body: CHARGE })

describe('secrets are removed', () => {
  it.each(sample(40, cases))('when $call ends in $way', ({ way, call }) => {
    const { texts, values } = outputs({}, calls[call] ?? of, ways[way] ?? good)
    expect(values.length).toBeGreaterThan(0)
    texts.forEach(expectNoSecret)
  })

  it.each(Object.keys(ways))('when the login ends in %s', (way) => {
    const { texts, values } = outputs({}, ({ charges }) => charges.list(), good, ways[way] ?? good)
    expect(values).toEqual([E.left(expect.objectContaining({ endpoint: LOGIN }))])
    texts.forEach(expectNoSecret)
  })

  it.each(Object.keys(ways))('in a token of the caller’s own, when a call ends in %s', (way) => {
    const credentials = { token: () => of({ token: secrets.ownToken }) }
    const { texts } = outputs({ credentials }, ({ charges }) => charges.list(), ways[way] ?? good)
    texts.forEach(expectNoSecret)
  })

  it.each(Object.keys(calls))('when the answer to %s breaks off within it', (call) => {
    for (const status of [400, 401, 429, 503]) {
      const seen: Array<string> = []
      const { texts } = outputs({}, calls[call] ?? of, ({ headers }) => {
        const secret = headers['x-pan'] ?? headers.authorization?.split(' ')[1] ?? ''
        seen.push(secret.slice(0, 5))
        return { status, body: `{"message":"no ${secret.slice(0, -4)}`, incompleteBody: true }
      })
      expect(seen[0]).toHaveLength(5)
      for (const text of texts) expect(seen.filter((begin) => text.includes(begin))).toEqual([])
    }
  })

  it.each(Object.keys(calls))('when the answer to %s has the beginning of it', (call) => {
    for (const after of ['', '...', '</p>']) {
      const seen: Array<string> = []
      const { texts } = outputs({}, calls[call] ?? of, ({ headers }) => {
        const secret = headers['x-pan'] ?? headers.authorization?.split(' ')[1] ?? ''
        seen.push(secret.slice(0, 8))
        const cut = `no ${secret.slice(0, -4)}${after}`
        return { status: 400, body: { code: cut, message: cut, details: [cut, { cut }] } }
      })
      expect(seen[0]).toHaveLength(8)
      for (const text of texts) expect(seen.filter((begin) => text.includes(begin))).toEqual([])
    }
  })

  it('when a `fetch` returns text in place of a body', async () => {
    const body = JSON.parse(JSON.stringify(JSON.stringify({ ...secrets, items: [secrets] })))
    const { timer, run } = virtualTime()
    const client = createClient({
      baseUrl: 'https://platform.test',
      credentials: { token: () => of({ token: secrets.ownToken }) },
      timer,
      partner: { clientId: 'partner', clientSecret: secrets.clientSecret },
      retry: { faults: 0 },
      fetch: async () => ({ status: 200, headers: { get: () => null }, body }),
    })
    for (const [name, call] of Object.entries(calls)) {
      const value = await run(firstValueFrom(call(client)))
      const reason = name.startsWith('a card') ? 'is not shown' : 'is not a stream'
      expect(value).toMatchObject({ left: { message: expect.stringContaining(reason) } })
      everything(value).forEach(expectNoSecret)
    }
  })

  it('when a response repeats the keys of other calls', () => {
    const { apiKey, clientSecret } = secrets
    const { texts } = outputs(
      {},
      (client) => client.charges.retrieve({ id: 'chg_1' }),
      () => ({
        status: 400,
        body: { code: 'x', message: `${apiKey} ${clientSecret}`, details: [apiKey, clientSecret] },
      }),
    )
    texts.forEach(expectNoSecret)
  })

  it('when nothing fails', () => {
    const { texts, values } = outputs({}, ({ charges }) => charges.create(NEW_CHARGE), good)
    expect(values).toEqual([E.right(CHARGE)])
    texts.forEach(expectNoSecret)
  })

  it('when a parameter is refused before it is sent', () => {
    for (const number of [`${secrets.cardNumber}x`, `${secrets.cardNumber}\r\n`]) {
      for (const check of [true, false]) {
        const { texts, values } = outputs(
          {},
          (client) => client.with({ check }).reference.lookUpBin({ pan: number }),
          good,
        )
        if (check || number.endsWith('\n')) {
          expect(values).toMatchObject([E.left({ _tag: 'InvalidRequest' })])
        }
        texts.forEach(expectNoSecret)
      }
    }
  })

  it('when a login answers with what is no token', () => {
    const spoilt = { body: { token: `${secrets.token}\n`, expires_at: secrets.token } }
    const { texts, values } = outputs(
      {},
      ({ charges }) => charges.list(),
      good,
      () => spoilt,
    )
    expect(values).toMatchObject([E.left({ _tag: 'Undecodable', path: 'token' })])
    texts.forEach(expectNoSecret)
  })

  it('when the source of a token fails', () => {
    const credentials = {
      token: () => {
        throw new Error(secrets.ownToken)
      },
    }
    const { texts } = outputs({ credentials }, ({ charges }) => charges.list(), good)
    texts.forEach(expectNoSecret)
  })
})

describe('this test', () => {
  it('finds a secret in any encoding', () => {
    for (const secret of Object.values(secrets)) {
      for (const spelling of spellings(secret)) {
        expect(() => expectNoSecret(`before ${spelling} after`)).toThrow('shows in')
      }
    }
  })

  it('has its wire repeat the secrets', () => {
    const repeated: Array<string> = []
    const spy = (request: HttpRequest): Reply => {
      repeated.push(headersOf(request))
      return good()
    }
    for (const call of Object.values(calls))
      outputs({}, call, spy, (request) => {
        repeated.push(headersOf(request))
        return { body: { token: secrets.token } }
      })
    outputs(
      { credentials: { token: () => of({ token: secrets.ownToken }) } },
      calls['a list'] ?? of,
      spy,
    )
    const all = repeated.join('\n')
    const basic = Buffer.from(`partner:${secrets.clientSecret}`).toString('base64')
    const { clientSecret: _, webhookSecret: __, ...plain } = secrets
    for (const secret of [...Object.values(plain), basic]) expect(all).toContain(secret)
  })
})
