import fc from 'fast-check'
import type { Subscription } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { type Guard, schedule } from '../../src/scheduler/index.js'
import { type Answer, refused, world } from './world.js'

const delays = fc.record({
  up: fc.double({ min: 0, max: 300, noNaN: true }),
  work: fc.double({ min: 0, max: 400, noNaN: true }),
  down: fc.double({ min: 0, max: 300, noNaN: true }),
})

const request = fc.record({
  at: fc.integer({ min: 0, max: 3_000 }),
  endpoint: fc.constantFrom('a', 'b', 'c'),
  lane: fc.constantFrom('interactive', 'bulk'),
  delays,
  /** When it is cancelled, if at all: after so long. */
  cancel: fc.option(fc.integer({ min: 0, max: 5_000 }), { freq: 4 }),
})

const limits = fc.record({
  global: fc.integer({ min: 1, max: 8 }),
  endpoint: fc.integer({ min: 1, max: 5 }),
  per: fc.integer({ min: 50, max: 1_500 }),
  concurrent: fc.integer({ min: 1, max: 6 }),
})

type Request = typeof request extends fc.Arbitrary<infer T> ? T : never
type Limits = typeof limits extends fc.Arbitrary<infer T> ? T : never

/** Runs to the end; `real` are the limits the server has, if others than the scheduler knows. */
const run = (known: Limits, requests: ReadonlyArray<Request>, guard: Guard, real = known) => {
  const w = world(known, { guard })
  w.server = world(real).server
  const seen: Array<Answer> = []
  const cancelled = new Set<string>()
  requests.forEach(({ at, endpoint, lane, delays, cancel }, i) => {
    w.timer.schedule(() => {
      const subscription: Subscription = w
        .send(`${i}`, endpoint, delays)
        .pipe(schedule(w.scheduler, endpoint, { lane, refused, attempts: 1_000 }))
        .subscribe((answer) => seen.push(answer))
      if (cancel === null) return
      w.timer.schedule(() => {
        if (!subscription.closed) cancelled.add(`${i}`)
        subscription.unsubscribe()
      }, cancel)
    }, at)
  })
  w.timer.flush()
  return { w, seen, cancelled }
}

const requests = fc.array(request, { minLength: 1, maxLength: 60 })

describe('over random requests, limits, delays and cancellations', () => {
  it('nothing is ever refused when it is safe', () => {
    fc.assert(
      fc.property(limits, requests, (known, asked) => {
        expect(run(known, asked, 'safe').w.server.refused()).toBe(0)
      }),
      { numRuns: 300 },
    )
  })

  it.each<Guard>(['safe', 'learned', 20])(
    'with %s, nothing is lost, nothing done twice, and all come to an end',
    (guard) => {
      fc.assert(
        fc.property(limits, requests, (known, asked) => {
          const { w, seen, cancelled } = run(known, asked, guard)
          const expected = asked.map((_, i) => `${i}`).filter((i) => !cancelled.has(i))
          expect(seen.map(({ request }) => request).sort()).toEqual(expected.sort())
          expect(seen.every(({ ok }) => ok)).toBe(true)
          expect([...w.letIn.values()].every((times) => times === 1)).toBe(true)
          expect(w.timer.pending()).toBe(0)
        }),
        { numRuns: 150 },
      )
    },
  )

  it('all come to an end when the server allows less than it says', () => {
    fc.assert(
      fc.property(limits, limits, requests, (known, real, asked) => {
        const least = {
          global: Math.min(known.global, real.global),
          endpoint: Math.min(known.endpoint, real.endpoint),
          per: known.per,
          concurrent: Math.min(known.concurrent, real.concurrent),
        }
        const { w, seen, cancelled } = run(known, asked, 'learned', least)
        expect(seen.length + cancelled.size).toBe(asked.length)
        expect(seen.every(({ ok }) => ok)).toBe(true)
        expect(w.timer.pending()).toBe(0)
      }),
      { numRuns: 150 },
    )
  })

  it('leaves nothing behind in its state', () => {
    fc.assert(
      fc.property(limits, requests, (known, asked) => {
        const { w } = run(known, asked, 'learned')
        w.timer.flush(w.timer.now() + 10_000)
        w.scheduler.state
          .subscribe((state) => {
            expect(state).toMatchObject({ waiting: 0, inFlight: 0, backingOff: 0 })
            expect(state.tiers.map(({ used }) => used)).toEqual([0, 0, 0])
          })
          .unsubscribe()
      }),
      { numRuns: 100 },
    )
  })
})
