/** Servers that refuse more than promised, in virtual time: because of a lower limit, at random, or in outages. */
import { type MonoTypeOperatorFunction, Observable, type SchedulerLike } from 'rxjs'
import { judge, type Limits } from './judge.ts'
import { seeded, uniform } from './random.ts'
import { virtualTimer } from './virtualTimer.ts'

interface Answer {
  readonly ok: boolean
}

export interface RefusingServer {
  /** The limits that it enforces, whatever its clients were told. */
  readonly limits: Limits
  /** Share of the requests that it refuses for no reason. */
  readonly chance?: number
  /** It refuses everything for `ms` after each request whose number is a multiple of `every`. */
  readonly outage?: { readonly every: number; readonly ms: number }
  /** Time of each way, in ms. */
  readonly up: (random: () => number) => number
  readonly down: (random: () => number) => number
}

/** An even network with this round trip, in ms. */
export const roundTripOf = (ms: number): Pick<RefusingServer, 'up' | 'down'> => ({
  up: uniform(ms / 2 + 0.1, ms / 2 + 0.4),
  down: uniform(ms / 2, ms / 2 + 0.2),
})

/** A server with outages of 2 s at a distance of 150 ± 40 ms, which allows 20 requests per second per endpoint. */
export const withOutages = (every: number): RefusingServer => ({
  limits: { global: 100, endpoint: 20, per: 1_000, concurrent: 1_000 },
  outage: { every, ms: 2_000 },
  up: uniform(55, 95),
  down: uniform(55, 95),
})

export interface Load {
  /** The endpoint of each request, in the order of the requests. */
  readonly requests: ReadonlyArray<string>
  /** Maximum number of pending requests; each response starts another one. Default: all at once. */
  readonly workers?: number
}

export interface Outcome {
  /** Time until the last response. */
  readonly seconds: number
  readonly refused: number
  /** Number of requests in the busiest window: of the busiest endpoint, and in total. */
  readonly busiest: number
  readonly busiestOfAll: number
  /** Number of requests that were finally admitted. */
  readonly done: number
}

/** Creates the function that holds back the requests to an endpoint. */
export type Limiting = (
  timer: SchedulerLike,
  random: () => number,
) => (endpoint: string) => MonoTypeOperatorFunction<Answer>

/** Longest run, in ms. A request that is not finished by that time is lost. */
const LONGEST = 900_000

/** Returns the maximum number of these sorted times in any window of `per`. */
export const busiestWindow = (times: ReadonlyArray<number>, per: number): number => {
  let first = 0
  let most = 0
  times.forEach((at, i) => {
    while (at - (times[first] ?? at) >= per) first++
    most = Math.max(most, i - first + 1)
  })
  return most
}

/** Sends all requests of a load. */
const sendAll = (
  limiting: Limiting,
  { limits, chance = 0, outage, up, down }: RefusingServer,
  { requests, workers = requests.length }: Load,
  seed: number,
): Outcome => {
  const timer = virtualTimer()
  const random = seeded(seed)
  const server = judge(limits)
  const hold = limiting(timer, seeded(seed + 1_000))
  const departures = new Map<string, Array<number>>()
  const all: Array<number> = []
  let [arrived, refused, outageUntil] = [0, 0, 0]

  const arrive = (endpoint: string): boolean => {
    const now = timer.now()
    arrived++
    if (outage !== undefined && arrived % outage.every === 0) outageUntil = now + outage.ms
    const ok = now >= outageUntil && random() >= chance && server.arrives(endpoint, now)
    if (ok) server.leaves()
    else refused++
    return ok
  }

  const send = (endpoint: string): Observable<Answer> =>
    new Observable((subscriber) => {
      const own = departures.get(endpoint) ?? []
      departures.set(endpoint, own)
      own.push(timer.now())
      all.push(timer.now())
      timer.schedule(() => {
        const ok = arrive(endpoint)
        timer.schedule(() => {
          subscriber.next({ ok })
          subscriber.complete()
        }, down(random))
      }, up(random))
    })

  let [next, done, end] = [0, 0, 0]
  const ask = (): void => {
    const endpoint = requests[next++]
    if (endpoint === undefined) return
    send(endpoint)
      .pipe(hold(endpoint))
      .subscribe(({ ok }) => {
        if (ok) done++
        end = timer.now()
        if (workers < requests.length) ask()
      })
  }
  for (let i = 0; i < Math.min(workers, requests.length); i++) ask()
  timer.flush(LONGEST)

  const busiest = [...departures.values()].map((times) => busiestWindow(times, limits.per))
  return {
    seconds: end / 1_000,
    refused,
    busiest: Math.max(...busiest),
    busiestOfAll: busiestWindow(all, limits.per),
    done,
  }
}

/** Time between two departures of the plain loop, in ms; slightly below 20 per second. */
export const SPACING = 55
const FIRST_BACKOFF = 1_000
const LONGEST_BACKOFF = 16_000

/**
 * The loop that one would write without a scheduler: departures at equal intervals, and a backoff that doubles, with jitter.
 */
export const plainLoop =
  (spacing = SPACING): Limiting =>
  (timer, random) => {
    let free = 0
    return () => (source) =>
      new Observable((subscriber) => {
        const attempt = (refusals: number): void => {
          const at = Math.max(timer.now(), free)
          free = at + spacing
          timer.schedule(() => {
            source.subscribe((answer) => {
              if (answer.ok) {
                subscriber.next(answer)
                subscriber.complete()
                return
              }
              const backoff = Math.min(LONGEST_BACKOFF, FIRST_BACKOFF * 2 ** refusals)
              timer.schedule(() => attempt(refusals + 1), backoff * (1 + random() / 2))
            })
          }, at - timer.now())
        }
        attempt(0)
      })
  }

export const mean = (values: ReadonlyArray<number>): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

/** Means over five seeds, and the maximum that any of them sent at once. */
export const overSeeds = (
  ...[limiting, server, load]: [Limiting, RefusingServer, Load]
): Outcome => {
  const runs = [1, 2, 3, 4, 5].map((seed) => sendAll(limiting, server, load, seed))
  return {
    seconds: mean(runs.map(({ seconds }) => seconds)),
    refused: mean(runs.map(({ refused }) => refused)),
    busiest: Math.max(...runs.map(({ busiest }) => busiest)),
    busiestOfAll: Math.max(...runs.map(({ busiestOfAll }) => busiestOfAll)),
    done: Math.min(...runs.map(({ done }) => done)),
  }
}
