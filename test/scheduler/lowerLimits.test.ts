/** Limits that are lower at the server than configured, for ever or for a while: found, kept to, and forgotten. */
import {
  concat,
  delay,
  ignoreElements,
  mergeMap,
  type Observable,
  of,
  tap,
  timer as timerOf,
} from 'rxjs'
import { describe, expect, it } from 'vitest'
import { type Judge, judge, type Limits } from '../../bench/simulated/judge.js'
import { networks } from '../../bench/simulated/network.js'
import { seeded } from '../../bench/simulated/random.js'
import { mean } from '../../bench/simulated/refusing.js'
import type { VirtualTimer } from '../../bench/simulated/virtualTimer.js'
import { type Guard, schedule } from '../../src/scheduler/index.js'
import { inTurn } from '../support/inTurn.js'
import { runs, sample } from '../support/runs.js'
import { type Answer, refused, stateOf, world } from './world.js'

const configured: Limits = { global: 1_000, endpoint: 20, per: 1_000, concurrent: 50 }

interface Load {
  readonly known?: Limits
  readonly endpoints?: number
  /** Requests that wait or are under way at any time, for each endpoint. */
  readonly each?: number
  readonly network?: string
  readonly guard?: Guard
  /** Answers take so much longer, in ms. */
  readonly work?: number
  readonly seed?: number
}

/** Sends without end: each answer asks for the next request. */
const endless = ({
  known = configured,
  endpoints = 1,
  each = 100,
  network = 'steady',
  guard = 'learned',
  work = 0,
  seed = 3,
}: Load = {}) => {
  const w = world(known, { guard })
  const random = seeded(seed)
  const { uplink = () => 0, processing = () => 0, downlink = () => 0 } = networks[network] ?? {}
  let asked = 0
  const ask = (endpoint: string): void => {
    const delays = {
      up: uplink(random),
      work: work + processing(random),
      down: downlink(random),
    }
    w.send(`${asked++}`, endpoint, delays)
      .pipe(schedule(w.scheduler, endpoint, { refused, attempts: 1_000 }))
      .subscribe(() => ask(endpoint))
  }
  for (let i = 0; i < each * endpoints; i++) ask(`${i % endpoints}`)
  let sent = { letIn: 0, refused: 0 }
  const { arrives } = w.server
  const count = (server: Judge): void => {
    w.server = {
      ...server,
      arrives: (endpoint, now) => {
        const ok = server.arrives(endpoint, now)
        if (ok) sent.letIn++
        else sent.refused++
        return ok
      },
    }
  }
  count({ ...w.server, arrives })
  return {
    w,
    /** From now on the server has these limits. */
    become: (limits: Partial<Limits>) => count(judge({ ...known, ...limits })),
    replace: count,
    /** Lets so many seconds pass; returns what was let in and refused in each of them. */
    over: (seconds: number) => {
      sent = { letIn: 0, refused: 0 }
      w.timer.flush(w.timer.now() + seconds * 1_000)
      return { letIn: sent.letIn / seconds, refused: sent.refused / seconds }
    },
    allowed: (tier: string) =>
      stateOf(w.scheduler)?.tiers.find(({ name }) => name === tier)?.allowed,
  }
}

const waiting = [60, 3_000]

describe.each(waiting)('a limit that is lower, while %d requests wait,', (each) => {
  const test = inTurn(waiting, each)
  test('is found, kept to, and forgotten when it is as configured again', () => {
    const { become, over, allowed } = endless({ each })
    over(5)
    expect(allowed('endpoint')).toBe(20)

    become({ endpoint: 10 })
    over(10)
    expect(allowed('endpoint')).toBeGreaterThanOrEqual(9)
    expect(allowed('endpoint')).toBeLessThanOrEqual(12)
    const kept = over(120)
    expect(kept.letIn).toBeGreaterThan(8.5)
    expect(kept.refused).toBeLessThan(0.5)

    become({})
    over(90)
    expect(allowed('endpoint')).toBe(20)
    expect(over(20).letIn).toBeGreaterThan(17)
  })

  test.each([15, 18, 19])('%d in place of 20, is used up', (endpoint) => {
    const { become, over } = endless({ each })
    become({ endpoint })
    const { letIn, refused } = over(60)
    expect(letIn).toBeGreaterThan(0.85 * endpoint)
    expect(refused).toBeLessThan(1.2)
  })

  test('is asked rarely when it is 0, and used again when it is not', () => {
    const { become, over } = endless({ each })
    over(5)
    become({ endpoint: 0 })
    over(60)
    expect(over(60).refused).toBeLessThan(1)
    become({})
    over(30)
    expect(over(20).letIn).toBeGreaterThan(17)
  })

  test('counts refused requests: nothing is lost by that', () => {
    const { become, over } = endless({ each })
    become({ countsRefused: true })
    expect(over(60).letIn).toBeGreaterThan(17)
  })
})

describe('the safe guard', () => {
  it.each([
    [100, 98],
    [50, 49],
  ])('finds out within five seconds that %d are %d', (endpoint, real) => {
    const known = { ...configured, endpoint, concurrent: 100 }
    const { become, over, allowed } = endless({ known, each: 3_000, guard: 'safe' })
    become({ endpoint: real })
    over(5)
    expect(allowed('endpoint')).toBe(real)
    expect(over(60).refused).toBeLessThan(0.2)
  })

  it('takes no lower limit from a few refusals that come by chance', () => {
    const known = { ...configured, endpoint: 100, concurrent: 100 }
    const { w, replace, over, allowed } = endless({ known, each: 3_000, guard: 'safe' })
    const random = seeded(5)
    const honest = w.server
    replace({
      ...honest,
      arrives: (name, now) => random() > 0.01 && honest.arrives(name, now),
    })
    expect(over(300).letIn).toBeGreaterThan(85)
    expect(allowed('endpoint')).toBeGreaterThan(90)
  })
})

describe('which of several limits is lower is found out, though a refusal does not say it:', () => {
  it.each(
    sample(2, [
      [1, 20, 5],
      [2, 100, 5],
      [3, 100, 10],
      [5, 100, 10],
    ]),
  )(
    'the rate, beside a concurrency limit of %d that is always full (%d, really %d)',
    (concurrent, endpoint, real) => {
      const known = { ...configured, concurrent, endpoint }
      const { become, over, allowed } = endless({ known })
      become({ endpoint: real })
      over(120)
      const { letIn, refused } = over(60)
      expect(letIn).toBeGreaterThan(0.85 * real)
      expect(refused).toBeLessThan(0.15 * real)
      expect(allowed('concurrency')).toBe(concurrent)
    },
  )

  it.each([
    [50, 100, 30],
    [10, 20, 5],
  ])(
    'the rate of all endpoints, beside a concurrency limit of %d (%d, really %d)',
    (concurrent, global, real) => {
      const known = { ...configured, concurrent, global }
      const { become, over, allowed } = endless({ known, endpoints: 4, work: 100 })
      become({ global: real })
      over(120)
      const { letIn, refused } = over(60)
      expect(letIn).toBeGreaterThan(0.85 * real)
      expect(refused).toBeLessThan(0.15 * real)
      expect(allowed('concurrency')).toBe(concurrent)
    },
  )

  /** A server that allows one endpoint less than the others. */
  const stricter = (limits: Limits, one: string, endpoint: number): Judge => {
    const all = judge(limits)
    const own = judge({ ...limits, endpoint, concurrent: Number.POSITIVE_INFINITY })
    return {
      ...all,
      arrives: (name, now) => (name !== one || own.arrives(name, now)) && all.arrives(name, now),
    }
  }

  // With 'safe', the limit for all is taken for the lower one at times: it is as full, and refusals look the same.
  it.each<[guard: Guard, part: number]>([
    ['learned', 0.85],
    ['safe', 0.5],
    [20, 0.85],
  ])('the rate of one endpoint, while the others keep most of theirs (%s)', (guard, part) => {
    const known = { ...configured, global: 100 }
    const { replace, over, allowed } = endless({ known, endpoints: 8, guard })
    over(10)
    const before = over(60)
    replace(stricter(known, '0', 2))
    over(60)
    const { letIn, refused } = over(60)
    expect(letIn).toBeGreaterThan(part * before.letIn)
    expect(refused).toBeLessThan(4)
    expect(allowed('concurrency')).toBe(50)
  })
})

/** A server that lets fewer in at once, and counts only those that it lets in. */
const narrower = (limits: Limits, concurrent: number): Judge => {
  const all = judge({ ...limits, concurrent: Number.POSITIVE_INFINITY })
  let inside = 0
  return {
    ...all,
    arrives: (name, now) => {
      const ok = inside < concurrent && all.arrives(name, now)
      if (ok) inside++
      return ok
    },
    leaves: () => {
      inside--
    },
  }
}

describe('a concurrency limit that is lower', () => {
  // It is halved, and a rate as full may be lowered with it: a part is lost, and refusals go on.
  it.each([
    [200, 0.45],
    [500, 0.9],
  ])('stops nothing, beside rates with room, with %d ms of work', (work, part) => {
    const known = { ...configured, endpoint: 1_000 }
    const { replace, over, allowed } = endless({ known, endpoints: 8, work })
    replace(narrower(known, 10))
    over(60)
    const { letIn, refused } = over(60)
    expect(letIn).toBeGreaterThan((part * 10_000) / (work + 90))
    expect(refused).toBeLessThan(letIn)
    expect(allowed('endpoint')).toBe(1_000)
  })

  it.each([
    [200, 0.45],
    [500, 0.9],
  ])('stops nothing, beside rates that are as full, with %d ms of work', (work, part) => {
    const known = { ...configured, global: 100 }
    const { replace, over } = endless({ known, endpoints: 8, work })
    replace(narrower(known, 10))
    over(60)
    const { letIn, refused } = over(60)
    expect(letIn).toBeGreaterThan((part * 10_000) / (work + 90))
    expect(refused).toBeLessThan(letIn / 2)
  })

  /** A server that lets so many in at once, each of which is answered at once, and under way for `lasts` ms. */
  const streaming = (timer: VirtualTimer, concurrent: number, lasts: number) => {
    let [inside, accepted] = [0, 0]
    const answer = (ok: boolean): Observable<Answer> => of({ ok, request: '' })
    const source = timerOf(10, timer).pipe(
      mergeMap(() => {
        if (inside >= concurrent) return answer(false).pipe(delay(10, timer))
        inside++
        accepted++
        const ended = timerOf(lasts, timer).pipe(
          tap(() => {
            inside--
          }),
          delay(10, timer),
          ignoreElements(),
        )
        return concat(answer(true).pipe(delay(10, timer)), ended)
      }),
    )
    return { accepted: () => accepted, source }
  }

  it.each(
    sample(1, [
      [10, 5_000],
      [25, 2_000],
      [40, 1_000],
    ]),
  )('is used up by long streams: really %d, each for %d ms', (real, lasts) => {
    const { timer, scheduler } = world({ ...configured, global: 100 })
    const { accepted, source } = streaming(timer, real, lasts)
    const ask = (endpoint: string): void => {
      source
        .pipe(schedule(scheduler, endpoint, { refused, attempts: 1_000 }))
        .subscribe({ complete: () => ask(endpoint) })
    }
    for (let i = 0; i < 400; i++) ask(`e${i % 8}`)
    timer.flush(120_000)
    const before = accepted()
    timer.flush(240_000)
    expect((accepted() - before) / 120).toBeGreaterThan((0.7 * real * 1_000) / (lasts + 40))
  })
})

describe('a window that another client has used up', () => {
  it.each(['loopback', 'steady', 'wan', 'jittery'])('is waited for: %s', (network) => {
    for (let seed = 1; seed <= runs(12); seed++) {
      const w = world({ ...configured, concurrent: 1_000 })
      for (let i = 0; i < configured.endpoint; i++) w.server.arrives('a', 0)
      const random = seeded(seed)
      const { uplink = () => 0, processing = () => 0, downlink = () => 0 } = networks[network] ?? {}
      let done = 0
      for (let i = 0; i < 200; i++) {
        const delays = { up: uplink(random), work: processing(random), down: downlink(random) }
        w.send(`${i}`, 'a', delays)
          .pipe(schedule(w.scheduler, 'a', { refused, attempts: 100 }))
          .subscribe(() => done++)
      }
      w.timer.flush()
      expect(done).toBe(200)
      expect(w.timer.now()).toBeLessThan(15_000)
      expect(w.server.refused()).toBeLessThan(2 * configured.endpoint + 20)
    }
  })
})

describe('a limit that is as configured', () => {
  it.each(
    sample(2, [
      ['steady', 1],
      ['jittery', 1],
      ['wan', 20],
    ]),
  )('is used up again after an outage of a minute: %s, %d a second', (network, endpoint) => {
    const known = { ...configured, endpoint, concurrent: 1_000 }
    const { become, over } = endless({ known, network, each: 40 })
    for (let outage = 0; outage < 2; outage++) {
      over(60)
      become({ endpoint: 0 })
      over(60)
      become({})
      over(30)
      expect(over(60).letIn).toBeGreaterThan(0.85 * endpoint)
    }
  })

  it.each(sample(1, ['steady', 'jittery']))(
    'such as one a second is used up beside another client, and after it: %s',
    (network) => {
      const known = { ...configured, endpoint: 1, concurrent: 1_000 }
      const { w, become, over } = endless({ known, network, each: 40 })
      const random = seeded(7)
      let letIn = 0
      for (let second = 0; second < 600; second++) {
        if (random() < 0.3) w.server.arrives('0', w.timer.now())
        letIn += over(1).letIn
      }
      expect(letIn).toBeGreaterThan(0.85 * 0.7 * 600)
      become({})
      over(30)
      expect(over(300).letIn).toBeGreaterThan(0.85)
    },
  )
})

describe('a limit of all endpoints that is lower for a while', () => {
  it.each(
    sample(2, [
      ['steady', 60, 0.85],
      ['wan', 60, 0.85],
      ['jittery', 60, 0.7],
      ['wan', 80, 0.75],
      ['jittery', 80, 0.7],
    ]),
  )('is found at once, kept to, and forgotten: %s, %i', (network, global, part) => {
    const runs = [1, 2, 3].map((seed) => {
      const known = { ...configured, global: 100 }
      const { become, over } = endless({ known, endpoints: 8, each: 50, network, seed })
      over(20)
      become({ global })
      over(10)
      const lower = over(60).letIn
      become({})
      over(30)
      return { lower, full: over(30).letIn }
    })
    expect(mean(runs.map(({ lower }) => lower))).toBeGreaterThan(part * global)
    expect(mean(runs.map(({ full }) => full))).toBeGreaterThan(80)
  })
})
