/** Reports waits for Redis, and their reason: nothing waits in silence. */
import { asyncScheduler, type SchedulerLike } from 'rxjs'
import { oneLine } from '../decode/redact.js'
import { fieldsOf } from '../decode/unknown.js'
import type { Millis } from '../stream/index.js'

// model

/** How waits are reported. */
export interface RedisWatchOptions {
  /**
   * Called within five seconds with why Redis is waited for, in its own words; once for each reason, and when it answers again.
   * Default: `console.warn`.
   */
  readonly onWait?: ((message: string) => void) | undefined
  readonly timer?: SchedulerLike | undefined
}

/** A command that takes longer is said to have no answer. */
const SILENT_FOR: Millis = 3_000

/** The longest reason that is reported, in characters. */
const MOST_WORDS = 300

const warn = (message: string): void => {
  // biome-ignore lint/suspicious/noConsole: stderr in every runtime, where no option takes it
  console.warn(message)
}

// constructors

export class RedisWatch {
  readonly #warn: (message: string) => void
  readonly #timer: SchedulerLike
  #warned: { readonly reason: string; readonly isRefusal: boolean } | undefined

  constructor({ onWait = warn, timer = asyncScheduler }: RedisWatchOptions) {
    this.#warn = onWait
    this.#timer = timer
  }

  /** Does something with Redis, and reports if that fails, or has no answer. */
  async watched<T>(work: () => Promise<T>): Promise<T> {
    const silence = this.#timer.schedule(
      () => this.#failed(`no answer within ${SILENT_FOR / 1_000} s`, false),
      SILENT_FOR,
    )
    try {
      return await work()
    } catch (error) {
      this.failed(error)
      throw error
    } finally {
      silence.unsubscribe()
    }
  }

  /** Reports a failure, once. */
  failed(error: unknown): void {
    const { message, code, name } = fieldsOf(error)
    // an error of ioredis also holds what was sent; a URL may have a password
    const words = String(message || code || error).replace(/\w+:\/\/\S+/g, '[URL]')
    this.#failed(oneLine(words).slice(0, MOST_WORDS), name === 'ReplyError')
  }

  /** Redis has answered. `isDone`: it did what it was asked for, and refuses no more. */
  answered(isDone: boolean): void {
    if (this.#warned === undefined || (this.#warned.isRefusal && !isDone)) return
    this.#warned = undefined
    this.#warn('Redis answers again')
  }

  #failed(reason: string, isRefusal: boolean): void {
    if (this.#warned?.reason === reason) return
    this.#warned = { reason, isRefusal }
    this.#warn(`Redis cannot be used, and is tried again: ${reason}`)
  }
}
