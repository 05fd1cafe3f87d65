/**
 * Several processes that share the limits of one account, in virtual time: each with its own scheduler, clock and
 * network; a server that counts what arrives; and a Redis that runs the rule, and can be frozen, gone and emptied.
 */
import { Observable, type SchedulerAction, type SchedulerLike } from 'rxjs'
import { seeded } from '../../bench/simulated/random.js'
import { type VirtualTimer, virtualTimer } from '../../bench/simulated/virtualTimer.js'
import { redisQuota } from '../../src/quota/index.js'
import { emptyAccount, type MemberReport, report } from '../../src/quota/rule.js'
import {
  concurrency,
  createScheduler,
  rate,
  type Scheduler,
  schedule,
} from '../../src/scheduler/index.js'

/** From when to when, in ms. */
export type Span = readonly [from: number, to: number]

export interface FleetOptions {
  readonly seed?: number
  readonly processes: number
  readonly limit: number
  readonly global?: number
  /** A limit per minute on all requests. */
  readonly minute?: number
  readonly lease?: number
  readonly onLost?: 'continue' | 'stop'
  /** Chance that a report, or an answer, is lost. */
  readonly loss?: number
  /** Longest delay of most messages, and of one in ten. */
  readonly delay?: readonly [number, number]
  /** When Redis answers nothing, and goes on later. */
  readonly frozen?: ReadonlyArray<Span>
  /** When Redis refuses all commands. */
  readonly gone?: ReadonlyArray<Span>
  /** When Redis loses its data. */
  readonly emptied?: ReadonlyArray<number>
  /** Its clock is set by so much, at a time. */
  readonly clockSet?: ReadonlyArray<readonly [at: number, by: number]>
  /** Clocks of processes run apart by up to this part. */
  readonly skew?: number
  /** The limit that the server really keeps. */
  readonly real?: number
  /** Time between two requests that a process begins, by process; 0 for as many as it may. */
  readonly pause?: (process: number, now: number) => number
}

export interface Arrival {
  readonly at: number
  readonly process: number
  readonly endpoint: string
  readonly isRefused: boolean
}

export interface Process {
  readonly scheduler: Scheduler<string>
  readonly timer: SchedulerLike
  freeze: (until: number) => void
  kill: () => void
}

const PER = 1_000
const GUARD = 50
const WAY = 40
/** By then each process has begun. */
const FIRST = 200

export const fleet = (options: FleetOptions) => {
  const { processes: count, limit, global = limit, loss = 0, lease = 3_000, skew = 0 } = options
  const timer = virtualTimer()
  const random = seeded(options.seed ?? 1)
  const [usual, rare] = options.delay ?? [5, 5]
  const delay = () => random() * (random() < 0.1 ? rare : usual)
  const within = (spans: ReadonlyArray<Span> = []): Span | undefined =>
    spans.find(([from, to]) => timer.now() >= from && timer.now() < to)

  // the server

  const arrivals: Array<Arrival> = []
  const arrive = (process: number, endpoint: string): boolean => {
    const now = timer.now()
    const recent = arrivals.filter((one) => one.endpoint === endpoint && one.at > now - PER)
    const isRefused = recent.length >= (options.real ?? Number.POSITIVE_INFINITY)
    arrivals.push({ at: now, process, endpoint, isRefused })
    return !isRefused
  }

  // Redis

  let account = emptyAccount()
  for (const at of options.emptied ?? []) {
    timer.schedule(() => {
      account = emptyAccount()
    }, at)
  }
  let commands = 0
  const processOf = new Map<string, Process>()
  const send = (command: ReadonlyArray<string>): Promise<unknown> =>
    new Promise((resolve, reject) => {
      commands++
      const sent = decodeReport(command)
      const { timer: own } = processOf.get(sent.id) ?? { timer }
      const later = (work: () => void): void => {
        if (random() >= loss) timer.schedule(() => own.schedule(work, 0), delay())
      }
      const arrived = (): void => {
        const frozen = within(options.frozen)
        if (frozen !== undefined) timer.schedule(arrived, frozen[1] - timer.now())
        else if (within(options.gone)) later(() => reject(new Error('ECONNREFUSED')))
        else {
          const set = (options.clockSet ?? []).filter(([at]) => at <= timer.now())
          const now = timer.now() + set.reduce((sum, [, by]) => sum + by, 1_000_000)
          const grants = report(account, Math.floor(now), 'run', sent)
          const answer = grants.flatMap(({ part = -1, version }) => [part, version])
          later(() => resolve(answer))
        }
      }
      if (random() >= loss) timer.schedule(arrived, delay())
    })

  let made = 0
  const { onLost = 'continue' } = options
  const uuid = () => `p${made++}`
  const quota = redisQuota({ send, account: 'main', lease, onLost, uuid })

  const processes = Array.from({ length: count }, (_, index): Process => {
    const own = processTimer(timer, random, 1 + skew * (2 * random() - 1))
    const id = `p${made}`
    const scheduler = createScheduler<string>({
      tiers: [
        rate({ name: 'global', limit: global, per: PER }),
        rate({ name: 'endpoint', limit, per: PER, key: (endpoint) => endpoint }),
        concurrency({ name: 'concurrency', limit: 10 * limit }),
        ...(options.minute === undefined
          ? []
          : [rate({ name: 'minute', limit: options.minute, per: 60_000 })]),
      ],
      guard: GUARD,
      timer: own.timer,
      random,
      quota,
    })
    const process: Process = { scheduler, timer: own.timer, freeze: own.freeze, kill: own.kill }
    processOf.set(id, process)

    const request = (endpoint: string): Observable<boolean> =>
      new Observable((subscriber) => {
        timer.schedule(() => {
          const isLetIn = arrive(index, endpoint)
          timer.schedule(
            () =>
              own.timer.schedule(() => {
                subscriber.next(isLetIn)
                subscriber.complete()
              }, 0),
            WAY * random(),
          )
        }, WAY * random())
      })
    const pauseNow = () => options.pause?.(index, timer.now()) ?? 0
    for (const endpoint of ['a', 'b'].slice(0, global > limit ? 2 : 1)) {
      let open = 0
      let isDue = false
      const later = (delay: number): void => {
        if (isDue) return
        isDue = true
        own.timer.schedule(() => {
          isDue = false
          go()
        }, delay)
      }
      const refused = (isLetIn: boolean) => REFUSAL[isLetIn ? 'none' : 'some']
      const go = (): void => {
        const pause = pauseNow()
        if (pause === Number.POSITIVE_INFINITY) later(100)
        const most = pause === 0 ? limit : pause < Number.POSITIVE_INFINITY ? 1 : 0
        while (open < most) {
          open++
          request(endpoint)
            .pipe(schedule(scheduler, endpoint, { refused, attempts: 1 }))
            .subscribe(() => {
              open--
              const next = pauseNow()
              later(next < Number.POSITIVE_INFINITY ? next : 100)
            })
        }
      }
      own.timer.schedule(go, (FIRST / 2) * random())
    }
    return process
  })

  return {
    timer,
    processes,
    arrivals,
    commands: () => commands,
    account: () => account,
    /** Lets time pass, and all promises that settle meanwhile. */
    run: async (until: number): Promise<void> => {
      for (let now = timer.now(); now < until; ) {
        now = Math.min(until, now + 1)
        timer.flush(now)
        for (let turns = 0; turns < 8; turns++) await undefined
        // the platform computes the hash of the script in real time
        while (now > FIRST && commands === 0) await new Promise(setImmediate)
      }
    },
  }
}

const REFUSAL = {
  none: { _tag: 'None' },
  some: { _tag: 'Some', value: {} },
} as const

/** The most that arrived within any window at one endpoint, or at all. */
export const mostInWindow = (
  arrivals: ReadonlyArray<Arrival>,
  counts: (one: Arrival) => boolean = () => true,
): number => {
  const times = arrivals.filter(counts).map(({ at }) => at)
  let [most, from] = [0, 0]
  for (const [i, at] of times.entries()) {
    while (at - (times[from] ?? at) >= PER) from++
    most = Math.max(most, i - from + 1)
  }
  return most
}

/** Returns the report in a command. */
export const decodeReport = (command: ReadonlyArray<string>): MemberReport => {
  const keys = Number(command[2])
  const names = command.slice(4, 3 + keys)
  const [id = '', seq, lease, longest, isLeaving, ...rest] = command.slice(3 + keys)
  return {
    id,
    seq: Number(seq),
    lease: Number(lease),
    longest: Number(longest),
    isLeaving: isLeaving === '1',
    claims: names.map((name, i) => {
      const numbers = rest.slice(8 * i, 8 * i + 8).map(Number)
      const [limit = 0, tail = 0, turn = 0, version = 0, had = 0, held = 0, want = 0, less = 0] =
        numbers
      return { name, limit, tail, turn, version, had, held, want, less }
    }),
  }
}

/** Timers of a process with a clock of its own, that can be stopped. Work that was due meanwhile runs in any order. */
const processTimer = (timer: VirtualTimer, random: () => number, speed: number) => {
  let until = 0
  let isAlive = true
  const offset = 100_000 * random()
  const run = (work: () => void): void => {
    if (!isAlive) return
    const wait = until - timer.now()
    if (wait > 0) timer.schedule(() => run(work), wait + random())
    else work()
  }
  const own: SchedulerLike = {
    now: () => offset + timer.now() * speed,
    schedule: <T>(work: (this: SchedulerAction<T>, state?: T) => void, delay = 0, state?: T) => {
      let isOff = false
      const scheduled = timer.schedule(
        () => run(() => isOff || Reflect.apply(work, undefined, [state])),
        delay / speed,
      )
      scheduled.add(() => {
        isOff = true
      })
      return scheduled
    },
  }
  return {
    timer: own,
    freeze: (to: number) => {
      until = to
    },
    kill: () => {
      isAlive = false
    },
  }
}
