import type { IO } from '../../fp.js'
import type { Millis } from '../Clock.js'

/** Share of a window that is refused in a burst: half of one window, or a fifth of two consecutive windows. */
const BURST = 1 / 2
const REPEATED_BURST = 1 / 5
/** Minimum number of refusals in a burst, however low the limit is. */
const FEWEST = 3
/** Number of consecutive windows with refusals that show a lower limit, even if each has only a few. */
const RUNNING = 3

/** Number of windows until a higher level is tried: fewer after a success, up to this many after failures. */
const PROBE_AFTER = 5
const PROBE_AFTER_AT_MOST = 60
/** Number of windows within which a probe is judged before the next one. */
const PROBE_LASTS = 2
/** Number of clean windows before the level that worked is tried again. It doubles each time that this fails. */
const RETURN_AFTER_AT_MOST = 32

/** Longest closure while everything is refused. The API recommends 16 s as the longest backoff. */
const LONGEST_CLOSURE: Millis = 16_000
/** Maximum random addition to a longer closure, as a share of it. */
const CLOSURE_JITTER = 1 / 2

/** Reason for a level: `probe` tries a higher level, `return` goes back to the last level that worked. */
type Reason = 'usual' | 'probe' | 'return'

/** Requests sent within one window at one level, and their outcomes. */
export class SendWindow {
  readonly index: number
  readonly startedAt: Millis
  readonly level: number
  readonly reason: Reason
  letIn = 0
  refused = 0
  open = 0
  isBurst = false
  /** True if this window has changed the level, or shown that no change is needed. A window lowers the level only once. */
  isJudged = false
  /** The preceding window, if the level changed within it. The server also counts the requests of that window. */
  readonly #continues: SendWindow | undefined
  /** Kind of the last refused request, and the number of times the kind changed. */
  #kind: object | undefined = undefined
  #kinds = 0

  constructor(index: number, now: Millis, level: number, reason: Reason, before?: SendWindow) {
    this.index = index
    this.startedAt = now
    this.level = level
    this.reason = reason
    this.#continues = before
  }

  since(): Millis {
    return this.#continues?.since() ?? this.startedAt
  }

  /** Returns the number of admitted requests, including those of preceding windows that it continues. */
  letInSince(): number {
    return this.letIn + (this.#continues?.letInSince() ?? 0)
  }

  /** Records a refusal of this kind, by this limit or another. Returns true if several kinds have been refused. */
  refusesSeveral(kind: object): boolean {
    if (this.#kind !== kind) this.#kinds++
    this.#kind = kind
    return this.#kinds > 1
  }
}

/** Reason for a refusal: `chance` in the network, `burst` for a lower limit or an outage, `elsewhere` for another limit. */
export type RefusalVerdict = 'chance' | 'burst' | 'probe' | 'elsewhere'

export interface AdaptiveLimitOptions {
  readonly random: IO<number>
  /** Returns the level after a burst, given the number admitted during its window and the previous level. */
  readonly afterBurst: (letIn: number, level: number) => number
  /** Called when a whole window has been admitted at a different level than before; `max` is the configured limit. */
  readonly confirmed: (level: number, max: number) => void
  /** Returns true if the limits of resources caused the refusals of a window. */
  readonly isElsewhere: (window: SendWindow, limit: AdaptiveLimit, now: Millis) => boolean
}

/**
 * The part of a configured limit that is used. After a burst of refusals, the level falls to the number that was admitted in
 * that window. It then returns in one step to the last level that worked, and probes carefully above it. If nothing is
 * admitted, that is an outage, which says nothing about the limit. The limit then closes, for longer each time, and resumes at
 * its previous level.
 *
 *     level   20 20 |10 10 10 10 10 |11 |10 10 10 ... |11 12 14 18 20
 *              burst               probe refused     probes let in
 */
export class AdaptiveLimit {
  /** Number of requests allowed now: within a window, or concurrently. */
  level: number
  /** Level of the last window that was fully admitted, or the configured limit. */
  confirmed: number
  /** Configured limit. */
  max: number
  window: Millis
  readonly #options: AdaptiveLimitOptions
  #reason: Reason = 'usual'
  /** True if the next departure begins a window because the level has changed. */
  #isNewLevel = true
  #present: SendWindow | undefined
  #windows = 0
  /** Index of the first window that began under the current configured limit. */
  #configuredAt = 0
  /** Highest level at which a window was fully admitted. */
  worked = 0
  /** Index of the last window whose burst was attributed to a cause. */
  lastBurst = Number.NEGATIVE_INFINITY
  /** Number of clean windows since the level changed, and the number required to return to the level that worked. */
  #cleanWindows = 0
  #returnAfter = 1

  #probeAt: Millis = Number.POSITIVE_INFINITY
  #probeAfter = PROBE_AFTER
  #step = 1
  #beforeProbe: number

  #refusedWindows = 0
  #refusedInARow = 0
  /** Index of the last window in which a fifth was refused. */
  #lastMany = Number.NEGATIVE_INFINITY
  #isDown = false
  #closures = 0
  #closedUntil: Millis = 0

  /** `limit` is the configured one, `window` the period in which requests are judged together. */
  constructor(limit: number, window: Millis, options: AdaptiveLimitOptions) {
    this.#options = options
    this.window = window
    this.level = limit
    this.max = limit
    this.confirmed = limit
    this.#beforeProbe = limit
  }

  isLowered(): boolean {
    return this.level < this.max
  }

  /** Changes the configured limit. 0 admits nothing. */
  configure(limit: number, window = this.window): void {
    this.window = window
    this.level = this.isLowered() ? Math.min(this.level, limit) : limit
    this.worked = Math.min(this.worked, limit)
    this.#beforeProbe = Math.min(this.#beforeProbe, limit)
    this.max = limit
    this.confirmed = this.level
    this.#configuredAt = this.#windows
    this.#isNewLevel = true
  }

  /** Starts at the number that was admitted in a window under another limit; `worked` was the level before that. */
  beginAt(letIn: number, worked: number, now: Millis): void {
    this.worked = worked
    this.fall(letIn, now)
  }

  /** Returns the time until requests are admitted, regardless of the permits in use; 0 for now. Starts a probe that is due. */
  closedFor(now: Millis): Millis {
    const present = this.#present
    if (this.max === 0) return Number.POSITIVE_INFINITY
    if (present?.isBurst === true && !present.isJudged && present.open > 0) {
      const left = present.startedAt + 2 * this.window - now
      if (left > 0) return left // until all of its responses have arrived
    }
    if (now >= this.probesAt()) {
      this.#beforeProbe = this.level
      this.#change(Math.min(this.max, this.level + this.#step), 'probe', now, PROBE_LASTS)
      this.#step *= 2
    }
    return Math.max(0, this.#closedUntil - now)
  }

  /** Returns the time at which a higher level is tried; `Infinity` if none will be. */
  probesAt(): Millis {
    return this.isLowered() && !this.#isDown ? this.#probeAt : Number.POSITIVE_INFINITY
  }

  /** Records a sent request. Returns the window in which it is judged. */
  sent(now: Millis): SendWindow {
    let present = this.#present
    if (present === undefined || this.#isNewLevel || now >= present.startedAt + this.window) {
      const isSame =
        this.#isNewLevel && present !== undefined && now < present.since() + this.window
      const before = isSame ? present : undefined
      present = new SendWindow(this.#windows++, now, this.level, this.#reason, before)
      this.#present = present
      this.#isNewLevel = false
      this.#reason = 'usual'
    }
    present.open++
    return present
  }

  accepted(window: SendWindow, now: Millis): void {
    window.open--
    window.letIn++
    this.#refusedInARow = 0
    if (this.#isDown) this.#open(now)
    else if (window.isJudged) return
    else if (window.isBurst) this.#fallWhenKnown(window, now)
    else if (window.letInSince() >= window.level) this.#clean(window, now)
  }

  /** Records that a request of this window got no response, or was refused by another limit. */
  abandoned(window: SendWindow, now: Millis): void {
    window.open--
    if (window.isBurst && !window.isJudged) this.#fallWhenKnown(window, now)
  }

  /** Records that a request of this window was refused. `retryAfter`: the delay requested by the server; 0 for none. */
  refused(window: SendWindow, now: Millis, retryAfter: Millis): RefusalVerdict {
    window.open--
    window.refused++
    this.#refusedInARow++
    const verdict = this.#judge(window, now)
    if (verdict === 'burst') this.#closedUntil = Math.max(this.#closedUntil, now + retryAfter)
    return verdict
  }

  #judge(window: SendWindow, now: Millis): RefusalVerdict {
    if (this.#isDown) {
      if (!window.isJudged) this.#close(now)
      window.isJudged = true
      return 'burst'
    }
    if (window.isJudged) return window.reason === 'probe' ? 'probe' : 'burst'
    if (window.reason === 'probe') {
      window.isJudged = true
      this.#probeAfter = Math.min(PROBE_AFTER_AT_MOST, 2 * this.#probeAfter)
      this.#step = 1
      this.#change(this.#beforeProbe, 'usual', now)
      return 'probe'
    }
    if (window.refused === 1) this.#refusedWindows++
    if (!window.isBurst && !this.#isBurst(window)) return 'chance'
    window.isBurst = true
    return this.#fallWhenKnown(window, now)
  }

  #isBurst({ refused, letIn, level, index }: SendWindow): boolean {
    const isRepeated = refused >= Math.max(FEWEST, REPEATED_BURST * level)
    const isSecond = isRepeated && this.#lastMany === index - 1
    if (isRepeated && !isSecond) this.#lastMany = index
    return (
      isSecond ||
      refused >= Math.max(FEWEST, BURST * level) ||
      this.#refusedWindows >= RUNNING ||
      (letIn === 0 && this.#refusedInARow >= FEWEST)
    )
  }

  /** Lowers the level after a burst, once all responses of its window have arrived, unless another limit caused the burst. */
  #fallWhenKnown(window: SendWindow, now: Millis): RefusalVerdict {
    if (window.open > 0) return 'burst'
    window.isJudged = true
    this.#refusedWindows = 0
    const isElsewhere = this.#options.isElsewhere(window, this, now)
    this.lastBurst = window.index
    if (isElsewhere) {
      this.#closedUntil = 0
      return 'elsewhere'
    }
    this.#step = 1
    const letIn = window.letInSince()
    if (letIn > 0 && window.reason === 'return') {
      this.#returnAfter = Math.min(RETURN_AFTER_AT_MOST, 2 * this.#returnAfter)
    }
    this.fall(letIn, now)
    return 'burst'
  }

  /** Lowers the level to the number admitted in a window, or closes if that is zero. */
  fall(letIn: number, now: Millis): void {
    if (letIn > 0) {
      this.#change(this.#options.afterBurst(letIn, this.level), 'usual', now)
      return
    }
    this.#isDown = true
    this.#change(1, 'usual', now)
    this.#close(now)
  }

  /** Records that a window was fully admitted. */
  #clean(window: SendWindow, now: Millis): void {
    window.isJudged = true
    this.#refusedWindows = 0
    this.worked = Math.max(this.worked, Math.min(window.level, this.max))
    if (window.level !== this.confirmed && window.index >= this.#configuredAt) {
      this.confirmed = window.level
      this.#options.confirmed(window.level, this.max)
    }
    if (window.reason === 'return') {
      this.#returnAfter = 1
    } else if (window.reason === 'probe') {
      this.#probeAfter = Math.max(PROBE_AFTER, this.#probeAfter / 2)
      this.#probeAt = now // 1, 2, 4 ... more while probes succeed
    }
    if (this.worked > this.level && ++this.#cleanWindows >= this.#returnAfter) {
      this.#change(this.worked, 'return', now)
    }
  }

  /** Closes for 1, 2, 4 ... windows because everything is refused. Then admits one request. */
  #close(now: Millis): void {
    const length = Math.min(LONGEST_CLOSURE, this.window * 2 ** this.#closures)
    const jitter = this.#closures > 0 ? CLOSURE_JITTER * this.#options.random() : 0
    this.#closures++
    this.#closedUntil = now + length * (1 + jitter)
  }

  /** Reopens after a request was admitted: immediately at the level that worked, or slowly if none has worked yet. */
  #open(now: Millis): void {
    this.#isDown = false
    this.#closures = 0
    this.#closedUntil = 0
    this.#step = 2
    this.#beforeProbe = 1
    if (this.worked > 0) this.#change(this.worked, 'return', now)
    else this.#change(Math.min(this.max, 2), 'return', now, 1)
  }

  /** `probeAfter`: windows until a higher level is tried. */
  #change(level: number, reason: Reason, now: Millis, probeAfter = this.#probeAfter): void {
    this.level = Math.min(level, this.max) // the limit may have been lowered since
    this.#reason = reason
    this.#probeAt = now + probeAfter * this.window
    this.#cleanWindows = 0
    this.#isNewLevel = true
  }
}
