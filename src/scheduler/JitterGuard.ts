import { type Millis, TICK } from './Clock.js'
import type { SendBatch } from './SendBatch.js'

/** Number of responses needed before the guard is learned from them. */
const ENOUGH = 8
/** Number of recent round trips that are kept. */
const REMEMBERED = 256
/** Share of new round trips after which the spread is measured again. */
const RENEWED = 1 / 4

/** Longest round trip considered. A longer one is due to a timeout, and does not show how long the server works. */
const LONGEST_ROUND_TRIP: Millis = 10_000
/** A small integer above all round trips. Unlike `Infinity`, it takes no memory of its own. */
const NONE: Millis = 2 ** 30

/** Initial guard, as a multiple of the spread. */
const START = 1.5
/** Minimum guard, as a multiple of the spread. */
const LEAST = 0.4
/** Growth after a window with a refusal, as a multiple of the spread, and its minimum for a busy machine on an even network. */
const GROWTH = 0.16
const GROWTH_LEAST: Millis = 4
/** Share of a growth that each response undoes. With it, the guard settles where 1 request in 400 is refused. */
const SHRINK = 0.0025
/** Lower bound of the guard, because clocks tick, timers fire late, and a batch takes a moment to leave. */
const FLOOR: Millis = 3 * TICK

/** Number of recent batches with which a batch is compared to tell if it is late. */
const COMPARED = 8
/** Standard errors that count as chance. A batch is late by its mean excess, minus the usual mean excess, minus these. */
const CHANCE = 3

/** Share of a first round trip that is spent on opening the connection: one trip for TCP, one for TLS 1.3. */
const OPENING = 2 / 3
/** Number of standard deviations after the mean at which the last request leaves if connections open one after the other. */
const LAST_OPENED = Math.sqrt(3)

/**
 * Safety margin (guard) added to the window of a request, learned from the spread of round trips.
 *
 * The server counts arrivals. Requests that leave together arrive in some order, and so do those of the next window's batch.
 * The first one to arrive uses the permit of the first of the earlier batch, and the last one that of the last. Their delays
 * differ much less than those of two arbitrary requests, so a fraction of the spread is enough as long as batches stay
 * together.
 *
 *     sent        |||||             |||||
 *     arrival       || | ||            | || ||
 *     permit      [------ window ------|guard]
 *
 * One guard serves all limiters with the same window, so that their permits are released together.
 */
export class JitterGuard {
  readonly #max: Millis
  readonly #window: Millis
  /** The guard for a batch that is not late. */
  value: Millis
  #answers = 0
  #measureAt = ENOUGH
  #spread: Millis = 0
  #variance = 0
  /** Part of the guard that refusals add and responses remove. */
  #learned: Millis = 0
  /** The spread when `#learned` was learned. */
  #learnedAt: Millis = 0
  #growsAt = Number.NEGATIVE_INFINITY
  /** In µs, because integers are sorted four times as fast. */
  readonly #excesses = new Uint32Array(REMEMBERED)
  readonly #recent: Array<SendBatch> = []
  #shortest: Millis = Number.POSITIVE_INFINITY
  /** True if some request has found its connection open. */
  #isWarm = false

  constructor(window: Millis) {
    this.#window = window
    this.#max = window / 2
    this.value = this.#max
  }

  isKnown(): boolean {
    return this.#answers >= ENOUGH
  }

  /** Returns how long the permits of a batch are held after their window. */
  after(batch: SendBatch): Millis {
    const proven = this.#proven(batch)
    if (!this.isKnown()) return Math.min(this.#max + this.#window, proven)
    const late = Math.max(0, Math.min(this.#max, this.#lateness(batch)))
    return Math.min(this.value + late, batch.isCold ? this.#window : proven)
  }

  answered(batch: SendBatch, roundTrip: Millis, excess: Millis): void {
    if (this.isKnown()) batch.usual ??= this.#bestRecent()
    this.#excesses[this.#answers % REMEMBERED] = excess * 1_000
    this.#answers++
    this.#shortest = Math.min(this.#shortest, roundTrip)
    this.#isWarm ||= !batch.isCold
    if (!this.isKnown()) return
    if (this.#answers >= this.#measureAt) this.#measure()
    this.#learn(-this.#growth() * SHRINK)
  }

  /** Learns from a batch that will get no further response. */
  settled(batch: SendBatch): void {
    if (batch.answers === 0 || batch.isCold) return
    this.#recent.push(batch)
    if (this.#recent.length > COMPARED) this.#recent.shift()
  }

  /** Increases the guard after a refusal that came shortly after the release of a permit. */
  refused(now: Millis): void {
    if (now < this.#growsAt) return // what causes one refusal in a window often causes several
    this.#growsAt = now + this.#window
    this.#learn(this.#growth())
  }

  #growth(): Millis {
    return Math.max(GROWTH * this.#spread, GROWTH_LEAST)
  }

  #learn(by: Millis): void {
    const least = (LEAST - START) * this.#spread
    this.#learned = Math.max(least, Math.min(this.#max, this.#learned + by))
    this.value = Math.min(this.#max, Math.hypot(FLOOR, START * this.#spread + this.#learned))
  }

  /** Measures the spread of the fastest quarter of round trips. Slow ones reflect the server's work rather than the network. */
  #measure(): void {
    const sorted = this.#excesses.slice(0, Math.min(this.#answers, REMEMBERED)).sort()
    this.#measureAt = this.#answers + RENEWED * sorted.length
    const at = (part: number): Millis => (sorted[Math.floor(part * sorted.length)] ?? 0) / 1_000
    let [sum, squares] = [0, 0]
    for (let i = 0; i < sorted.length; i++) {
      const excess = (sorted[i] ?? 0) / 1_000
      sum += excess
      squares += excess * excess
    }
    this.#variance = Math.max(0, squares / sorted.length - (sum / sorted.length) ** 2)
    this.#spread = at(0.25) - at(0.05)
    if (this.#spread < this.#learnedAt / 2) {
      this.#learned *= this.#spread / this.#learnedAt // the network has changed
      this.#learnedAt = this.#spread
    }
    this.#learnedAt = Math.max(this.#learnedAt, this.#spread)
  }

  /** Returns the guard that is certain to be enough: no answered request arrived later than its round trip allows. */
  #proven({ open, answers, refusals, lostAfter, maxExcess }: SendBatch): Millis {
    if (open > 0 || (answers + refusals === 0 && lostAfter === 0)) return Number.POSITIVE_INFINITY
    return Math.max(FLOOR + maxExcess, lostAfter)
  }

  /** Returns how much later than other batches this batch arrived as a whole. */
  #lateness(batch: SendBatch): Millis {
    const { answers, excess, isCold, usual } = batch
    if (isCold) return answers === 0 ? this.#proven(batch) : this.#connecting(batch)
    if (answers === 0 || usual === undefined) return 0
    const scatter = Math.sqrt((usual.variance + batch.scatter()) / answers)
    return excess / answers - usual.excess - (CHANCE * scatter) / Math.sqrt(answers)
  }

  /** Returns the best recent batch, because a busy machine delays several batches in a row, but perhaps not the next one. */
  #bestRecent(): SendBatch['usual'] {
    if (this.#recent.length === 0) return undefined
    let [squares, count] = [this.#variance, 1]
    for (const batch of this.#recent) {
      squares += batch.scatter()
      count += batch.answers - 1
    }
    const variance = squares / count
    let excess = Number.POSITIVE_INFINITY
    for (const batch of this.#recent) {
      excess = Math.min(excess, batch.excess / batch.answers + Math.sqrt(variance / batch.answers))
    }
    return { excess, variance }
  }

  /** Returns how long the last request of the first batch waited for its connection: connections are opened in sequence. */
  #connecting({ answers, roundTrips, squares }: SendBatch): Millis {
    const mean = roundTrips / answers
    const deviation = Math.sqrt(Math.max(0, squares / answers - mean ** 2))
    const last = mean - this.#shortest + LAST_OPENED * deviation
    return this.#isWarm ? last : Math.max(OPENING * mean, last)
  }
}

/** The shortest and the longest recent round trip. */
export class RoundTrips {
  #count = 0
  #recent = { shortest: NONE, longest: 0 }
  #before = this.#recent

  /** Returns true if there are enough responses to know the shortest round trip. */
  isKnown(): boolean {
    return this.#count >= ENOUGH
  }

  add(roundTrip: Millis): void {
    if (this.#count++ % REMEMBERED === 0) {
      this.#before = this.#recent
      this.#recent = { shortest: NONE, longest: 0 }
    }
    const recent = this.#recent
    if (roundTrip < recent.shortest) recent.shortest = roundTrip
    if (roundTrip > recent.longest) recent.longest = Math.min(roundTrip, LONGEST_ROUND_TRIP)
  }

  shortest(): Millis {
    return Math.min(this.#recent.shortest, this.#before.shortest)
  }

  /** Returns the longest recent round trip; 0 before the first response. */
  longest(): Millis {
    return Math.max(this.#recent.longest, this.#before.longest)
  }
}
