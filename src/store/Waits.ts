/** Reports waits for a destination or a store with their reason, so that nothing waits silently. */
import type { SchedulerLike } from 'rxjs'
import { oneLine, withoutCredentials } from '../decode/redact.js'
import { withoutUndefined } from '../fp.js'
import type { Millis } from '../stream/index.js'
import type { Store } from './Store.js'

/** A wait, or its end. */
export interface Wait {
  /** Name of the destination, without secrets. */
  readonly destination: string
  /** Duration of the wait so far, in ms. */
  readonly waited: Millis
  /** True once the destination has responded. */
  readonly isOver: boolean
  /** The reason given by the destination; absent if it does not respond. */
  readonly reason?: string
  /** A description, with the reason. */
  readonly message: string
}

/** Time after which a call is reported as a wait. */
const SILENT_FOR: Millis = 5_000

/** Time after which a call to a local disk is reported, because the disk may have to spin up or flush a large cache. */
export const DISK_SILENT_FOR: Millis = 30_000

/** Maximum length of a reported refusal, in characters. */
const MOST_WORDS = 300

/**
 * The waits of one destination. A call that takes longer than `silentFor` is reported with its last refusal. After that, a
 * different refusal is reported immediately, and so is the end of the wait.
 */
export class Waits {
  readonly #name: string
  readonly #timer: SchedulerLike
  readonly #tell: (wait: Wait) => void
  readonly #silentFor: Millis
  /** Calls in progress. */
  #underWay = 0
  /** Number of calls that are overdue. */
  #late = 0
  /** Start of the first overdue call. */
  #since: Millis = 0
  #words: string | undefined
  #toldWords: string | undefined

  constructor(
    name: string,
    timer: SchedulerLike,
    tell: (wait: Wait) => void,
    silentFor: Millis = SILENT_FOR,
  ) {
    this.#silentFor = silentFor
    this.#name = name
    this.#timer = timer
    this.#tell = tell
  }

  /** Records the message of a refusal after which the call is retried. */
  refused(words: string): void {
    this.#words = oneLine(withoutCredentials(words)).slice(0, MOST_WORDS)
    if (this.#late > 0) this.#tellWait()
  }

  /** Runs work that may have to wait. */
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
    }, this.#silentFor)
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

  /** Reports the start of a wait whose reason is known. */
  announce(words: string): void {
    this.#words = words
    this.#toldWords = words
    this.#emit(0, false, words)
  }

  /** Reports a peculiarity of the destination that does not cause a wait. */
  note(words: string): void {
    this.#emit(0, true, words)
  }

  #tellWait(): void {
    if (this.#words !== undefined && this.#words === this.#toldWords) return
    this.#toldWords = this.#words
    const waited = this.#timer.now() - this.#since
    this.#emit(waited, false, `waited ${seconds(waited)} so far: ${this.#words ?? SILENT}`)
  }

  #tellEnd(): void {
    const waited = this.#timer.now() - this.#since
    this.#emit(waited, true, `continued after waiting ${seconds(waited)}`)
  }

  #emit(waited: Millis, isOver: boolean, words: string): void {
    const destination = this.#name
    const reason = isOver ? undefined : this.#words
    const message = `${destination}: ${words}`
    this.#tell({ destination, waited, isOver, ...withoutUndefined({ reason }), message })
  }
}

/** Called with a message when a wait is reported, or ends. */
export type OnWait = (message: string) => void

/** Reports waits if there is no client to report them. `onWait`: default `console.warn`. */
export const waitsInWords = (
  name: string,
  timer: SchedulerLike,
  onWait: OnWait = (message) => {
    // biome-ignore lint/suspicious/noConsole: stderr in every runtime, where no option takes it
    console.warn(message)
  },
): Waits => new Waits(name, timer, ({ message }) => onWait(message))

/** Returns a store that reports its waits. */
export const watchedStore = (store: Store, waits: Waits): Store => ({
  read: (name) => waits.during(() => store.read(name)),
  replace: (...text) => waits.during(() => store.replace(...text)),
  remove: (...text) => waits.during(() => store.remove(...text)),
  ...(store.close && { close: async () => store.close?.() }),
})

const SILENT = 'it does not respond, because it is slow, locked or hanging'

const seconds = (ms: Millis): string => `${Math.round(ms / 1_000)} s`
