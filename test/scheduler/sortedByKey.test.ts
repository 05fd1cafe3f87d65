/** `scheduleMap` over items sorted by key: a key without room does not hold up the keys behind it. */
import { delay, from, mergeMap, type Observable, of } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { virtualTimer } from '../../bench/simulated/virtualTimer.js'
import {
  concurrency,
  createScheduler,
  rate,
  schedule,
  scheduleMap,
} from '../../src/scheduler/index.js'

/** 20 per second of each key, 100 of all together. */
const limits = () => {
  const timer = virtualTimer()
  const scheduler = createScheduler<number>({
    tiers: [
      rate({ name: 'all', limit: 100, per: 1_000 }),
      rate({ name: 'key', limit: 20, per: 1_000, key: (key) => `${key}` }),
      concurrency({ name: 'at once', limit: 50 }),
    ],
    guard: 0,
    timer,
  })
  const answer = (key: number) => of(key).pipe(delay(60, timer))
  return { timer, scheduler, answer }
}

type World = ReturnType<typeof limits>

const ways = {
  pulled: ({ scheduler, answer }: World, items: Iterable<number>) =>
    scheduleMap(scheduler, answer, { key: (key: number) => key })(items),
  pushed: ({ scheduler, answer }: World, items: Iterable<number>) =>
    from(items).pipe(scheduleMap(scheduler, answer, { key: (key: number) => key })),
  'mergeMap(schedule)': ({ scheduler, answer }: World, items: Iterable<number>) =>
    from(items).pipe(mergeMap((key) => answer(key).pipe(schedule(scheduler, key)))),
} satisfies Record<string, (world: World, items: Iterable<number>) => Observable<number>>

/** So many items of each key, one key after the other. */
const sorted = (keys: number, each: number): ReadonlyArray<number> =>
  Array.from({ length: keys * each }, (_, i) => Math.floor(i / each))

const secondsOf = (way: keyof typeof ways, items: ReadonlyArray<number>): number => {
  const world = limits()
  let [answers, end] = [0, 0]
  ways[way](world, items).subscribe({
    next: () => answers++,
    complete: () => {
      end = world.timer.now()
    },
  })
  world.timer.flush()
  expect(answers).toBe(items.length)
  return end / 1_000
}

describe('items sorted by key', () => {
  it.each([
    ['pulled', 2, 100],
    ['pulled', 8, 100],
    ['pulled', 2, 1_000],
    ['pushed', 2, 100],
    ['pushed', 8, 100],
    ['pushed', 8, 1_000],
  ] as const)('that are %s take as long as with mergeMap: %d keys, %d each', (way, keys, each) => {
    const items = sorted(keys, each)
    expect(secondsOf(way, items)).toBeLessThanOrEqual(1.05 * secondsOf('mergeMap(schedule)', items))
  })

  it('never send more than the limits allow in any second', () => {
    const { timer, scheduler, answer } = limits()
    const sent: Array<readonly [at: number, key: number]> = []
    const send = (key: number) => {
      sent.push([timer.now(), key])
      return answer(key)
    }
    scheduleMap(scheduler, send, { key: (key: number) => key })(sorted(8, 100)).subscribe()
    timer.flush()
    for (const [i, [start, key]] of sent.entries()) {
      const within = sent.slice(i).filter(([at]) => at < start + 1_000)
      expect(within.length).toBeLessThanOrEqual(100)
      expect(within.filter(([, other]) => other === key).length).toBeLessThanOrEqual(20)
    }
  })
})

describe('an endless source', () => {
  const endless = function* (log: { taken: number }, keys: number) {
    for (;;) yield log.taken++ % keys
  }

  it.each([1, 8])('with %d keys is pulled a thousand items ahead at most', (keys) => {
    const world = limits()
    const log = { taken: 0 }
    let [answers, furthest] = [0, 0]
    ways.pulled(world, endless(log, keys)).subscribe(() => {
      answers++
      furthest = Math.max(furthest, log.taken - answers)
    })
    world.timer.flush(10_000)
    expect(answers).toBeGreaterThanOrEqual(keys === 1 ? 190 : 950)
    expect(furthest).toBeLessThanOrEqual(1_100) // those under way included
  })

  it('is not pulled ahead while the limit of all keys together is full', () => {
    const world = limits()
    const log = { taken: 0 }
    let answers = 0
    ways.pulled(world, endless(log, 5)).subscribe(() => answers++)
    world.timer.flush(0)
    expect(log.taken).toBeLessThanOrEqual(100)
    expect(answers).toBe(0)
  })
})
