import * as t from 'io-ts'
import { describe, expect, it } from 'vitest'
import type { Codec } from '../../../src/codec/Codec.js'
import { E } from '../../../src/fp.js'
import {
  byNumber,
  Charge,
  ChargeFilter,
  endpoint,
  InvalidOption,
  NewCharge,
  wasRecovered,
} from '../../../src/index.js'
import {
  CHARGE,
  CREATE,
  LIST,
  LOGIN,
  lab,
  NEW_CHARGE,
  problem,
  REFUSED_CONNECTION,
  RESET,
  type Reply,
  tokens,
} from '../../support/lab.js'

describe('an ambiguous charge', () => {
  const made = { ...CHARGE, request_id: 'uuid-1' }
  const listed = (...items: ReadonlyArray<unknown>): Reply => ({ body: { has_more: false, items } })

  /** A create that ends as `creates` says, one after the other, and what the list then shows. */
  const creating = (creates: ReadonlyArray<Reply>, list: Reply) => {
    const all = lab({
      play: ({ route }, nth) => (route === CREATE ? (creates[nth - 1] ?? RESET_REPLY) : list),
    })
    const [first] = all.run(all.client.charges.create(NEW_CHARGE))
    return { ...all, value: first?.value }
  }

  const RESET_REPLY: Reply = { outage: RESET }

  it('is looked up by its request_id, and emitted as recovered', () => {
    const { value, calls: sent, events } = creating([], listed(made))
    expect(value).toEqual(E.right(made))
    expect(value !== undefined && E.isRight(value) && wasRecovered(value.right)).toBe(true)
    expect(sent().map(({ route }) => route)).toEqual([CREATE, CREATE, CREATE, LIST])
    expect(sent()[3]?.query.get('request_id')).toBe('uuid-1')
    expect(events.filter(({ _tag }) => _tag === 'Recovered')).toEqual([
      { _tag: 'Recovered', call: 1, endpoint: CREATE, requestId: 'uuid-1' },
    ])
    expect(JSON.stringify(value)).toBe(JSON.stringify(E.right(made)))
  })

  it('is looked up with a new login if that of its next attempt failed', () => {
    const logins = tokens()
    const { client, sent, run } = lab({
      login: (departure, nth) => (nth === 2 ? problem(403, 'forbidden') : logins(departure, nth)),
      play: ({ route }, nth) => {
        if (route !== CREATE) return listed(made)
        return nth === 1 ? RESET_REPLY : problem(401, 'credentials_expired')
      },
    })
    const out = run(client.charges.create(NEW_CHARGE))
    expect(out.map(({ value }) => value)).toEqual([E.right(made)])
    const routes = sent.map(({ route }) => route)
    expect(routes).toEqual([LOGIN, CREATE, CREATE, LOGIN, LOGIN, LIST])
  })

  it.each<readonly [string, number, Reply]>([
    ['no body', 3, { status: 201, body: '' }],
    ['a 204', 3, { status: 204, body: '' }],
    ['null', 1, { body: null }],
    ['an object without fields', 1, { body: {} }],
    ['a field of another type', 1, { status: 201, body: { ...made, amount: '9.99' } }],
  ])('is looked up after a success that cannot be read: %s', (_, times, reply) => {
    const there = creating([reply, reply, reply], listed(made))
    expect(there.value).toEqual(E.right(made))
    expect(
      there.value !== undefined && E.isRight(there.value) && wasRecovered(there.value.right),
    ).toBe(true)
    expect(there.calls().map(({ route }) => route)).toEqual([...Array(times).fill(CREATE), LIST])
    expect(creating([reply, reply, reply], listed()).value).toMatchObject(
      E.left({ _tag: 'Ambiguous', requestId: 'uuid-1', cause: { _tag: 'Undecodable' } }),
    )
  })

  it('has the trace id of its last response', () => {
    const fault: Reply = { status: 503, headers: { 'x-request-id': 'trace-3' } }
    expect(creating([fault, fault, fault], listed()).value).toMatchObject(
      E.left({ _tag: 'Ambiguous', traceId: 'trace-3' }),
    )
  })

  it('is found if the retry is rejected as a duplicate', () => {
    for (const code of ['request_id_duplicate', 'duplicate_request', 'already_exists']) {
      const { value, calls: sent } = creating(
        [RESET_REPLY, problem(400, code)],
        listed({ ...made, id: 'other', request_id: 'other' }, made),
      )
      expect(value).toEqual(E.right(made))
      expect(sent()).toHaveLength(3)
    }
  })

  it.each<readonly [string, ReadonlyArray<Reply>]>([
    ['at its first attempt: a proxy has sent it twice', []],
    ['after a 429', [problem(429, 'too_many_requests')]],
    ['after a 401', [problem(401, 'credentials_expired')]],
    ['after the 429 of a gateway', [{ status: 429, body: '<html>' }]],
  ])('whose request_id was generated is found when it is a duplicate %s', (_, before) => {
    const { value } = creating([...before, problem(400, 'request_id_duplicate')], listed(made))
    expect(value).toEqual(E.right(made))
    expect(value !== undefined && E.isRight(value) && wasRecovered(value.right)).toBe(true)
  })

  it('with a request_id of its own that is a duplicate at its first attempt is refused: it belongs to another call', () => {
    const refusing = (...before: ReadonlyArray<Reply>) => {
      const all = lab({
        play: ({ route }, nth) =>
          route === CREATE
            ? (before[nth - 1] ?? problem(400, 'request_id_duplicate'))
            : listed({ ...made, request_id: 'own' }),
      })
      const out = all.run(all.client.charges.create({ ...NEW_CHARGE, request_id: 'own' }))
      return { value: out[0]?.value, calls: all.calls() }
    }
    for (const before of [[], [{ outage: REFUSED_CONNECTION }]]) {
      const { value, calls } = refusing(...before)
      expect(value).toMatchObject(E.left({ _tag: 'Refused', code: 'request_id_duplicate' }))
      expect(calls.map(({ route }) => route)).not.toContain(LIST)
    }
    for (const before of ['too_many_requests', 'credentials_expired']) {
      const status = before === 'too_many_requests' ? 429 : 401
      expect(refusing(problem(status, before)).value).toMatchObject(E.right({ id: made.id }))
    }
  })

  it.each<readonly [string, number, string, string | undefined]>([
    ['a 429 of a gateway', 429, '<html>', undefined],
    ['a 429 with another code', 429, '{"code":"slow_down"}', undefined],
    ['a 401 of a gateway', 401, '<html>', undefined],
    ['a 429 of the service', 429, '{"code":"too_many_requests"}', 'Throttled'],
    ['a 401 of the service', 401, '{"code":"credentials_expired"}', 'Unauthorized'],
  ])('is what ends in %s', (_, status, body, tag) => {
    const { value } = creating(Array(8).fill({ status, body }), listed())
    expect(value).toMatchObject(E.left({ _tag: tag ?? 'Ambiguous' }))
  })

  it.each<readonly [string, ReadonlyArray<Reply>]>([
    ['a refused connection', [RESET_REPLY, ...Array(2).fill({ outage: REFUSED_CONNECTION })]],
    ['a 429', [RESET_REPLY, ...Array(8).fill(problem(429, 'too_many_requests'))]],
    ['another refusal', [RESET_REPLY, problem(400, 'insufficient_fund')]],
    ['a 401', [RESET_REPLY, ...Array(2).fill(problem(401, 'credentials_invalid'))]],
  ])('stays ambiguous when a later attempt ends in %s', (_, creates) => {
    const lost = creating(creates, listed())
    expect(lost.value).toMatchObject(
      E.left({ _tag: 'Ambiguous', endpoint: CREATE, requestId: 'uuid-1' }),
    )
    expect(creating(creates, listed(made)).value).toEqual(E.right(made))
  })

  it('lists the steps taken if it is not found', () => {
    const { value } = creating([], listed({ ...made, request_id: 'another' }))
    expect(value).toEqual(
      E.left({
        _tag: 'Ambiguous',
        endpoint: CREATE,
        attempts: 3,
        requestId: 'uuid-1',
        tried: [
          'sent 3 times with the same request_id',
          'looked up by its request_id: not found (5 look-ups)',
        ],
        cause: expect.objectContaining({ _tag: 'Unreachable', code: 'ECONNRESET' }),
        message: `${CREATE}: may or may not have succeeded: ${CREATE}: ECONNRESET: read ECONNRESET; looked up by its request_id: not found (5 look-ups)`,
      }),
    )
  })

  it('says so if it cannot be looked up', () => {
    const { value } = creating([], problem(403, 'forbidden'))
    expect(value).toMatchObject(
      E.left({
        _tag: 'Ambiguous',
        tried: [expect.any(String), expect.stringContaining('the look-up failed')],
      }),
    )
  })

  it('that is found but does not decode is not called missing', () => {
    const { value } = creating([], listed({ ...made, amount: {} }))
    expect(value).toMatchObject(E.left({ _tag: 'Ambiguous' }))
    expect(JSON.stringify(value)).toContain('items[0].amount')
    expect(JSON.stringify(value)).not.toContain('not found')
  })

  it.each([
    ['amount', 999],
    ['currency', 'EUR'],
    ['source', 'acct_2'],
  ])('is not another one that had its request_id before: by its %s', (field, other) => {
    const { value } = creating([], listed({ ...made, [field]: other }))
    expect(value).toMatchObject(E.left({ _tag: 'Ambiguous' }))
    expect(JSON.stringify(value)).toContain(`a different one with this request_id: ${field}`)
  })

  it('from a row of the caller’s own is looked up by its row or route', () => {
    const own = {
      params: NewCharge,
      success: Charge,
      repeatable: 'by request_id',
    } as const
    const payouts = endpoint('GET /api/v2/payouts', {
      params: ChargeFilter,
      success: Charge,
      paging: byNumber(100),
    })
    for (const foundBy of [payouts, LIST] as const) {
      const all = lab({
        play: ({ request }) => (request.method === 'POST' ? RESET_REPLY : listed(made)),
      })
      const create = all.client.request(
        endpoint('POST /api/v2/payouts/create', { ...own, foundBy }),
      )
      expect(all.run(create(NEW_CHARGE))[0]?.value).toEqual(E.right(made))
      expect(all.calls().at(-1)?.route).toBe(foundBy === LIST ? LIST : payouts.route)
    }
    const unknown = endpoint('POST /api/v2/payouts/create', { ...own, foundBy: payouts.route })
    expect(() => lab({}).client.request(unknown)).toThrow(InvalidOption)
    expect(() => lab({}).client.request(unknown)).toThrow(
      'foundBy should be the route of an API list',
    )
  })
})

describe('the sent values', () => {
  const DueDate = new t.Type<Date, string, unknown>(
    'a Date',
    (u): u is Date => u instanceof Date,
    (u, context) => (typeof u === 'string' ? t.success(new Date(u)) : t.failure(u, context)),
    (date) => date.toISOString(),
  )
  const terms = t.partial({ net: t.string, tags: t.array(t.string), note: t.null })
  const asked = {
    amount: 5,
    due: new Date('2026-04-01'),
    express: true,
    terms: { net: '10.00', tags: ['a', 'b'], note: null },
  }
  const shown = {
    id: 'pay_1',
    request_id: 'uuid-1',
    amount: '5.00',
    due: '2026-04-01T00:00:00+0000',
    express: true,
    terms: { id: 'terms_1', tags: ['a', 'b'], net: 10 },
  }
  const paid = t.type({ id: t.string })
  const knownBy = ['amount', 'due', 'express', 'terms']

  /** A payout whose answer is lost, and what the list then shows. */
  const recovering = <A>(found: object, success: Codec<A>) => {
    const payouts = endpoint('GET /api/v2/payouts', {
      params: t.partial({ request_id: t.string, page_num: t.number }),
      success,
      paging: byNumber(10),
    })
    const pay = endpoint('POST /api/v2/payouts/create', {
      params: t.intersection([
        t.type({ amount: t.number, due: DueDate, express: t.boolean, terms }),
        t.partial({ request_id: t.string }),
      ]),
      success,
      repeatable: 'by request_id',
      foundBy: payouts,
      knownBy,
    })
    const all = lab({
      play: ({ request }) =>
        request.method === 'POST'
          ? { outage: RESET }
          : { body: { has_more: false, items: [found] } },
    })
    return all.run(all.client.request(pay)(asked))[0]?.value
  }

  it('matches a row with equal fields in any spelling', () => {
    expect(recovering(shown, paid)).toMatchObject(E.right({ id: 'pay_1' }))
    // null, as it was asked for, is none
    const noted = { ...shown, terms: { ...shown.terms, note: 'given by the service' } }
    expect(recovering(noted, paid)).toMatchObject(E.right({ id: 'pay_1' }))
  })

  it.each([
    ['due', '2026-03-01T00:00:00+0000'],
    ['express', false],
    ['express', null],
    ['terms', { net: 11 }],
    ['terms', { net: 10, tags: ['b', 'a'] }],
    ['terms', { net: 10, tags: ['a'] }],
    ['terms', 'net 10'],
    ['amount', { value: 5 }],
  ])('is not what is found with another %s: %o', (field, other) => {
    expect(recovering({ ...shown, [field]: other }, paid)).toMatchObject(
      E.left({
        _tag: 'Ambiguous',
        message: expect.stringContaining(`a different one with this request_id: ${field}`),
      }),
    )
  })
})

it.each(['credentials_invalid', 'credentials_expired'])(
  'a webhook was not made where the credentials are refused with %s, whatever codes its row lists',
  (code) => {
    const webhook = { events: ['charge.new'], url: 'https://shop.test/', version: '2026-08-21' }
    for (const kind of ['webhooks', 'partnerWebhooks'] as const) {
      const { client, run } = lab({
        partner: { clientId: 'p', clientSecret: 's' },
        play: () => problem(401, code),
      })
      const [out] = run(client[kind].create(webhook))
      expect(out?.value).toMatchObject(E.left({ _tag: 'Unauthorized', code }))
    }
  },
)

describe('a login that fails', () => {
  it.each([
    ['refuses the connection', { outage: REFUSED_CONNECTION }, 'Unreachable', 3],
    ['resets it', { outage: RESET }, 'Unreachable', 3],
    ['answers 500', problem(500, 'internal_error'), 'ServerFault', 3],
    ['answers 401', problem(401, 'credentials_invalid'), 'Unauthorized', 1],
    ['answers 403', problem(403, 'access_denied'), 'Unauthorized', 1],
    ['answers 400', problem(400, 'credentials_invalid'), 'Unauthorized', 1],
    ['answers with a redirect', { status: 302, body: '' }, 'ServerFault', 3],
    ['answers 404, of another server', { status: 404, body: '<html>' }, 'Refused', 1],
    ['answers without a token', { status: 201, body: {} }, 'Undecodable', 1],
  ] as const)('because it %s leaves no doubt: nothing was sent', (_, reply, tag, times) => {
    const { client, calls: sent, logins, run } = lab({ login: () => reply })
    const out = run(client.charges.create(NEW_CHARGE))
    expect(sent()).toEqual([])
    expect(logins()).toHaveLength(times)
    expect(out.map(({ value }) => value)).toEqual([
      E.left(
        expect.objectContaining({
          _tag: tag,
          endpoint: 'POST /api/v1/authentication/login',
          attempts: 0,
        }),
      ),
    ])
  })
})
