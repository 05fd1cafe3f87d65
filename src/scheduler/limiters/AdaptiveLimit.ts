import type { IO } from '../../fp.js'
import type { Millis } from '../Clock.js'

/** Part of a window that is refused in a burst: half of it at once, or a fifth of it in two windows running. */
const BURST = 1 / 2
const REPEATED_BURST = 1 / 5
/** Fewer refusals than this are no burst, however low the limit is. */
const FEWEST = 3
/** Refusals in so many windows running show a lower limit, however few they are. */
const RUNNING = 3

/** Windows until a higher level is tried: fewer after a success, up to so many after failures. */
const PROBE_AFTER = 5
const PROBE_AFTER_AT_MOST = 60
/** Windows within which a probe is judged, before the next one. */
const PROBE_LASTS = 2
/** Clean windows before the level that worked is tried again; doubles each time that it fails. */
const RETURN_AFTER_AT_MOST = 32

/** Longest closure while everything is refused; the interface recommends 16 s as the longest backoff. */
const LONGEST_CLOSURE: Millis = 16_000
/** Most that chance adds to a longer closure, as a part of it. */
const CLOSURE_JITTER = 1 / 2

/** Why a level is in force: `probe` tries a higher one, `return` goes back to the last one that worked. */
type Reason = 'usual' | 'probe' | 'return'

/** Requests that left within one window at one level, and what became of them. */
export class SendWindow {
  readonly index: number
  readonly startedAt: Millis
  readonly level: number
  readonly reason: Reason
  letIn = 0
  refused = 0
  open = 0
  isBurst = false
  /** It has changed the level, or shown that it need not: one decrease a window. */
  isJudged = false
  /** The window before, when the level changed within it: the server counts its requests as well. */
  readonly #continues: SendWindow | undefined
  /** Kind of the last request that was refused, and how often that changed. */
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

  /** Requests that were admitted, those of the windows that it continues included. */
  letInSince(): number {
    return this.letIn + (this.#continues?.letInSince() ?? 0)
  }

  /** A request of this kind was refused, by this limit or another one. Returns whether those of several kinds were. */
  refusesSeveral(kind: object): boolean {
    if (this.#kind !== kind) this.#kinds++
    this.#kind = kind
    return this.#kinds > 1
  }
}

/** Reason of a refusal: `chance` is bad luck of the network, `burst` a lower limit or an outage, `elsewhere` another limit. */
export type RefusalVerdict = 'chance' | 'burst' | 'probe' | 'elsewhere'

export interface AdaptiveLimitOptions {
  readonly random: IO<number>
  /** Level after a burst, from what was admitted during its window and the level until then. */
  readonly afterBurst: (letIn: number, level: number) => number
  /** Called when a whole window was admitted at another level than before; `max` is the configured limit. */
  readonly confirmed: (level: number, max: number) => void
  /** Returns whether the refusals of a window come from limits of resources instead. */
  readonly isElsewhere: (window: SendWindow, limit: AdaptiveLimit, now: Millis) => boolean
}

/**
 * The part of a configured limit that is used, after the textbook: after a burst of refusals down to what was admitted
 * during its window, back at once to the last level that worked, careful probing above it. When nothing is admitted
 * that is an outage, which says nothing of the limit: it closes, for longer each time, and goes on where it was.
 *
 *     level   20 20 |10 10 10 10 10 |11 |10 10 10 ... |11 12 14 18 20
 *              burst               probe refused     probes let in
 */
export class AdaptiveLimit {
  /** Requests allowed now: within a window, or at once. */
  level: number
  /** Level of the last whole window that was admitted, or the configured limit. */
  confirmed: number
  /** Configured limit. */
  max: number
  window: Millis
  readonly #options: AdaptiveLimitOptions
  #reason: Reason = 'usual'
  /** The next departure begins a window, since the level has changed. */
  #isNewLevel = true
  #present: SendWindow | undefined
  #windows = 0
  /** Index of the first window that began under the configured limit of now. */
  #configuredAt = 0
  /** Highest level at which a whole window was admitted. */
  worked = 0
  /** Index of the last window whose burst was put down to something. */
  lastBurst = Number.NEGATIVE_INFINITY
  /** Clean windows since the level changed, and how many it takes to go back to the level that worked. */
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

  /** `limit` is the configured one, `window` the time over which requests are judged together. */
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

  /** Changes the configured limit. 0 lets nothing through. */
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

  /** Begins with what was admitted of a window under another limit, of which `worked` did before. */
  beginAt(letIn: number, worked: number, now: Millis): void {
    this.worked = worked
    this.fall(letIn, now)
  }

  /** Time until it lets requests through, whatever is in use; 0 for now. Begins a probe that is due. */
  closedFor(now: Millis): Millis {
    const present = this.#present
    if (this.max === 0) return Number.POSITIVE_INFINITY
    if (present?.isBurst === true && !present.isJudged && present.open > 0) {
      const left = present.startedAt + 2 * this.window - now
      if (left > 0) return left // until all of its answers are in
    }
    if (now >= this.probesAt()) {
      this.#beforeProbe = this.level
      this.#change(Math.min(this.max, this.level + this.#step), 'probe', now, PROBE_LASTS)
      this.#step *= 2
    }
    return Math.max(0, this.#closedUntil - now)
  }

  /** When a higher level is tried; `Infinity` if none is. */
  probesAt(): Millis {
    return this.isLowered() && !this.#isDown ? this.#probeAt : Number.POSITIVE_INFINITY
  }

  /** A request leaves. Returns the window that it is judged with. */
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

  /** A request of this window got no answer, or another limit refused it. */
  abandoned(window: SendWindow, now: Millis): void {
    window.open--
    if (window.isBurst && !window.isJudged) this.#fallWhenKnown(window, now)
  }

  /** A request of this window was refused. `retryAfter`: what the server says, 0 for nothing. */
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

  /** A burst lowers the level when all answers of its window are in, unless they show that it comes from elsewhere. */
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

  /** Goes down to what was admitted during a window; when that is nothing, it closes. */
  fall(letIn: number, now: Millis): void {
    if (letIn > 0) {
      this.#change(this.#options.afterBurst(letIn, this.level), 'usual', now)
      return
    }
    this.#isDown = true
    this.#change(1, 'usual', now)
    this.#close(now)
  }

  /** A window was admitted as a whole. */
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
      this.#probeAt = now // 1, 2, 4 ... more while it goes well
    }
    if (this.worked > this.level && ++this.#cleanWindows >= this.#returnAfter) {
      this.#change(this.worked, 'return', now)
    }
  }

  /** Everything is refused: 1, 2, 4 ... windows without a departure, then one request. */
  #close(now: Millis): void {
    const length = Math.min(LONGEST_CLOSURE, this.window * 2 ** this.#closures)
    const jitter = this.#closures > 0 ? CLOSURE_JITTER * this.#options.random() : 0
    this.#closures++
    this.#closedUntil = now + length * (1 + jitter)
  }

  /** Something was admitted again: at once back to what worked, or a slow start if nothing has yet. */
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
    this.level = Math.min(level, this.max) // the limit may have been lowered meanwhile
    this.#reason = reason
    this.#probeAt = now + probeAfter * this.window
    this.#cleanWindows = 0
    this.#isNewLevel = true
  }
}
