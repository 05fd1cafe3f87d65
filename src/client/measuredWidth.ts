/** Chooses the concurrency of a list: enough to use the full rate limit, but no more than make the list faster. */
import { defer, distinctUntilChanged, map, type Observable, Subject, startWith } from 'rxjs'
import type { AnyEndpoint } from '../api/Endpoint.js'
import { plural } from '../decode/plural.js'
import type { IO } from '../fp.js'
import type { ClientEvent } from '../http/ClientEvent.js'
import type { ClientRuntime } from '../http/ClientRuntime.js'
import { type ListLimits, listLimitsOf } from '../http/limits.js'
import type { Millis } from '../stream/index.js'

/** A number of concurrent requests, and the speed measured with it. */
export interface Level {
  readonly width: number
  /** Mean round trip. */
  readonly mean: Millis
  readonly perSecond: number
}

export interface MeasuredWidthOptions {
  /** Events of this list only: short look-ups on the same route would distort its measured round trips. */
  readonly events: Observable<ClientEvent>
  readonly limits: IO<ListLimits>
  /** Current time of a clock for durations. */
  readonly now: IO<Millis>
  /** Called when a sufficient number of requests has been found, and when that number is no longer sufficient. */
  readonly tell?: (requests: number, isEnough: boolean) => void
}

/**
 * Minimum number of responses for judging a concurrency; a concurrency above 16 needs one per request. With 16 responses, the
 * measured mean is within a tenth of the true one if response times vary by 40 %; with fewer, the concurrency would change by
 * chance.
 */
const LEAST_ANSWERS = 16

/**
 * A kept concurrency is used this many times longer than a tried one. Higher and lower ones are tried in turn, so slower tries
 * are a twentieth of all responses, and cost one percent.
 */
const REST = 10

/** Share of the throughput that a lower concurrency must keep. A smaller loss is within the spread of 16 responses. */
const ENOUGH = 0.97

/** Assumed round trip of a page of 2,000 charges before one is measured. */
const USUAL: Millis = 400

/** Weight of the last round trip in the moving average that decides how many requests fill the limits. */
const WEIGHT = 1 / 8

/** Factor applied to the number of requests that would suffice if all round trips were equal. */
const MARGIN = 1.25

/** Number of concurrent requests without a limit: one is in flight while another page is being processed. */
const UNLIMITED = 2

/** Share of the allowed requests that must be in flight before the concurrency counts as the bottleneck. */
export const BUSY = 0.8

/** Used share of a rate limit at which the limit counts as the bottleneck. */
export const FULL = 0.9

/**
 * Returns the number of concurrent requests needed to reach `perSecond`, by Little's law, plus one for the page being
 * processed; at most `concurrency`. This is an estimate, because more requests may lengthen the round trip.
 */
export const widthFor = (perSecond: number, roundTrip: Millis, concurrency: number): number => {
  const underWay = Math.ceil((perSecond * roundTrip * MARGIN) / 1_000)
  return Math.max(1, Math.floor(Math.min(underWay + 1, concurrency)))
}

/** Returns the number of requests needed for the throughput of `wide` at the round trip of `narrow`. */
const carriedBy = (narrow: Level, wide: Level): number => (wide.perSecond * narrow.mean) / 1_000

/** Returns true if the throughput rose by at least half as much as the concurrency. */
const isWorthIt = (narrow: Level, wide: Level): boolean =>
  carriedBy(narrow, wide) >= (narrow.width + wide.width) / 2

/** Returns the number of requests needed for the throughput of `wide`, with the margin applied to all but one of them. */
const enoughFor = (narrow: Level, wide: Level): number =>
  1 + Math.ceil((Math.max(1, carriedBy(narrow, wide)) - 1) * MARGIN)

/**
 * Emits the concurrency to use, immediately and whenever it changes. Its maximum is the rate times the round trip (Little's
 * law). While the concurrency and not a limit is the bottleneck, it is increased. A higher concurrency is kept only if it is
 * faster, and higher and lower ones are tried alternately while the list is read.
 */
export const measuredWidth = (options: MeasuredWidthOptions): Observable<number> =>
  defer(() => {
    const climb = new WidthClimb(options)
    return options.events.pipe(
      map((event) => {
        climb.note(event)
        return climb.width
      }),
      startWith(climb.width),
      distinctUntilChanged(),
    )
  })

/** Returns a runtime whose requests are measured, and the number of concurrent requests for a list of `row`. */
export const withMeasuredWidth = (
  runtime: ClientRuntime,
  { route }: Pick<AnyEndpoint, 'route'>,
) => {
  const events = new Subject<ClientEvent>()
  const emit = (event: ClientEvent): void => {
    events.next(event)
    runtime.emit(event)
  }
  const requests = measuredWidth({
    events,
    limits: () => listLimitsOf(runtime.scheduler),
    now: () => runtime.timer.now(),
    tell: (requests, isEnough) => {
      const message = `${route}: more than ${plural(requests, 'concurrent request')} ${requests === 1 ? 'is' : 'are'} ${isEnough ? 'no faster' : 'faster again'}`
      runtime.emit({ _tag: 'ConcurrencyFound', endpoint: route, requests, isEnough, message })
    },
  })
  return { watched: { ...runtime, emit }, requests }
}

/** The reason for the current concurrency, and the level to compare it with. */
type Phase =
  /** A limit is the bottleneck, so Little's law decides. */
  | { readonly _tag: 'Free' }
  /** The level is enough. `isSure`: lower ones were tried; otherwise they are tried next. */
  | { readonly _tag: 'Resting'; readonly isSure: boolean }
  /** A higher level is tried. `climbs`: each step at most doubles the concurrency. */
  | { readonly _tag: 'Wider'; readonly narrow: Level; readonly climbs: boolean }
  /** A lower level is tried. `wide`: the level to compare with; `descends`: steps continue as long as nothing is lost. */
  | { readonly _tag: 'Narrower'; readonly wide: Level; readonly descends: boolean }

interface Step {
  readonly width: number
  readonly phase: Phase
}

class WidthClimb {
  width: number
  readonly #options: MeasuredWidthOptions
  readonly #underWay = new Set<number>() // calls
  #phase: Phase = { _tag: 'Free' }
  #mean: Millis | undefined
  #window: Window
  /** The last level that was too low. */
  #tooNarrow: Level | undefined
  #widens = false // next
  #enough: number | undefined // as reported to `tell`

  constructor(options: MeasuredWidthOptions) {
    this.#options = options
    this.#window = new Window(options.now())
    this.width = this.#ceiling()
  }

  note(event: ClientEvent): void {
    this.#window.pass(this.#options.now(), this.#underWay.size)
    if (event._tag === 'Sent') this.#underWay.add(event.call)
    else if ('call' in event && event.call !== undefined && event._tag !== 'Started') {
      this.#underWay.delete(event.call)
    }
    if (event._tag === 'Answered' && event.status === 200) this.#answered(event.took)
  }

  #answered(took: Millis): void {
    if (this.#mean === undefined) {
      this.#mean = took
      // one response says little, so start with at most one second's worth of the limit
      const alone = { width: 1, mean: took, perSecond: 1_000 / took }
      this.#take(this.#wider(alone, 1 + this.#perSecond(), true))
      return
    }
    this.#mean += (took - this.#mean) * WEIGHT
    this.#window.add(took)
    const isResting = this.#phase._tag === 'Resting' && this.#phase.isSure
    const answers = Math.max(this.width, LEAST_ANSWERS) * (isResting ? REST : 1)
    if (this.#window.answers >= answers) this.#take(this.#next())
    if (this.#phase._tag === 'Free') this.width = this.#ceiling()
  }

  #take({ width, phase }: Step): void {
    this.width = Math.min(width, this.#ceiling())
    this.#phase = phase
    // the first responses at a higher concurrency arrive before a queue has formed
    this.#window = new Window(this.#options.now(), phase._tag === 'Wider' ? this.width / 2 : 0)
    if (phase._tag === 'Free') this.#tell(undefined)
    if (phase._tag === 'Resting') this.#tell(width < this.#ceiling() ? width : undefined)
  }

  #tell(enough: number | undefined): void {
    const before = this.#enough
    if (enough === before) return
    this.#enough = enough
    const isEnough = enough !== undefined
    this.#options.tell?.(isEnough ? enough : (before ?? this.width), isEnough)
  }

  /** Judges the window that has ended. */
  #next(): Step {
    const { width } = this
    const phase = this.#phase
    const { underWay, mean, perSecond } = this.#window
    if (perSecond >= FULL * this.#perSecond()) return { width, phase: { _tag: 'Free' } }
    if (underWay < BUSY * width) {
      // the reader of the list is slower, or other clients use up the limits
      return phase._tag === 'Narrower' ? rest(phase.wide.width) : { width, phase }
    }
    const level: Level = { width, mean, perSecond: (width * 1_000) / mean }
    switch (phase._tag) {
      case 'Free':
        return narrower(level, true)
      case 'Resting':
        return phase.isSure ? this.#rested(level) : narrower(level, true)
      case 'Wider':
        return phase.climbs
          ? this.#climbed(phase.narrow, level)
          : this.#widened(phase.narrow, level)
      case 'Narrower':
        return this.#narrowed(level, phase.wide, phase.descends)
    }
  }

  #rested(level: Level): Step {
    const { width } = level
    this.#widens = !this.#widens
    if (this.#widens) return this.#wider(level, width * MARGIN, false)
    const enough = this.#tooNarrow === undefined ? 1 : enoughFor(this.#tooNarrow, level)
    return width > enough ? narrower(level, false) : rest(width)
  }

  #climbed(narrow: Level, level: Level): Step {
    const enough = enoughFor(narrow, level)
    if (enough > level.width) {
      return this.#wider(level, 2 * Math.min(level.width, carriedBy(narrow, level)), true)
    }
    // the first page may have been slow by chance
    return rest(Math.max(narrow.width, enough), false)
  }

  #widened(narrow: Level, level: Level): Step {
    if (isWorthIt(narrow, level)) return this.#wider(level, level.width * MARGIN, false)
    const isFaster = narrow.perSecond < ENOUGH * level.perSecond
    return rest(isFaster ? Math.min(level.width, enoughFor(narrow, level)) : narrow.width)
  }

  #narrowed(level: Level, wide: Level, descends: boolean): Step {
    const { width, perSecond } = level
    if (perSecond >= ENOUGH * wide.perSecond) {
      return descends && width > 1 ? narrower(level, true, wide) : rest(width)
    }
    this.#tooNarrow = level
    const enough = enoughFor(level, wide)
    return enough > wide.width ? this.#wider(wide, enough, false) : rest(enough)
  }

  #wider(narrow: Level, width: number, climbs: boolean): Step {
    if (this.#ceiling() <= narrow.width) return rest(narrow.width)
    const whole = Math.max(narrow.width + 1, Math.round(width))
    return { width: whole, phase: { _tag: 'Wider', narrow, climbs } }
  }

  #perSecond(): number {
    const { global, endpoint } = this.#options.limits()
    return Math.min(global, endpoint)
  }

  #ceiling(): number {
    const { concurrency } = this.#options.limits()
    const requests = widthFor(this.#perSecond(), this.#mean ?? USUAL, concurrency)
    return requests === Number.POSITIVE_INFINITY ? UNLIMITED : requests
  }
}

const rest = (width: number, isSure = true): Step => ({ width, phase: { _tag: 'Resting', isSure } })

/** `wide`: the level to compare with. */
const narrower = (level: Level, descends: boolean, wide = level): Step => ({
  width: Math.max(1, Math.min(level.width - 1, Math.round(level.width / MARGIN))),
  phase: { _tag: 'Narrower', wide, descends },
})

/** A period in which a concurrency is measured. */
class Window {
  readonly #from: Millis
  #to: Millis
  #sent = 0 // requests x ms
  #ended = 0
  #took = 0 // ms
  #skips: number
  /** Number of responses to requests sent since the period began, excluding the first ones. */
  answers = 0

  constructor(from: Millis, skips = 0) {
    this.#from = from
    this.#to = from
    this.#skips = skips
  }

  pass(now: Millis, underWay: number): void {
    this.#sent += underWay * (now - this.#to)
    this.#to = now
  }

  add(took: Millis): void {
    this.#ended++
    if (this.#to - took < this.#from || this.#skips-- > 0) return
    this.answers++
    this.#took += took
  }

  /** Requests in flight, on average. */
  get underWay(): number {
    return this.#sent / this.#ms
  }

  get perSecond(): number {
    return (this.#ended * 1_000) / this.#ms
  }

  get mean(): Millis {
    return this.#took / this.answers
  }

  get #ms(): Millis {
    return Math.max(1e-6, this.#to - this.#from)
  }
}
