/**
 * ```ts
 * const crowd: (period: Millis) => Crowd
 * ```
 *
 * How many were under way when one left, and how many of these the server can still have had inside when it
 * arrived. A limit on how many are inside does not refuse one that finds far fewer there than were let in
 * together just now: a rate does.
 *
 *     leave       |||||        |||||        |||||
 *     let in      |||||        ||
 *     refused                    |||        |||||     nobody was inside: not for being too many at once
 */
import type { Millis } from '../Clock.js'
import type { Departure } from '../Departure.js'

export interface Crowd {
  /** One of them starts, the last of so many under way; `inside`: so many of these had an answer, or get none. */
  readonly enter: (departure: Departure, count: number, inside: number) => void
  readonly accepted: (departure: Departure, now: Millis) => void
  /** How many were under way when these had left. */
  readonly when: (departure: Departure) => number
  /** Whether being too many cannot be why one of these is refused. To be asked once for each of them. */
  readonly clears: (departure: Departure) => boolean
  /** How many others can have been inside, at most, when the one arrived that was asked about last. */
  readonly others: () => number
}

interface Level {
  readonly by: Departure
  count: number
  /** How many of these had an answer by then, or get none: the server may be at work for them. */
  readonly inside: number
  /** How many had been let in by then. */
  readonly letIn: number
}

/** Too few to be refused for it: less than this part of those that were let in together. */
const FEWER = 1 / 2
/** When more than this part of the refusals of late cannot be explained by it, the others are not, either. */
const DOUBT = 1 / 3
/** What the last one tells, as a part of what all tell. */
const LAST = 1 / 16

/** Not worth tidying up below. */
const FEW = 16

export const crowd = (period: Millis): Crowd => new Levels(period)

class Levels implements Crowd {
  private readonly period: Millis
  private levels: Array<Level> = [] // in the order in which they left
  private tidyAt = FEW
  private letIn = 0
  private most = 0 // that left together, and were let in: in the present period
  private mostBefore = 0 // in the one before
  private periodEnd: Millis = 0
  private doubt = 0
  private found = 0

  constructor(period: Millis) {
    this.period = period
  }

  enter(departure: Departure, count: number, inside: number): void {
    const last = this.levels[this.levels.length - 1]
    if (last?.by === departure) {
      last.count = count
      return
    }
    if (this.levels.length >= this.tidyAt) {
      this.levels = this.levels.filter(({ by }) => by.open > 0)
      this.tidyAt = 2 * this.levels.length + FEW
    }
    this.levels.push({ by: departure, count, inside, letIn: this.letIn })
  }

  accepted({ answers }: Departure, now: Millis): void {
    this.letIn++
    if (now >= this.periodEnd) {
      this.periodEnd = now + this.period
      this.mostBefore = this.most
      this.most = 0
    }
    if (answers > this.most) this.most = answers
  }

  when(departure: Departure): number {
    return this.levelOf(departure)?.count ?? 1
  }

  clears(departure: Departure): boolean {
    this.found = this.insideWith(departure)
    const isFew = this.found < FEWER * Math.max(this.most, this.mostBefore)
    this.doubt += LAST * ((isFew ? 1 : 0) - this.doubt)
    return isFew || this.doubt > DOUBT
  }

  others(): number {
    return this.found
  }

  /** Those that were inside before, those let in since, and those that may still be answered. */
  private insideWith(departure: Departure): number {
    const { inside = 0, letIn = this.letIn } = this.levelOf(departure) ?? {}
    return this.levels.reduce(
      (sum, { by }) => (by.at <= departure.at ? sum + by.open : sum),
      inside + this.letIn - letIn,
    )
  }

  private levelOf(departure: Departure): Level | undefined {
    return this.levels.find(({ by }) => by === departure)
  }
}
