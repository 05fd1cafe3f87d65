/**
 * ```ts
 * const virtualTime: (options?: { readonly start?: Date }) => VirtualTime
 * ```
 *
 * Time for tests of a client and a sandbox in one process. It stands still while promises have work to do:
 * a `fetch` is made of them, and `VirtualTimeScheduler.flush` is at the client's time limit before the first of
 * them is settled.
 */
import {
  type SchedulerAction,
  type SchedulerLike,
  type Subscription,
  VirtualTimeScheduler,
} from 'rxjs'
import { checkOptions, InvalidOption, is } from '../options/index.js'
import { idle, turn } from './turn.js'

// model

/** One time for clients and a sandbox, which passes as fast as it can. */
export interface VirtualTime {
  /** The `timer` of a client, of a sandbox, or of any operator. */
  readonly timer: SchedulerLike
  /** What a promise comes to, while time passes for it. */
  readonly run: <A>(promise: PromiseLike<A>) => Promise<A>
  /** Lets so many ms pass, with all that is due by then. Rejects with an `InvalidOption` when they are none. */
  readonly pass: (ms: number) => Promise<void>
}

/**
 * Before time goes on there is a turn of the event loop for every 50 ms that it will go, up to 1,000: for what is
 * not made of promises alone, such as reading a file.
 */
const turnsBefore = (ms: number): number => Math.min(ms / 50, 1_000)

/** Tells when something is to be done. */
class Waking extends VirtualTimeScheduler {
  private readonly tell: () => void

  constructor(tell: () => void) {
    super()
    this.tell = tell
  }

  override schedule<T>(
    work: (this: SchedulerAction<T>, state?: T) => void,
    delay?: number,
    state?: T,
  ): Subscription {
    const scheduled = super.schedule(work, delay, state)
    this.tell()
    return scheduled
  }
}

// constructors

/**
 * Begins on 2026-01-01, after all that a sandbox has at first; or at `start`. Throws an `InvalidOption` when
 * that is no time.
 */
export const virtualTime = (options: { readonly start?: Date } = {}): VirtualTime => {
  const { start = new Date('2026-01-01T00:00:00Z') } = checkOptions(options, { start: is.date })
  let wake = () => {}
  const timer = new Waking(() => wake())
  timer.frame = start.getTime()

  /** Goes on to the next moment at which something is due, or to `end`; unless it is over before that. */
  const goOn = async (end: number, isOver = () => false): Promise<void> => {
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
        wake() // what it waited for may have been all that kept the process alive
      }
      promise.then(settle, settle)
      while (!isSettled) await goOn(Number.POSITIVE_INFINITY, () => isSettled)
      return promise
    },
    pass: async (ms) => {
      if (!is.finiteMillis.accepts(ms)) throw new InvalidOption('ms', is.finiteMillis.expected)
      const end = timer.frame + ms
      do {
        await goOn(end)
        await turn()
      } while (timer.frame < end || (timer.actions[0]?.delay ?? Number.POSITIVE_INFINITY) <= end)
    },
  }
}
