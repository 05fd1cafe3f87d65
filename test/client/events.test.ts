/** Events are for logs: whatever is sent and answered, none repeats it. */
import { firstValueFrom } from 'rxjs'
import { describe, expect, expectTypeOf, it, vi } from 'vitest'
import { E } from '../../src/fp.js'
import { type ClientEvent, type ClientOptions, createClient } from '../../src/index.js'
import { CHARGE, CREATE, LIST, LOGIN, lab, NEW_CHARGE, type Reply } from '../support/lab.js'
import { everything } from '../support/secrets.js'

/** Personal data that a body may hold, and no event may. */
const contents = {
  account_holder: 'Jane Doe',
  iban: 'GB29NWBK60161331926819',
  balance: 52_340.17,
  remark: 'bonus for a good year',
} as const
const spoken = Object.values(contents).join(' ')

const expectNoContents = (events: ReadonlyArray<ClientEvent>): void => {
  for (const text of events.flatMap(everything)) {
    for (const one of Object.values(contents)) expect(text).not.toContain(String(one))
  }
}

/** A refusal that repeats the body in all that it has. */
const repeating = (status: number, code: string): Reply => ({
  status,
  body: { code, message: spoken, source: spoken, details: contents, trace_id: 'trace-1' },
})

/** Plays these replies to a charge that is made, one after the other, and then what was meant. */
const told = (replies: ReadonlyArray<Reply>, options: Partial<ClientOptions> = {}) => {
  const { client, events, run } = lab({
    play: (_, nth) => replies[nth - 1] ?? { body: CHARGE },
    ...options,
  })
  const out = run(client.charges.create({ ...NEW_CHARGE, request_id: 'request-1' }))
  return { events, out: out.map(({ value }) => value) }
}

type RedactedFailure = Extract<ClientEvent, { readonly _tag: 'Retrying' }>['failure']

const failures = (events: ReadonlyArray<ClientEvent>): ReadonlyArray<RedactedFailure> =>
  events.flatMap((event) =>
    event._tag === 'Unanswered' || event._tag === 'Retrying' ? [event.failure] : [],
  )

describe('events hold nothing of a body', () => {
  it.each([
    ['a fault', 503, 'away', 'ServerFault', 'away'],
    ['a fault without a code', 500, '', 'ServerFault', 'http_500'],
    ['a fault with a long code', 502, spoken, 'ServerFault', `text of ${spoken.length} characters`],
    ['a fault with a number in a code', 502, 'acct_12345', 'ServerFault', 'text of 10 characters'],
    ['a fault with an IBAN for a code', 502, contents.iban, 'ServerFault', 'text of 22 characters'],
    ['a request in progress', 409, 'request_pending', 'Refused', 'request_pending'],
  ])('%s', (_, status, code, tag, shown) => {
    const { events } = told([repeating(status, code)])
    expectNoContents(events)
    expect(failures(events)).toEqual([
      {
        _tag: tag,
        endpoint: CREATE,
        attempts: 1,
        traceId: 'trace-1',
        status,
        code: shown,
        message: `${CREATE}: ${status} ${shown}`,
      },
    ])
  })

  it('while the failure of the call does', () => {
    const { events, out } = told([repeating(409, 'request_pending')], { retry: { faults: 0 } })
    expect(out).toMatchObject([
      E.left({ cause: { details: contents, message: expect.stringContaining('Jane Doe') } }),
    ])
    expectNoContents(events)
  })

  it('a response that is no JSON', () => {
    const { events } = told([{ body: `<html>${spoken}` }])
    expectNoContents(events)
    expect(failures(events)).toMatchObject([{ _tag: 'Undecodable', expected: 'JSON' }])
  })

  it('a trace that is a sentence', () => {
    const { events } = told([{ status: 500, headers: { 'x-request-id': spoken } }])
    expectNoContents(events)
    expect(failures(events)).toMatchObject([{ traceId: `text of ${spoken.length} characters` }])
  })

  it('a line that repeats what it could not send', () => {
    const outage = { _tag: 'Unreachable', code: 'ECONNRESET', mayHaveArrived: true } as const
    const { events } = told([{ outage: { ...outage, reason: `could not send ${spoken}` } }])
    expectNoContents(events)
    const failure = { ...outage, endpoint: CREATE, attempts: 1, message: `${CREATE}: ECONNRESET` }
    expect(failures(events)).toEqual([failure, failure])
  })

  it('a line whose code does so', () => {
    const outage = { _tag: 'Unreachable', code: spoken, reason: '', mayHaveArrived: true } as const
    const { events } = told([{ outage }])
    expectNoContents(events)
    const code = `text of ${spoken.length} characters`
    expect(failures(events)).toMatchObject([{ code }, { code }])
  })

  it('no answer in time, a charge that was found, a login and what drifted: every other event', () => {
    const late: Reply = { outage: { _tag: 'TimedOut', phase: 'headers', limit: 60_000 } }
    const row = { ...CHARGE, status: 'ON HOLD FOR JANE', ...contents, [spoken]: spoken }
    const { client, events, run } = lab({
      retry: { faults: 0 },
      drift: true,
      play: ({ route }) =>
        route === CREATE ? late : { body: { has_more: false, items: [row], ...contents } },
      login: () => ({ status: 201, body: { token: 't', ...contents } }),
    })
    const made = run(client.charges.create({ ...NEW_CHARGE, request_id: 'request-1' }))
    expect(made).toMatchObject([{ value: E.right({ id: 'chg_1' }) }])
    run(client.charges.list())
    expect(new Set(events.map(({ _tag }) => _tag))).toEqual(
      new Set([
        ...['Started', 'Sent', 'Answered', 'Unanswered', 'Ended'],
        ...['LoggedIn', 'Recovered', 'Drifted'],
      ]),
    )
    expect(events.filter(({ _tag }) => _tag === 'Drifted')).toContainEqual({
      _tag: 'Drifted',
      fact: expect.objectContaining({ endpoint: LIST, path: 'balance', example: 'number' }),
    })
    expect(events).toContainEqual(expect.objectContaining({ endpoint: LOGIN, took: 10 }))
    expectNoContents(events)
  })
})

it.each([-3_600_000, 3_600_000])('took no longer if the clock is set by %i ms', async (jump) => {
  const day = Date.now()
  const clock = vi.spyOn(Date, 'now').mockReturnValue(day)
  const client = createClient({
    baseUrl: 'https://platform.test',
    credentials: { token: async () => ({ token: 'own-token' }) },
    fetch: async () => {
      clock.mockReturnValue(day + jump)
      return new Response(JSON.stringify(CHARGE))
    },
  })
  const took: Array<number> = []
  client.events.subscribe((event) => event._tag === 'Answered' && took.push(event.took))
  expect(await firstValueFrom(client.charges.retrieve({ id: 'chg_1' }))).toEqual(E.right(CHARGE))
  expect(took).toHaveLength(1)
  expect(took[0]).toBeGreaterThanOrEqual(0)
  expect(took[0]).toBeLessThan(3_600_000)
})

it('the type of a failure in an event says so', () => {
  type Refused = Extract<RedactedFailure, { readonly _tag: 'Refused' }>
  expectTypeOf<Refused>().not.toHaveProperty('details')
  expectTypeOf<Refused>().not.toHaveProperty('source')
  expectTypeOf<RedactedFailure['_tag']>().toEqualTypeOf<
    'Unreachable' | 'TimedOut' | 'ServerFault' | 'Undecodable' | 'Refused'
  >()
})
