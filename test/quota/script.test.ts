/** The script in a real Redis divides as the rule says, and what it keeps there is bounded and expires. */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasRedis, type Redis, startRedis } from '../../bench/services/redis.js'
import {
  emptyAccount,
  type MemberReport,
  type QuotaClaim,
  RESERVE,
  report,
} from '../../src/quota/rule.js'
import { decodeGrants, encodeReport, SCRIPT } from '../../src/quota/script.js'
import { runs } from '../support/runs.js'

const CLOCK = 'math.floor(time[1] * 1000 + time[2] / 1000)'
/** The script with a clock that the test sets. */
const TIMED = SCRIPT.replace(CLOCK, "tonumber(redis.call('GET', 'now'))")

const ACCOUNT = 'payments-rx:{main}'
/** Tail of a limit per minute, in ms: its window, half of one as guard, and a second. */
const LONGEST = 91_000
const RUN = 'run_id:(\\w+)'

const claim = fc.record({
  limit: fc.integer({ min: 1, max: 30 }),
  /** Index of the last version that was told, or 0. */
  isKnown: fc.boolean(),
  had: fc.integer({ min: 0, max: 20 }),
  held: fc.integer({ min: 0, max: 20 }),
  want: fc.integer({ min: 0, max: 30 }),
  less: fc.constantFrom(0, 0, 0, 3),
})

const steps = fc.array(
  fc.record({
    process: fc.integer({ min: 0, max: 5 }),
    after: fc.constantFrom(0, 50, 250, 900, 5_000, 20_000, 100_000, -3_000),
    /** A report may come late: with a number that is not the highest. */
    isLate: fc.constantFrom(false, false, false, true),
    isLeaving: fc.constantFrom(false, false, false, false, true),
    isAcknowledged: fc.boolean(),
    isEmptied: fc.integer({ min: 0, max: 30 }).map((n) => n === 0),
    claims: fc.array(claim, { minLength: 1, maxLength: 3 }),
  }),
  { minLength: 1, maxLength: 40 },
)

describe.skipIf(!hasRedis)('the script', () => {
  let redis: Redis
  beforeAll(async () => {
    redis = await startRedis()
  })
  afterAll(() => redis?.stop())

  it('is timed by the clock of Redis', () => {
    expect(TIMED).not.toBe(SCRIPT)
  })

  it('divides as the rule does, on any history', async () => {
    const [, run = ''] = new RegExp(RUN).exec(String(await redis.send(['INFO', 'server']))) ?? []
    await fc.assert(
      fc.asyncProperty(steps, async (history) => {
        await redis.send(['FLUSHALL'])
        let account = emptyAccount()
        let now = 1_700_000_000_000
        const told = new Map<string, { part: number; version: number }>()
        for (const [seq, step] of history.entries()) {
          now += step.after
          if (step.isEmptied) {
            await redis.send(['FLUSHALL'])
            account = emptyAccount()
          }
          const id = `p${step.process}`
          const claims = step.claims.map(({ isKnown, ...one }, i): QuotaClaim => {
            const name = `${ACCOUNT}:${i === 0 ? 'reserve' : `limit:${i}`}`
            const known = told.get(`${id} ${name}`)
            return {
              ...one,
              name,
              tail: i === 2 ? LONGEST : 2_500,
              turn: 8_000,
              version: isKnown ? (known?.version ?? 0) : 0,
              had: step.isAcknowledged ? (known?.part ?? 0) : one.had,
            }
          })
          const sent: MemberReport = {
            id,
            seq: step.isLate ? Math.max(1, seq - 3) : seq + 1,
            lease: 10_000,
            longest: LONGEST,
            isLeaving: step.isLeaving,
            claims,
          }
          const expected = report(account, now, run, sent)
          await redis.send(['SET', 'now', String(now)])
          const answer = await redis.send(['EVAL', TIMED, ...encodeReport(ACCOUNT, sent)])
          expect(decodeGrants(answer, expected.length)).toEqual(expected)
          for (const [i, { part, version }] of expected.entries()) {
            const one = claims[i]
            if (one) told.set(`${id} ${one.name}`, { part: part ?? one.had, version })
          }
        }
      }),
      { numRuns: runs(100), endOnFailure: true },
    )
  })

  it('keeps a hash for the account and one for each limit in use, all with one hash tag, and lets them expire', async () => {
    await redis.send(['FLUSHALL'])
    const claims = (had: number, want: number): ReadonlyArray<QuotaClaim> =>
      ['reserve', ...Array.from({ length: 50 }, (_, n) => `limit:endpoint:${n}`)].map((name) => ({
        name: `${ACCOUNT}:${name}`,
        limit: 20,
        tail: 2_500,
        turn: 8_000,
        version: 0,
        had,
        held: 0,
        want,
        less: 0,
      }))
    const tell = async (id: string, seq: number, isLeaving: boolean, want: number) => {
      const sent = { id, seq, lease: 1_000, longest: 2_500, isLeaving, claims: claims(0, want) }
      await redis.send(['EVAL', SCRIPT, ...encodeReport(ACCOUNT, sent)])
    }
    const keys = async () => [await redis.send(['KEYS', '*'])].flat().map(String)
    for (let process = 0; process < 20; process++) await tell(`p${process}`, 1, false, 5)
    const all = await keys()
    expect(all).toHaveLength(52)
    for (const key of all) {
      expect(key).toMatch(/^payments-rx:\{main\}/)
      expect(await redis.send(['PTTL', key])).toSatisfy((ms: number) => ms > 0 && ms <= 604_800_000)
    }
    for (let process = 0; process < 20; process++) await tell(`p${process}`, 2, true, 0)
    expect(await keys()).toEqual([ACCOUNT])
  })

  it('keeps the part free that a process without Redis goes on with, until that has ended for sure', async () => {
    await redis.send(['FLUSHALL'])
    const [lease, tail] = [10_000, 2_500]
    const parts = new Map<string, number>()
    let now = 1_700_000_000_000
    let seq = 0
    /** A process reports its parts of these limits, and wants all of each. */
    const tell = async (id: string, names: ReadonlyArray<string>): Promise<void> => {
      const claims = names.map((name): QuotaClaim => {
        const limit = name === 'reserve' ? RESERVE : 20
        const had = parts.get(`${id} ${name}`) ?? 0
        const more = { tail, turn: 8_000, version: 0, held: 0, less: 0 }
        return { ...more, name: `${ACCOUNT}:${name}`, limit, had, want: limit }
      })
      const sent = { id, seq: ++seq, lease, longest: LONGEST, isLeaving: false, claims }
      await redis.send(['SET', 'now', String(now)])
      const answer = await redis.send(['EVAL', TIMED, ...encodeReport(ACCOUNT, sent)])
      decodeGrants(answer, claims.length)?.forEach(({ part }, i) => {
        if (part !== undefined) parts.set(`${id} ${names[i]}`, part)
      })
    }
    for (let report = 0; report < 300; report++) {
      await tell('a', ['reserve'])
      await tell('b', ['reserve'])
      now += 500
    }
    expect([parts.get('a reserve'), parts.get('b reserve')]).toEqual([RESERVE / 2, RESERVE / 2])
    const since = now
    const partOfA: Array<number | undefined> = []
    for (; now <= since + lease; now += 500) await tell('a', ['reserve'])
    for (; now <= since + lease + tail - 500; now += 500) {
      await tell('a', ['reserve', 'limit:all'])
      partOfA.push(parts.get('a limit:all'))
    }
    expect(partOfA).toEqual(partOfA.map(() => 10))
    for (let report = 0; report < 4; report++, now += 500) await tell('a', ['reserve', 'limit:all'])
    expect(parts.get('a limit:all')).toBe(20)
  })
})
