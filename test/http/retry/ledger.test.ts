/** The books of many writes: what the caller is told of each must agree with what the service has done. */
import fc from 'fast-check'
import { EMPTY } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { E } from '../../../src/fp.js'
import { type Charge, type Failure, wasRecovered } from '../../../src/index.js'
import { CHARGE, CREATE, lab, NEW_CHARGE, problem, RESET, type Reply } from '../../support/lab.js'
import { runs } from '../../support/runs.js'

const WRITES = 800

/** Answers in place of the service's own; a gateway gives some of them in other words. */
const gateway: ReadonlyArray<Reply> = [
  ...[301, 302, 303, 307, 400, 403, 404, 405, 408, 409, 413, 421, 422, 425, 499].map((status) => ({
    status,
    body: '<html>from a gateway</html>',
  })),
  { status: 400, body: { message: 'Bad Request' } },
  { status: 403, body: { code: 1020, message: 'Access denied' } },
  { status: 404, body: { code: '', error: 'no such route' } },
  { status: 408, body: { code: 'request_timeout' } },
  { status: 425, body: '' },
  { status: 404, body: '{"code":"not_fo', incompleteBody: true },
  { status: 500, body: '' },
  { status: 502, body: '<html>Bad Gateway</html>' },
  { status: 504, body: '' },
  { status: 204, body: '' },
  { status: 200, body: '<html>Sign in</html>' },
  { outage: RESET },
  { outage: { _tag: 'TimedOut', phase: 'headers', limit: 60_000 } },
]

/** One write, as it goes: a gateway answers some of its attempts, before the service has them or afterwards. */
interface Fate {
  /** By attempt; the last goes on. */
  readonly attempts: ReadonlyArray<
    'the service answers' | { readonly after: boolean; readonly answer: Reply }
  >
  readonly refusal: Reply | undefined
  /** A gateway answers the look-up as well. */
  readonly lookUp: Reply | undefined
}

const answer = fc.constantFrom(...gateway)
const fate: fc.Arbitrary<Fate> = fc.record({
  attempts: fc.array(
    fc.oneof(
      { weight: 1, arbitrary: fc.constant('the service answers' as const) },
      { weight: 3, arbitrary: fc.record({ after: fc.boolean(), answer }) },
    ),
    { minLength: 1, maxLength: 4 },
  ),
  refusal: fc.option(
    fc.constantFrom(problem(400, 'insufficient_fund'), problem(403, 'account_suspended')),
    { nil: undefined, freq: 6 },
  ),
  lookUp: fc.option(answer, { nil: undefined, freq: 6 }),
})

/** Plays a service that charges once for each `request_id`, behind a gateway. */
const played = (fates: ReadonlyMap<string, Fate>) => {
  const paid = new Map<string, object>()
  /** Writes whose last request had an answer of the service itself. */
  const clear = new Set<string>()
  const counts = new Map<string, number>()

  const serve = (requestId: string, refusal: Reply | undefined): Reply => {
    if (paid.has(requestId)) return problem(400, 'request_id_duplicate')
    if (refusal !== undefined) return refusal
    const charge = { ...CHARGE, id: `chg_${requestId}`, request_id: requestId }
    paid.set(requestId, charge)
    return { status: 201, body: charge }
  }

  const bench = lab({
    limits: { global: Number.POSITIVE_INFINITY, endpoint: Number.POSITIVE_INFINITY },
    retry: { budget: Number.POSITIVE_INFINITY },
    play: ({ route, body, query }) => {
      const requestId = String(route === CREATE ? body.request_id : query.get('request_id'))
      const { attempts, refusal, lookUp } = fates.get(requestId) ?? failed(requestId)
      clear.delete(requestId)
      if (route !== CREATE) {
        if (lookUp !== undefined) return lookUp
        clear.add(requestId)
        const found = paid.get(requestId)
        return { body: { has_more: false, items: found === undefined ? [] : [found] } }
      }
      const nth = counts.get(requestId) ?? 0
      counts.set(requestId, nth + 1)
      const what = attempts[Math.min(nth, attempts.length - 1)]
      if (typeof what === 'object') {
        if (what.after) serve(requestId, refusal)
        return what.answer
      }
      clear.add(requestId)
      return serve(requestId, refusal)
    },
  })
  const told = new Map<string, E.Either<Failure, Charge>>()
  for (const request_id of fates.keys()) {
    const write = bench.client.charges.create({ ...NEW_CHARGE, request_id })
    write.subscribe((outcome) => told.set(request_id, outcome))
  }
  bench.run(EMPTY)
  return { paid, clear, counts, told }
}

const failed = (requestId: string): never => {
  throw new Error(`no write has the request_id ${requestId}`)
}

describe('800 writes behind a gateway', () => {
  it('none that was paid is refused, and none is ambiguous that the service was clear about', () => {
    fc.assert(
      fc.property(fc.array(fate, { minLength: WRITES, maxLength: WRITES }), (all) => {
        const fates = new Map(all.map((one, i) => [`request-${i}`, one]))
        const { paid, clear, counts, told } = played(fates)
        expect(told.size).toBe(WRITES)
        for (const [requestId, outcome] of told) {
          const charge = paid.get(requestId)
          const isFirst = counts.get(requestId) === 1
          if (E.isRight(outcome)) {
            expect(outcome.right).toEqual(charge)
            if (wasRecovered(outcome.right)) expect(clear).toContain(requestId)
          } else if (outcome.left._tag === 'Refused') {
            expect([requestId, charge]).toEqual([requestId, undefined])
          } else {
            expect(outcome.left).toMatchObject({ _tag: 'Ambiguous', requestId })
            const isClear = clear.has(requestId) && (isFirst || charge !== undefined)
            expect([requestId, isClear]).toEqual([requestId, false])
          }
        }
      }),
      { numRuns: runs(1), endOnFailure: true },
    )
  })
})
