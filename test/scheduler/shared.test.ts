import {
  defer,
  EMPTY,
  map,
  mergeMap,
  NEVER,
  Observable,
  of,
  range,
  Subject,
  takeUntil,
  throwError,
  timer,
} from 'rxjs'
import { describe, expect, it } from 'vitest'
import { O } from '../../src/fp.js'
import {
  concurrency,
  createScheduler,
  type Lent,
  rate,
  schedule,
  shared,
} from '../../src/scheduler/index.js'
import { virtualTimer } from '../support/simulated/virtualTimer.js'
import { stateOf } from './world.js'

/** Lends three places every 100 ms, and answers after 5. */
const run = (batch: number, requests: number, broken = 0) => {
  const clock = virtualTimer()
  const [asked, went]: [Array<number>, Array<number>] = [[], []]
  let [period, lent] = [0, 0]
  const take = (_: string, places: number) => {
    asked.push(clock.now())
    if (asked.length <= broken) return throwError(() => new Error('down'))
    return timer(5, clock).pipe(
      map((): Lent => {
        const now = Math.floor(clock.now() / 100)
        if (now > period) [period, lent] = [now, 0]
        const granted = Math.min(places, 3 - lent)
        lent += granted
        return { places: granted, wait: (period + 1) * 100 - clock.now(), valid: 50 }
      }),
    )
  }
  const scheduler = createScheduler({
    tiers: [shared({ name: 'store', take, batch }), concurrency({ name: 'places', limit: 2 })],
    timer: clock,
  })
  range(0, requests)
    .pipe(mergeMap((i) => of(i).pipe(schedule(scheduler, undefined))))
    .subscribe(() => went.push(clock.now()))
  clock.flush()
  return { asked, went, pending: clock.pending() }
}

describe('a limit in a store', () => {
  it('starts as many as the store lends, and asks again when it said', () => {
    const { went, pending } = run(3, 7)
    expect(went).toEqual([5, 10, 10, 105, 105, 110, 205])
    expect(pending).toBe(0)
  })

  it('asks once for all who wait by then, and for nobody when nobody waits', () => {
    expect(run(3, 3).asked).toEqual([0, 5])
    expect(run(1, 3).asked).toEqual([0, 5, 10])
  })

  it('asks again when the store fails', () => {
    expect(run(3, 1, 2).asked).toEqual([0, 1_000, 2_000])
  })
})

describe('limits in several stores', () => {
  it.each([
    [60, 100],
    [501, 1_000],
    [950, 1_000],
  ])('are asked at the same time: answers after %d ms, valid for %d', (latency, valid) => {
    const clock = virtualTimer()
    const store = (name: string) =>
      shared<void>({
        name,
        take: (_, places) => timer(latency, clock).pipe(map(() => ({ places, valid }))),
      })
    const scheduler = createScheduler({ tiers: [store('one'), store('other')], timer: clock })
    let went = 0
    for (let i = 0; i < 10; i++) {
      of(1)
        .pipe(schedule(scheduler, undefined))
        .subscribe(() => went++)
    }
    clock.flush(11 * latency)
    expect(went).toBe(10)
  })
})

describe("a limit in a store beside limits of one's own", () => {
  it.each([
    ['before', 1],
    ['before', 20],
    ['after', 1],
    ['after', 20],
  ])(
    'lends nothing to who cannot go yet: it stands %s them, and lends %d at a time',
    (where, batch) => {
      const clock = virtualTimer()
      let [lent, used] = [0, 0]
      const store = shared<string>({
        name: 'store',
        batch,
        take: (_, places) => {
          lent += places
          return timer(5, clock).pipe(map(() => ({ places, valid: 200 })))
        },
      })
      const own = rate({ name: 'own', limit: 20, per: 1_000, guard: 0, key: (key: string) => key })
      const tiers = where === 'before' ? [store, own] : [own, store]
      const scheduler = createScheduler({ tiers, timer: clock })
      for (const key of ['a', 'b', 'c']) {
        for (let i = 0; i < 200; i++) {
          of(1)
            .pipe(schedule(scheduler, key))
            .subscribe(() => used++)
        }
      }
      clock.flush()
      expect([used, lent]).toEqual([600, 600])
    },
  )
})

/** A store of one's own, and who waits for it. */
const waiting = (take: (nth: number) => Observable<Lent>, keyed = false) => {
  const clock = virtualTimer()
  const asked: Array<number> = []
  const went: Array<number> = []
  const told: Array<unknown> = []
  const scheduler = createScheduler<string>({
    tiers: [
      shared({
        name: 'store',
        take: () => {
          asked.push(clock.now())
          return take(asked.length)
        },
        failed: (error) => told.push(error),
        ...(keyed ? { key: (request: string) => request } : {}),
      }),
    ],
    timer: clock,
    random: () => 0,
  })
  const ask = (request = 'a') =>
    defer(() => {
      went.push(clock.now())
      return of(1)
    }).pipe(schedule(scheduler, request))
  return { ask, asked, clock, scheduler, told, went }
}

describe('a store that misbehaves', () => {
  it('by throwing is asked again, and fails nobody', () => {
    const { ask, clock, told, went } = waiting((nth) => {
      if (nth === 1) throw new Error('boom')
      return of({ places: 1 })
    })
    const errors: Array<unknown> = []
    for (let i = 0; i < 3; i++) ask().subscribe({ error: (error) => errors.push(error) })
    clock.flush()
    expect(errors).toEqual([])
    expect(told).toEqual([new Error('boom')])
    expect(went).toEqual([1_000, 1_000, 1_000])
  })

  it.each([0, -5])('by lending for %d ms is not asked without pause', (valid) => {
    const { ask, asked, clock } = waiting(() => of({ places: 3, valid }))
    ask().subscribe()
    clock.flush(3_500)
    expect(asked).toEqual([0, 1_000, 2_000, 3_000])
  })

  it('by answering when what it lent is void is asked a second later, and lets nobody start', () => {
    const { ask, asked, clock, told, went } = waiting((nth) =>
      timer(nth === 1 ? 150 : 50, clock).pipe(map(() => ({ places: 1, valid: 100 }))),
    )
    ask().subscribe()
    clock.flush()
    expect(asked).toEqual([0, 1_150])
    expect(went).toEqual([1_200])
    expect(told).toEqual([
      new Error("shared 'store': what was lent for 100 ms came after 150 ms, and is not used"),
    ])
  })

  it('by numbers that are none is taken at the usual ones', () => {
    const wrong = { places: 1, wait: Number.NaN, valid: Number.NaN }
    const { ask, clock, went } = waiting(() => of(wrong))
    ask().subscribe()
    clock.flush()
    expect(went).toEqual([0])
  })

  it.each<[string, string]>([
    ['places that are no number', '{ "places": null }'],
    ['places that are text', '{ "places": "3" }'],
    ['no places', '{}'],
    ['null', 'null'],
    ['text', '"OK"'],
  ])('by answering with %s has failed, and is asked every second', (_, text) => {
    for (const later of [false, true]) {
      const { ask, asked, clock, told, went } = waiting((nth) => {
        const lent = nth < 3 ? JSON.parse(text) : { places: 1 }
        return later ? timer(5, clock).pipe(map(() => lent)) : of(lent)
      })
      ask().subscribe()
      clock.flush(10_000)
      expect(asked).toEqual(later ? [0, 1_005, 2_010] : [0, 1_000, 2_000])
      expect(told.map(String)).toEqual(
        Array(2).fill("TypeError: shared 'store': take must answer with a number of places"),
      )
      expect(went).toEqual([later ? 2_015 : 2_000])
    }
  })

  it('by completing without an answer has failed, and is asked every second', () => {
    const { ask, asked, clock, told, went } = waiting((nth) =>
      nth < 3 ? EMPTY : of({ places: 1 }),
    )
    ask().subscribe()
    clock.flush(10_000)
    expect([asked, went]).toEqual([[0, 1_000, 2_000], [2_000]])
    expect(told.map(String)).toEqual(
      Array(2).fill("TypeError: shared 'store': take must answer before it completes"),
    )
  })

  it.each([0, -1, -2, Number.NEGATIVE_INFINITY])(
    'by having nothing until %d ms from now is asked a tenth of a second later',
    (wait) => {
      const { ask, asked, clock, told, went } = waiting((nth) =>
        of(nth < 4 ? { places: 0, wait } : { places: 1 }),
      )
      ask().subscribe()
      clock.flush(10_000)
      expect([asked, went, told]).toEqual([[0, 100, 200, 300], [300], []])
    },
  )

  it('by never lending again is asked again all the same', () => {
    const { ask, asked, clock, went } = waiting((nth) =>
      of(nth === 1 ? { places: 0, wait: Number.POSITIVE_INFINITY } : { places: 1 }),
    )
    ask().subscribe()
    clock.flush()
    expect([asked, went]).toEqual([[0, 1_000], [1_000]])
  })

  it('by having whoever asks leave meanwhile starts nobody, and is asked for nobody', () => {
    for (const lent of [of({ places: 1 }), NEVER, throwError(() => new Error('down'))]) {
      const leave = new Subject<void>()
      const { ask, asked, clock, scheduler, went } = waiting(() => {
        leave.next()
        return lent
      })
      ask().pipe(takeUntil(leave)).subscribe()
      clock.flush(5_000)
      expect([asked, went, clock.pending()]).toEqual([[0], [], 0])
      expect(stateOf(scheduler)).toMatchObject({ waiting: 0, inFlight: 0 })
    }
  })

  it('by failing so that whoever waits gives up is asked for nobody', () => {
    const clock = virtualTimer()
    const failed = new Subject<unknown>()
    let asked = 0
    const store = shared({
      name: 'store',
      take: () => {
        asked++
        throw new Error('down')
      },
      failed: (error) => failed.next(error),
    })
    const scheduler = createScheduler<void>({ tiers: [store], timer: clock })
    of(1).pipe(schedule(scheduler, undefined), takeUntil(failed)).subscribe()
    clock.flush(10_000)
    expect([asked, clock.pending()]).toEqual([1, 0])
    expect(stateOf(scheduler)).toMatchObject({ waiting: 0 })
  })

  it('by lending NaN has failed', () => {
    const { ask, clock, told, went } = waiting((nth) => of({ places: nth === 1 ? Number.NaN : 1 }))
    ask().subscribe()
    clock.flush(10_000)
    expect(told).toHaveLength(1)
    expect(went).toEqual([1_000])
  })

  it('by lending half a place has lent none', () => {
    const { ask, clock, went } = waiting((nth) => of({ places: nth === 1 ? 0.5 : 1.5 }))
    ask().subscribe()
    clock.flush(10_000)
    expect(went).toEqual([1_000])
  })

  it('by a teardown that throws when nobody waits is asked anew by the next', () => {
    const { ask, asked, clock, told, went } = waiting((nth) =>
      nth === 1
        ? new Observable(() => () => {
            throw new Error('teardown')
          })
        : of({ places: 1 }),
    )
    ask().subscribe().unsubscribe()
    clock.flush(50)
    ask().subscribe()
    clock.flush(10_000)
    expect([asked, went]).toEqual([[0, 50], [50]])
    expect(String(told)).toContain('teardown')
  })

  it('by an answer that throws when it is read has failed', () => {
    const { ask, asked, clock, told, went } = waiting((nth) =>
      of({
        places: 1,
        get wait() {
          if (nth === 1) throw new Error('no span')
          return 0
        },
      }),
    )
    ask().subscribe()
    clock.flush(10_000)
    expect([asked, went]).toEqual([[0, 1_000], [1_000]])
    expect(String(told)).toContain('no span')
  })

  it('by never answering is left when nobody waits, and asked anew', () => {
    let left = 0
    const { ask, asked, clock, went } = waiting((nth) =>
      nth === 1
        ? new Observable(() => () => {
            left++
          })
        : of({ places: 1 }),
    )
    ask().subscribe().unsubscribe()
    expect(left).toBe(1)
    clock.flush(50)
    ask().subscribe()
    clock.flush()
    expect([asked, went]).toEqual([[0, 50], [50]])
  })

  it('is not asked for a key before it said, however many keys there are', () => {
    const { ask, asked, clock } = waiting(
      (nth) => of(nth === 1 ? { places: 0, wait: 60_000 } : { places: 1 }),
      true,
    )
    const hot = ask('hot').subscribe()
    hot.unsubscribe()
    for (let i = 0; i < 600; i++) {
      ask(`${i}`).subscribe()
      clock.flush(clock.now() + 1)
    }
    const before = asked.length
    ask('hot').subscribe()
    clock.flush(59_000)
    expect(asked).toHaveLength(before)
  })

  it('by lending what the server refuses: all stop for a while', () => {
    const { clock, scheduler } = waiting(() => of({ places: 100 }))
    const sent: Array<number> = []
    for (let i = 0; i < 30; i++) {
      new Observable<number>((subscriber) => {
        sent.push(clock.now())
        return clock.schedule(() => {
          subscriber.next(429)
          subscriber.complete()
        }, 5)
      })
        .pipe(schedule(scheduler, 'a', { refused: () => O.some({}) }))
        .subscribe()
    }
    clock.flush(900)
    expect(sent.length).toBeLessThan(40)
  })
})
