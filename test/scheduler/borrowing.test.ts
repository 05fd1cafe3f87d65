/** How much is asked for: what a store lends, and nobody uses, others could have had. */
import { concatMap, map, mergeMap, of, range, timer } from 'rxjs'
import { describe, expect, it } from 'vitest'
import {
  concurrency,
  createScheduler,
  rate,
  schedule,
  shared,
  type Tier,
} from '../../src/scheduler/index.js'
import { type VirtualTimer, virtualTimer } from '../support/simulated/virtualTimer.js'

interface Options {
  readonly batch: number
  readonly takes: number
  readonly clock?: VirtualTimer
  readonly tiers?: ReadonlyArray<Tier<string>>
  readonly lend?: (places: number) => { readonly places: number; readonly wait?: number }
}

/** A store that lends all it is asked for, unless told, and what it was asked for. */
const borrowing = ({ batch, takes, clock = virtualTimer(), tiers = [], lend }: Options) => {
  const asked: Array<number> = []
  const store = shared<string>({
    name: 'store',
    batch,
    take: (_, places) => {
      asked.push(places)
      return timer(takes, clock).pipe(map(() => lend?.(places) ?? { places }))
    },
  })
  const scheduler = createScheduler<string>({ tiers: [store, ...tiers], timer: clock })
  const answer = (key: string) =>
    timer(90, clock).pipe(
      map(() => clock.now()),
      schedule(scheduler, key),
    )
  return { asked, answer, clock, lent: () => asked.reduce((sum, places) => sum + places, 0) }
}

const own = (limit: number) => rate<string>({ name: 'own', limit, per: 1_000, guard: 0 })

describe('a store is asked for what those who wait can use', () => {
  it.each([1, 20, 100])('beside a limit of 25 a second: %d at most', (batch) => {
    const { answer, clock, lent } = borrowing({ batch, takes: 2, tiers: [own(25)] })
    let done = 0
    range(0, 500)
      .pipe(mergeMap(() => answer('')))
      .subscribe(() => done++)
    clock.flush()
    expect([done, lent()]).toEqual([500, 500])
  })

  it('at most a batch at a time, also when more wait', () => {
    const { answer, asked, clock } = borrowing({ batch: 20, takes: 2 })
    for (let i = 0; i < 50; i++) answer('').subscribe()
    clock.flush()
    expect(asked).toEqual([1, 20, 20, 9])
  })

  it('in all queues together, as far as a limit goes that they share', () => {
    const { answer, asked, clock } = borrowing({
      batch: 20,
      takes: 2,
      tiers: [own(15), concurrency({ name: 'each', limit: 2, key: (key) => key })],
    })
    for (let i = 0; i < 40; i++) answer(`${i % 10}`).subscribe()
    clock.flush(900)
    expect(asked).toEqual([1, 14])
  })

  it('so a process with little room leaves to others what it cannot use', () => {
    const took = [1, 20, 100].map((batch) => {
      const clock = virtualTimer()
      let lent: ReadonlyArray<number> = []
      const lend = (places: number) => {
        const now = clock.now()
        lent = lent.filter((at) => now - at < 2_000)
        const granted = Math.min(places, 100 - lent.length)
        lent = [...lent, ...Array<number>(granted).fill(now)]
        return { places: granted, wait: (lent[0] ?? now) + 2_000 - now }
      }
      let last = 0
      for (let i = 0; i < 3; i++) {
        const { answer } = borrowing({ batch, takes: 2, clock, tiers: [own(25)], lend })
        range(0, 300)
          .pipe(mergeMap(() => answer('')))
          .subscribe((at) => {
            last = at
          })
      }
      clock.flush()
      return last
    })
    const [alone = 0] = took
    expect(Math.max(...took)).toBeLessThan(1.1 * alone)
  })
})

describe('a store is asked for those who come while the places are valid', () => {
  it('as far as others came before', () => {
    const { answer, clock, lent } = borrowing({ batch: 20, takes: 50 })
    range(0, 1_000)
      .pipe(concatMap(() => answer('')))
      .subscribe()
    clock.flush()
    expect(clock.now()).toBeLessThan(1.06 * 1_000 * 90)
    expect(lent()).toBeLessThan(1_010)
  })

  it('and for none when nobody does', () => {
    const { answer, asked, clock } = borrowing({ batch: 20, takes: 5 })
    for (let at = 0; at < 100; at++) clock.schedule(() => answer('').subscribe(), 1_100 * at)
    clock.flush()
    expect(asked).toEqual(Array(100).fill(1))
  })

  it('or no longer do', () => {
    const { answer, asked, clock } = borrowing({ batch: 20, takes: 5 })
    const comes = (at: number) => clock.schedule(() => answer('').subscribe(), at)
    for (let i = 0; i < 200; i++) comes(20 * i)
    clock.flush()
    expect(asked.at(-1)).toBe(20)
    const before = asked.length
    for (let i = 1; i <= 3; i++) comes(2_000 * i)
    clock.flush()
    expect(asked.slice(before + 1)).toEqual([1, 1])
  })

  it('by a store that lends more than it is asked for, too', () => {
    const lend = () => ({ places: Number.POSITIVE_INFINITY })
    const { answer, asked, clock } = borrowing({ batch: 20, takes: 5, lend })
    for (const at of [0, 3_000, 6_000]) clock.schedule(() => answer('').subscribe(), at)
    clock.flush()
    expect(asked).toEqual([1, 1, 1])
  })

  it('which the first of many does not know yet', () => {
    const { answer, asked, clock } = borrowing({ batch: 20, takes: 5 })
    of(1, 2, 3).subscribe(() => answer('').subscribe())
    clock.flush()
    expect(asked).toEqual([1, 2])
  })
})
