/**
 * Virtual time for a client and a sandbox in one process. It stands still while promises have work to do.
 * `VirtualTimeScheduler.flush`, in contrast, reaches the client's time limit before the first promise of a `fetch` is settled.
 */
import {
  type SchedulerAction,
  type SchedulerLike,
  type Subscription,
  VirtualTimeScheduler,
} from 'rxjs'
import { checkOptions, InvalidOption, is } from '../options/index.js'

/** A shared clock for clients and a sandbox; time passes as fast as their work allows. */
export interface VirtualTime {
  /** The `timer` of a client, of a sandbox, or of any operator. */
  readonly timer: SchedulerLike
  /** Advances time until the promise settles, and returns its outcome. */
  readonly run: <A>(promise: PromiseLike<A>) => Promise<A>
  /** Advances time by `ms`, running everything due. Rejects with an `InvalidOption` for an invalid `ms`. */
  readonly pass: (ms: number) => Promise<void>
}

/**
 * Returns the number of event loop turns before time advances by `ms`: one per 50 ms, up to 1,000. They are for work beyond
 * promises, such as reading a file.
 */
const turnsBefore = (ms: number): number => Math.min(ms / 50, 1_000)

/** A scheduler that reports each scheduled action. */
class ObservedScheduler extends VirtualTimeScheduler {
  readonly #onSchedule: () => void

  constructor(onSchedule: () => void) {
    super()
    this.#onSchedule = onSchedule
  }

  override schedule<T>(
    work: (this: SchedulerAction<T>, state?: T) => void,
    delay?: number,
    state?: T,
  ): Subscription {
    const scheduled = super.schedule(work, delay, state)
    this.#onSchedule()
    return scheduled
  }
}

/**
 * Returns a clock that starts at `start`. Default 2026-01-01, when all default charges of a sandbox exist. Throws an
 * `InvalidOption` for an invalid `start`.
 */
export const virtualTime = (options: { readonly start?: Date } = {}): VirtualTime => {
  const { start = new Date('2026-01-01T00:00:00Z') } = checkOptions(options, { start: is.date })
  let wake = () => {}
  const timer = new ObservedScheduler(() => wake())
  timer.frame = start.getTime()

  /** Advances to the next scheduled action, or to `end`, unless `isOver` returns true first. */
  const advance = async (end: number, isOver = () => false): Promise<void> => {
    for (let turns = 1; ; turns++) {
      await turn()
      const moment = Math.min(timer.actions[0]?.delay ?? Number.POSITIVE_INFINITY, end)
      if (isOver()) return
      if (turns < turnsBefore(moment - timer.frame)) continue
      if (moment === Number.POSITIVE_INFINITY) {
        await idle((ends) => {
          wake = ends
        })
        continue
      }
      timer.maxFrames = moment
      timer.flush()
      timer.frame = moment
      return
    }
  }

  return {
    timer,
    run: async (promise) => {
      let isSettled = false
      const settle = () => {
        isSettled = true
        wake() // nothing else may be keeping the process alive
      }
      promise.then(settle, settle)
      while (!isSettled) await advance(Number.POSITIVE_INFINITY, () => isSettled)
      return promise
    },
    pass: async (ms) => {
      if (!is.finiteMillis.accepts(ms)) throw new InvalidOption('ms', is.finiteMillis.expected)
      const end = timer.frame + ms
      do {
        await advance(end)
        await turn()
      } while (timer.frame < end || (timer.actions[0]?.delay ?? Number.POSITIVE_INFINITY) <= end)
    },
  }
}

/** The system's timers for turns of the event loop, which also work while a test replaces the global ones. */
const { setImmediate, setTimeout } = globalThis

/** Resolves once promises, timers, signals and sockets have nothing left to do at the moment. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Duration of an idle pause, in real ms. */
const IDLE = 5

/** Pauses for a moment without keeping the process alive. `onStart` receives a function that ends the pause. */
const idle = (onStart: (wake: () => void) => void): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, IDLE).unref()
    onStart(resolve)
  })
