import { describe, expect, it } from 'vitest'
import {
  type ClientActivity,
  describeStall,
  NO_ACTIVITY,
  noteEvent,
  stallReasons,
  type WidthUsed,
} from '../../../src/cli/progress/StallReason.js'
import type { RedactedFailure } from '../../../src/http/ClientEvent.js'
import type { ClientEvent } from '../../../src/index.js'
import type { SchedulerState } from '../../../src/scheduler/index.js'
import { state, tier } from './support.js'

const endpoint = 'GET /api/v1/charges'
const failure: RedactedFailure = {
  _tag: 'ServerFault',
  endpoint,
  attempts: 1,
  status: 503,
  code: 'away',
  message: `${endpoint}: 503 away`,
}

const told = (...events: ReadonlyArray<readonly [number, ClientEvent]>): ClientActivity =>
  events.reduce((activity, [at, event]) => noteEvent(event, at)(activity), NO_ACTIVITY)

const said = (
  changes: Partial<SchedulerState>,
  activity = NO_ACTIVITY,
  now = 10_000,
): ReadonlyArray<string> => stallReasons(activity, state(changes), now).map(describeStall)

const ANSWERED = { _tag: 'Answered', call: 1, endpoint, attempt: 1, status: 200 } as const

const again = { _tag: 'Retrying', call: 1, endpoint, attempt: 1, failure, pause: 4_000 } as const

const SENT = { _tag: 'Sent', call: 1, endpoint, attempt: 1, waited: 0 } as const

describe('stall reasons', () => {
  it('are none when nothing waits', () => {
    expect(said({})).toEqual([])
  })

  describe('name the concurrent requests when they leave some of the quota', () => {
    const slow = told([9_000, { ...ANSWERED, took: 490 }])
    const tiers = [
      tier({ name: 'concurrency', kind: 'concurrency', limit: 50, allowed: 50 }),
      tier({ used: 8, usedMost: 8, share: 0.4 }),
    ]
    const of = (width: WidthUsed, activity = slow, changes = {}) =>
      stallReasons(activity, state({ tiers, ...changes }), 10_000, width).map(describeStall)

    it('as given', () => {
      expect(of({ given: 8, underWay: 7.6 })).toEqual([
        '8 concurrent requests at 490 ms per page: --parallel 14 would use more of the quota (estimate)',
      ])
    })

    it('as found where more are no faster, until they are again', () => {
      const found = (isEnough: boolean) =>
        ({ _tag: 'ConcurrencyFound', endpoint, requests: 4, isEnough, message: '' }) as const
      const turn = told([9_000, { ...ANSWERED, took: 900 }], [9_100, found(true)])
      expect(of({ underWay: 3.9 }, turn)).toEqual([
        '4 concurrent requests at 900 ms per page: more would not be faster',
      ])
      expect(of({ given: 3, underWay: 3 }, turn)[0]).toContain('(estimate)')
      expect(of({ underWay: 3.9 }, noteEvent(found(false), 9_200)(turn))).toEqual([])
    })

    it('as the service allows', () => {
      const slower = told([9_000, { ...ANSWERED, took: 4_900 }])
      expect(of({ underWay: 50 }, slower)).toEqual([
        '50 concurrent requests at 4,900 ms per page: the service allows no more',
      ])
    })

    it('but not while fewer are under way, nor when the quota is used up', () => {
      expect(of({ given: 8, underWay: 4 })).toEqual([])
      expect(of({ given: 8, underWay: 8 }, NO_ACTIVITY)).toEqual([])
      expect(of({ underWay: 8 })).toEqual([])
      const full = [...tiers.slice(0, 1), tier({ share: 1 })]
      expect(of({ given: 8, underWay: 8 }, slow, { tiers: full })).toEqual([])
    })
  })

  it('name a lowered limit', () => {
    expect(said({ tiers: [tier({ allowed: 12 })] })).toEqual([
      'endpoint limit lowered from 20/s to 12/s after refusals: is another process using this account?',
    ])
  })

  it('name a fault until the request is sent again', () => {
    const activity = told([8_000, SENT], [8_100, again], [9_000, { ...again, pause: 500 }])
    const at = (now: number) => said({ inFlight: 0 }, activity, now)
    expect(at(9_100)).toEqual([`retrying in 0.4 s: ${failure.message}`])
    expect(at(10_100)).toEqual([`retrying in 2.0 s: ${failure.message}`])
    expect(at(12_100)).toEqual([])
  })

  it('name a missing answer', () => {
    const activity = told([1_000, SENT], [9_000, { ...SENT, attempt: 2 }])
    expect(said({}, activity, 5_000)).toEqual([])
    expect(said({}, activity, 13_000)).toEqual(['no response for 15 s: 3 requests in flight'])
    expect(said({}, activity, 6_000)).toEqual(['no response for 5 s: 3 requests in flight'])
  })

  it('name the Redis of a shared quota until it is back', () => {
    const message =
      'the Redis server of the shared quota cannot be used and will be retried: NOPERM'
    const refused: ClientEvent = { _tag: 'QuotaChanged', isAvailable: false, message }
    expect(said({}, told([1_000, refused]))).toEqual([message])
    expect(said({}, told([1_000, refused], [2_000, { ...refused, isAvailable: true }]))).toEqual([])
  })

  it('name the destination when nothing is requested', () => {
    const activity = told([1_000, SENT], [2_000, { ...ANSWERED, took: 1_000 }])
    const idle = (now: number, seen = activity) => said({ inFlight: 0 }, seen, now)
    expect(idle(6_000)).toEqual([])
    expect(idle(7_000)).toEqual(['nothing written for 5 s: the destination is slow or locked'])
    expect(said({ inFlight: 0, waiting: 1 }, activity, 7_000)).toEqual([])
    const onDisk = (now: number) =>
      stallReasons(activity, state({ inFlight: 0 }), now, undefined, true).map(describeStall)
    expect(onDisk(31_999)).toEqual([])
    expect(onDisk(32_000)).toEqual(['nothing written for 30 s: the destination is slow or locked'])
    const wait = {
      _tag: 'DestinationWait',
      destination: 'charges.sqlite',
      waited: 5_000,
      isOver: false,
      message: 'charges.sqlite: waited 5 s so far: database is locked (SQLITE_BUSY)',
    } as const
    const refused = noteEvent({ ...wait, reason: 'database is locked (SQLITE_BUSY)' }, 7_000)
    const locked = ['nothing written for 10 s: database is locked (SQLITE_BUSY)']
    expect(idle(9_000, refused(activity))).toEqual(locked)
    const over = noteEvent({ ...wait, isOver: true }, 9_000)
    const slow = ['nothing written for 10 s: the destination is slow or locked']
    expect(idle(9_000, over(refused(activity)))).toEqual(slow)
  })

  it('ignore a short silence', () => {
    const reset: ClientEvent = {
      ...{ _tag: 'Unanswered', call: 1, endpoint, attempt: 1, took: 10 },
      failure: { ...failure, _tag: 'Unreachable', code: 'ECONNRESET', mayHaveArrived: true },
    }
    for (const event of [{ ...ANSWERED, took: 10 }, reset]) {
      const activity = told([1_000, SENT], [9_000, event])
      expect(said({}, activity, 13_000)).toEqual([])
      expect(said({}, activity, 14_000)).toEqual(['no response for 5 s: 3 requests in flight'])
    }
  })

  it('have the gravest first', () => {
    const tiers = [tier({ allowed: 5, waiting: 1 })]
    const busy = state({ backingOff: 1, waiting: 1, tiers })
    const all = stallReasons(told([10_000, again]), busy, 10_001)
    expect(all.map(({ _tag }) => _tag)).toEqual(['Fault', 'Refused', 'Lowered', 'Limit'])
  })
})
