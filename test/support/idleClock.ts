/** Virtual time for code that does real input and output. Time passes only while the process has nothing to do. */
import { AsyncResource } from 'node:async_hooks'
import {
  lastValueFrom,
  type SchedulerAction,
  type SchedulerLike,
  Subscription,
  timer,
  VirtualTimeScheduler,
} from 'rxjs'
import type { VirtualTime } from '../../src/sandbox/index.js'
import { realWork } from './realWork.js'

/** Start time, in ms since 1970, which is after all rows of the tests' servers. */
const START = Date.UTC(2024, 3, 1)

/** Minimum number of event loop turns that a wait takes, because data may be inside the kernel for one or two turns. */
const MIN_TURNS = 20
/** Maximum number of turns, for waits of a minute and more, such as time limits, which nothing else should overtake. */
const MAX_TURNS = 1_000
/** Virtual ms per quiet turn between the two. */
const PER_TURN = 50

/** Interval between looks at the work of other threads and processes, in real ms. */
const REST = 1

// the system's functions, which also work while a test replaces the global ones
const { setImmediate, setTimeout } = globalThis

/** Returns the number of the next asynchronous resource. It has increased by more than one if anything else was started. */
const resources = (): number => new AsyncResource('idleClock').asyncId()

export class IdleClock extends VirtualTimeScheduler {
  #isStarted = false
  /** True while it has something to wait for. It then looks once per turn. */
  #isRunning = false
  #resources = 0
  #quiet = 0

  constructor(start: number) {
    super()
    this.frame = start
  }

  override schedule<T>(
    work: (this: SchedulerAction<T>, state?: T) => void,
    delay?: number,
    state?: T,
  ): Subscription {
    if (!this.#isStarted) return Subscription.EMPTY
    const scheduled = super.schedule(work, delay, state)
    if (!this.#isRunning) {
      this.#isRunning = true
      this.#quiet = 0
      setImmediate(this.#look)
    }
    return scheduled
  }

  start(): void {
    this.#isStarted = true
  }

  /**
   * Forgets everything that is scheduled, and ignores further actions until it is started again. If each test file has its own
   * clock in one thread, each clock would otherwise take the turns of the other for work of the process, and no time would pass
   * on either.
   */
  stop(): void {
    this.#isStarted = false
    this.actions.length = 0
  }

  /** One turn of the event loop. */
  readonly #look = (): void => {
    const [next] = this.actions
    if (next === undefined) {
      this.#isRunning = false
      return
    }
    const before = this.#resources
    this.#resources = resources()
    const own = 2 // the number, and the immediate or timer of this turn
    const isActive = this.#resources - before > own
    const isWaiting = realWork.isUnderWay(isActive)
    const wait = Math.ceil((next.delay - this.frame) / PER_TURN)
    const turns = Math.min(Math.max(wait, MIN_TURNS), MAX_TURNS)
    // work that a thread has done becomes known in the next turn
    const isBusy = !isActive && !isWaiting && this.#quiet >= turns - 2 && realWork.hasBusyThreads()
    this.#quiet = isActive || isWaiting || isBusy ? 0 : this.#quiet + 1
    if (this.#quiet >= turns) {
      this.#quiet = 0
      this.#advance(Math.max(next.delay, this.frame + 1))
    }
    if ((isWaiting || isBusy) && !isActive) setTimeout(this.#look, REST)
    else setImmediate(this.#look)
  }

  /**
   * Runs everything that is due by `moment`. Actions that are scheduled while it runs are due 1 ms later, as with the system's
   * timers.
   */
  #advance(moment: number): void {
    this.frame = moment
    for (const action of this.actions.filter(({ delay }) => delay <= moment)) {
      if (action.closed) continue
      this.actions.splice(this.actions.indexOf(action), 1)
      const error: unknown = action.execute(action.state, action.delay)
      if (error !== undefined) throw error
    }
  }
}

/**
 * The clock of clients, servers and commands that tests run in this process, over real sockets and files. A wait of an hour takes
 * a few turns of the event loop, and on a busy machine the same turns: no time passes while
 *
 * - anything happens in this process: a promise is settled by input, a timer of the system comes due, data arrive,
 * - a file is read or written, a name looked up, a connection made, a module loaded, or another thread compresses or hashes,
 * - bytes are between two sockets of this process, or another process has been asked and has not answered.
 *
 *     process   working ..... quiet .......... working ... quiet .....
 *     turns     |||||||||||||||||||||||||||||||||||||||||||||||||||||||
 *     now       0                            30 s                     31 s
 *
 * A peer that never answers is given up after half a minute of silence or more, so that time limits are reached. One clock for all: servers tell the
 * time of it.
 *
 * It runs during a test file (`eachFile.ts`): actions that a file has left behind are forgotten.
 *
 * A repeated timer is due again and again while the process waits for what is not seen (its own child processes, timers of the
 * system): tests of those have `asyncScheduler`.
 */
export const idleClock = new IdleClock(START)

/** Time of a separate account, measured by the idle clock. It starts at `start`, like that of `virtualTime`. */
export const idleTime = (start = Date.UTC(2026, 0, 1)): VirtualTime => {
  const ahead = start - idleClock.now()
  const clock: SchedulerLike = {
    now: () => idleClock.now() + ahead,
    schedule: idleClock.schedule.bind(idleClock),
  }
  return {
    timer: clock,
    run: async (promise) => promise,
    pass: (ms) => lastValueFrom(timer(ms, clock)).then(() => {}),
  }
}

/** The package's `virtualTime`, whose time passes only in `run` and `pass`. Here, it also stands still during real work. */
export const virtualTime = (start = Date.UTC(2026, 0, 1)): VirtualTime => {
  const clock = new VirtualTimeScheduler()
  clock.frame = start

  /** Advances to the next action, or to `end`, unless `isOver` returns true first. */
  const advance = async (end: number, isOver = () => false): Promise<void> => {
    let [moment, quiet, turns] = [0, 0, 2]
    while (quiet < turns) {
      await new Promise((resolve) => setImmediate(resolve))
      if (isOver()) return
      moment = Math.min(clock.actions[0]?.delay ?? Number.POSITIVE_INFINITY, end)
      turns = Math.min(Math.max((moment - clock.frame) / PER_TURN, 2), MAX_TURNS)
      const isBusy = realWork.isUnderWay(false) || (quiet >= turns - 2 && realWork.hasBusyThreads())
      quiet = isBusy ? 0 : quiet + 1
      if (isBusy || moment === Number.POSITIVE_INFINITY) {
        quiet = 0
        await new Promise((resolve) => setTimeout(resolve, REST))
      }
    }
    clock.maxFrames = moment
    clock.flush()
    clock.frame = moment
  }

  return {
    timer: clock,
    run: async (promise) => {
      let isSettled = false
      const settle = (): void => {
        isSettled = true
      }
      promise.then(settle, settle)
      while (!isSettled) await advance(Number.POSITIVE_INFINITY, () => isSettled)
      return promise
    },
    pass: async (ms) => {
      const end = clock.frame + ms
      do await advance(end)
      while (clock.frame < end || (clock.actions[0]?.delay ?? Number.POSITIVE_INFINITY) <= end)
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
}
