/** Reports waits for a destination, a store or a service of files, and their reason: nothing waits in silence. */
import type { SchedulerLike } from 'rxjs'
import { oneLine, withoutCredentials } from '../decode/redact.js'
import { withoutUndefined } from '../fp.js'
import type { Millis } from '../stream/index.js'
import type { Store } from './Store.js'

// model

/** A wait, or its end. */
export interface Wait {
  /** Names the destination, without secrets. */
  readonly destination: string
  /** How long it has been waited for, in ms. */
  readonly waited: Millis
  /** True when it has answered. */
  readonly isOver: boolean
  /** Why, as the destination gave it; absent where it gives no answer. */
  readonly reason?: string
  /** In words, with the reason. */
  readonly message: string
}

/** A call that takes longer is reported. */
const SILENT_FOR: Millis = 5_000

/** The longest refusal that is reported, in characters. */
const MOST_WORDS = 300

// constructors

/**
 * The waits of one destination. A call that takes longer than five seconds is reported, with the words of the last refusal;
 * other words after that are reported at once, and so is its end.
 */
export class Waits {
  readonly #name: string
  readonly #timer: SchedulerLike
  readonly #tell: (wait: Wait) => void
  /** Calls under way. */
  #underWay = 0
  /** How many of these take longer. */
  #late = 0
  /** When the first of these began. */
  #since: Millis = 0
  #words: string | undefined
  #toldWords: string | undefined

  constructor(name: string, timer: SchedulerLike, tell: (wait: Wait) => void) {
    this.#name = name
    this.#timer = timer
    this.#tell = tell
  }

  /** Takes the words of a refusal after which the same is tried again. */
  refused(words: string): void {
    this.#words = oneLine(withoutCredentials(words)).slice(0, MOST_WORDS)
    if (this.#late > 0) this.#tellWait()
  }

  /** Does something that may have to wait. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    if (this.#underWay === 0) this.#words = undefined
    this.#underWay++
    const began = this.#timer.now()
    let isLate = false
    const silence = this.#timer.schedule(() => {
      isLate = true
      this.#late++
      if (this.#late > 1) return
      this.#since = began
      this.#tellWait()
    }, SILENT_FOR)
    let isDone = false
    try {
      const done = await work()
      isDone = true
      return done
    } finally {
      silence.unsubscribe()
      this.#underWay--
      if (isLate) this.#late--
      if (isLate && this.#late === 0) {
        this.#toldWords = undefined
        if (isDone) this.#tellEnd()
      }
    }
  }

  /** Reports a wait that begins, and whose reason is known. */
  announce(words: string): void {
    this.#words = words
    this.#toldWords = words
    this.#emit(0, false, words)
  }

  #tellWait(): void {
    if (this.#words !== undefined && this.#words === this.#toldWords) return
    this.#toldWords = this.#words
    const waited = this.#timer.now() - this.#since
    this.#emit(waited, false, `waiting for ${seconds(waited)} so far: ${this.#words ?? SILENT}`)
  }

  #tellEnd(): void {
    const waited = this.#timer.now() - this.#since
    this.#emit(waited, true, `went on after ${seconds(waited)}`)
  }

  #emit(waited: Millis, isOver: boolean, words: string): void {
    const destination = this.#name
    const reason = isOver ? undefined : this.#words
    const message = `${destination}: ${words}`
    this.#tell({ destination, waited, isOver, ...withoutUndefined({ reason }), message })
  }
}

/** Takes a wait, or its end, in words. */
export type OnWait = (message: string) => void

/** The waits of a reader that has no client. `onWait`: default `console.warn`. */
export const waitsInWords = (
  name: string,
  timer: SchedulerLike,
  onWait: OnWait = (message) => {
    // biome-ignore lint/suspicious/noConsole: stderr in every runtime, where no option takes it
    console.warn(message)
  },
): Waits => new Waits(name, timer, ({ message }) => onWait(message))

/** A store whose waits are reported. */
export const watchedStore = (store: Store, waits: Waits): Store => ({
  read: (name) => waits.during(() => store.read(name)),
  replace: (...text) => waits.during(() => store.replace(...text)),
  remove: (...text) => waits.during(() => store.remove(...text)),
  ...(store.close && { close: async () => store.close?.() }),
})

const SILENT = 'no answer: it is slow, locked, or hangs'

const seconds = (ms: Millis): string => `${Math.round(ms / 1_000)} s`
