import { type Millis, TICK } from './Clock.js'
import type { SendBatch } from './SendBatch.js'

/** Answers before which nothing is known of the network. */
const ENOUGH = 8
/** Round trips that are remembered. */
const REMEMBERED = 256
/** The spread is measured again when this part of the remembered round trips is new. */
const RENEWED = 1 / 4

/** Anything longer ran into a timeout: it does not tell how long a server works on a request. */
const LONGEST_ROUND_TRIP: Millis = 10_000
/** A small integer above all round trips: unlike `Infinity` it takes no memory of its own. */
const NONE: Millis = 2 ** 30

/** Guard before anything was refused, in spreads. */
const START = 1.5
/** The least that it shrinks to, in spreads. */
const LEAST = 0.4
/** Growth after a window with a refusal: in spreads; and at least so many ms, for a busy machine on an even network. */
const GROWTH = 0.16
const GROWTH_LEAST: Millis = 4
/** Part of a growth that each answer takes back: the guard settles where 1 request in 400 is refused. */
const SHRINK = 0.0025
/** Clocks tick, timers are late, and a batch takes a moment to leave. */
const FLOOR: Millis = 3 * TICK

/** Batches that a late one is compared with. */
const COMPARED = 8
/** A batch is late by what its mean excess exceeds the usual one by, beyond so many standard errors. */
const CHANCE = 3

/** Part of its first round trips for which a request waited for its connection: one trip for TCP, one for TLS 1.3. */
const OPENING = 2 / 3
/** Connections opened one after the other: the last request leaves so many standard deviations after the mean. */
const LAST_OPENED = Math.sqrt(3)

/**
 * Safety margin that is added to the window of a departure, learned from the spread of round trips.
 *
 * The server counts arrivals. Requests that leave together arrive in some order, and so do those of a window later.
 * The first takes the permit of the first, the last that of the last, and these differ much less than any two do, so
 * a part of the spread is enough as long as batches stay together.
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
  /** The margin of a batch that is not late. */
  value: Millis
  #answers = 0
  #measureAt = ENOUGH
  #spread: Millis = 0
  #variance = 0
  /** Added to the guard by refusals, and taken back by answers. */
  #learned: Millis = 0
  /** The spread at which that was learned. */
  #learnedAt: Millis = 0
  #growsAt = Number.NEGATIVE_INFINITY
  /** In µs: integers sort in a quarter of the time. */
  readonly #excesses = new Uint32Array(REMEMBERED)
  readonly #recent: Array<SendBatch> = []
  #shortest: Millis = Number.POSITIVE_INFINITY
  /** A request was answered that found its connection open. */
  #isWarm = false

  constructor(window: Millis) {
    this.#window = window
    this.#max = window / 2
    this.value = this.#max
  }

  isKnown(): boolean {
    return this.#answers >= ENOUGH
  }

  /** How long beyond their window the permits of a batch stay held. */
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

  /** No further answer of this batch will come. */
  settled(batch: SendBatch): void {
    if (batch.answers === 0 || batch.isCold) return
    this.#recent.push(batch)
    if (this.#recent.length > COMPARED) this.#recent.shift()
  }

  /** A request was refused that closely followed the release of a permit. */
  refused(now: Millis): void {
    if (now < this.#growsAt) return // what refuses one request of a window often refuses several
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

  /** The spread of the fastest quarter: the slow ones tell of the server's work, not of the way there. */
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
      this.#learned *= this.#spread / this.#learnedAt // another network
      this.#learnedAt = this.#spread
    }
    this.#learnedAt = Math.max(this.#learnedAt, this.#spread)
  }

  /** When all of a batch is answered, none of it arrived later than its longest round trip allows. */
  #proven({ open, answers, refusals, lostAfter, maxExcess }: SendBatch): Millis {
    if (open > 0 || (answers + refusals === 0 && lostAfter === 0)) return Number.POSITIVE_INFINITY
    return Math.max(FLOOR + maxExcess, lostAfter)
  }

  /** By how much a batch as a whole arrived later than others do. */
  #lateness(batch: SendBatch): Millis {
    const { answers, excess, isCold, usual } = batch
    if (isCold) return answers === 0 ? this.#proven(batch) : this.#connecting(batch)
    if (answers === 0 || usual === undefined) return 0
    const scatter = Math.sqrt((usual.variance + batch.scatter()) / answers)
    return excess / answers - usual.excess - (CHANCE * scatter) / Math.sqrt(answers)
  }

  /** The best batch of late: a busy machine delays several batches in a row, and perhaps not the next one. */
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

  /** How long the last request of the first batch waited for its connection: they are opened one after the other. */
  #connecting({ answers, roundTrips, squares }: SendBatch): Millis {
    const mean = roundTrips / answers
    const deviation = Math.sqrt(Math.max(0, squares / answers - mean ** 2))
    const last = mean - this.#shortest + LAST_OPENED * deviation
    return this.#isWarm ? last : Math.max(OPENING * mean, last)
  }
}

/** The shortest and the longest round trip of late. */
export class RoundTrips {
  #count = 0
  #recent = { shortest: NONE, longest: 0 }
  #before = this.#recent

  /** Returns whether there are answers enough to tell which of them is short. */
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

  /** 0 before the first answer. */
  longest(): Millis {
    return Math.max(this.#recent.longest, this.#before.longest)
  }
}
