/**
 * One poll of charges, compared with a memory: that of a stream, a `Store`, or a table.
 *
 *     newest charges ... lists of open statuses ... those that have left them ... those that are gone
 *
 * Rows are skipped if the memory has the same or a later version of them. All input is bounded: missing rows (see `Absences`),
 * times in the future, endless lists, and statuses that no row has any longer.
 */
import type { StoreError } from '../store/StoreError.js'
import type { Millis } from '../stream/index.js'
import type { Absences } from './Absences.js'
import type { Asking } from './Asking.js'
import { openStatuses } from './ChangeState.js'
import { isOpenStatus, type OpenCharge } from './KnownCharges.js'
import { type Ledger, type LedgerRow, PAGE_SIZE, type Seconds } from './Ledger.js'
import { readOpen } from './openRows.js'

/** A row as stored in a memory. */
export interface KnownRow {
  /** True if the memory has the version of the row that was received. */
  readonly isSame: boolean
  /** Time of the last change, in ms since 1970; `NaN` if unknown. */
  readonly updated: Millis
}

/** Rows that polls know. Each method rejects with the error of the underlying store or table. */
export interface Memory {
  /** Rows created before this time are read only while they are open. */
  readonly floor: Seconds
  /** All rows created up to this time have been read. */
  readonly upTo: Seconds
  /** Resolves with those of the given rows that are known, by id. */
  readonly known: (
    rows: ReadonlyArray<LedgerRow<unknown>>,
  ) => Promise<ReadonlyMap<string, KnownRow>>
  /** Resolves with the rows whose status is not final, by id. */
  readonly open: () => Promise<ReadonlyMap<string, OpenCharge>>
  readonly total: () => Promise<number>
  /** Records that the service no longer has these rows. */
  readonly leave: (rows: ReadonlyArray<OpenCharge>) => Promise<void>
  /** Saves the position of the polls. `isOver`: true at the end of a poll. */
  readonly save: (upTo: Seconds, isOver: boolean) => Promise<void>
}

/** A page of a poll. */
export interface PollPage<A> {
  /** Rows whose version is not in the memory. */
  readonly rows: ReadonlyArray<LedgerRow<A>>
  /** Number of rows received. */
  readonly read: number
  /** Why missing rows are not accepted as gone. Reported once per number of rows. */
  readonly doubt?: StoreError
}

/** Rows compared with those of a memory. */
export interface ComparedRows<A> {
  /** Rows for which the memory has no later version. */
  readonly current: ReadonlyArray<LedgerRow<A>>
  /** Rows of `current` whose version is not in the memory. */
  readonly news: ReadonlyArray<LedgerRow<A>>
}

export interface PollOptions<A> {
  readonly ledger: Ledger<A>
  readonly asking: Asking<A>
  readonly memory: Memory
  readonly lookback: Seconds
  readonly absences: Absences
}

/** How far a poll reads back from the newest charge. Every tenth poll reads the whole lookback. */
const SHORT: Seconds = 120
const LONG_EVERY = 10

/** Assumed time span of a page of charges until one has been measured: a day. */
const PAGE_SPAN: Seconds = 86_400

/** Upper bound for the lag of lists. An earlier version that a list still shows after this time is a correction. */
const LAG: Millis = 3_600_000

/** Maximum number of rows whose times can be ahead of the clocks. If there are more, the clocks are behind. */
const MOST_AHEAD = 10_000

/** Runs polls one after another. */
export class Poll<A> {
  readonly #options: PollOptions<A>
  readonly #unlisted = new Set<string>()
  /** Ids of rows whose time of change was in the future when they were read. */
  readonly #ahead = new Set<string>()
  #polls = 0

  constructor(options: PollOptions<A>) {
    this.#options = options
  }

  /** Reads the newest charges, open charges, and charges that were open before. Rejects with `PollInterrupted`. */
  async *next(): AsyncGenerator<PollPage<A>, void, undefined> {
    const { ledger, asking, memory, lookback } = this.#options
    const { earliest, latest } = clocksOf(ledger)
    const back = this.#polls++ % LONG_EVERY === 0 ? lookback : Math.min(SHORT, lookback)
    const before = asking.rows()
    const seen = new Set<string>()
    const tail = new Tail()
    const from = Math.max(memory.floor, memory.upTo - back)
    const range = Number.isFinite(from) ? { from, to: latest } : { to: latest }
    if (from <= latest) {
      for await (const { rows, more } of asking.pages(range)) {
        for (const { id } of rows) seen.add(id)
        tail.add(rows)
        yield await this.#page(rows)
        // a long list that is interrupted continues from here
        if (more && tail.rising !== undefined) {
          await memory.save(Math.min(tail.rising, earliest), false)
        }
      }
    }
    yield* this.open(seen, tail.pageSpan)
    yield await this.judged(asking.rows() === before)
    await memory.save(Math.min(tail.newest, earliest), true)
  }

  /** Reads the lists of open charges, and the charges that have left them. `seen`: ids that have already been read. */
  async *open(seen: Set<string>, pageSpan: Seconds): AsyncGenerator<PollPage<A>, void, undefined> {
    const { ledger, asking, memory, absences } = this.#options
    await this.#askAgain()
    for (const id of absences.held.keys()) seen.add(id)
    const open = await memory.open()
    // a status is requested as long as any row has it
    const statuses = new Set([...openStatuses, ...[...open.values()].map(({ status }) => status)])
    for (const status of this.#unlisted) if (!statuses.has(status)) this.#unlisted.delete(status)
    const pages = readOpen(asking, {
      statuses: [...statuses].filter((status) => status !== '' && isOpenStatus(status)),
      unlisted: this.#unlisted,
      openCharges: () => open.values(),
      seen,
      now: clocksOf(ledger).earliest,
      pageSpan,
    })
    for await (const { rows, gone } of pages) {
      absences.hold(gone.flatMap((id) => open.get(id) ?? []))
      yield await this.#page(rows)
    }
  }

  /** Reads the first missing row again. If it is back, all missing rows count as present. */
  async #askAgain(): Promise<void> {
    const { asking, absences } = this.#options
    const [first] = absences.held.keys()
    if (first !== undefined && (await asking.retrieve(first)) !== undefined) absences.held.clear()
  }

  /** Judges the missing rows, and removes those that are gone. `isEmpty`: no list had a row. */
  async judged(isEmpty: boolean): Promise<PollPage<A>> {
    const { memory, absences } = this.#options
    const { gone, doubt } = await absences.judge(() => memory.total(), isEmpty)
    if (gone.length > 0) await memory.leave(gone)
    return { rows: [], read: 0, ...(doubt && { doubt }) }
  }

  async #page(rows: ReadonlyArray<LedgerRow<A>>): Promise<PollPage<A>> {
    this.#options.absences.came(rows)
    const { news } = await this.compared(rows)
    return { rows: news, read: rows.length }
  }

  /**
   * Returns the rows for which the memory has no later version, and says which of them are new to it. A list may lag, so a
   * later version in the memory takes precedence, but only for an hour, and only if its time of change was not in the future
   * when it was read.
   */
  async compared(rows: ReadonlyArray<LedgerRow<A>>): Promise<ComparedRows<A>> {
    const { memory, ledger } = this.#options
    const now = (clocksOf(ledger).latest + 1) * 1_000
    const all = await memory.known(rows)
    const current: Array<LedgerRow<A>> = []
    const news: Array<LedgerRow<A>> = []
    for (const row of rows) {
      const { id, updated } = row
      const { isSame = false, updated: known = Number.NaN } = all.get(id) ?? {}
      const isRecent = known <= now && known > now - LAG
      const isLater = isRecent && known > updated && !this.#ahead.has(id)
      if (updated > now) this.#ahead.add(id)
      else if (!isSame) this.#ahead.delete(id)
      if (!isLater) current.push(row)
      if (!isLater && !isSame) news.push(row)
    }
    if (this.#ahead.size > MOST_AHEAD) this.#ahead.clear()
    return { current, news }
  }
}

/** Returns the current second by the clocks of the service and of this machine. Either clock may be wrong. */
export const clocksOf = ({
  serviceTime,
  now,
}: Pick<Ledger<unknown>, 'serviceTime' | 'now'>): {
  readonly earliest: Seconds
  readonly latest: Seconds
} => {
  const ourTime = now()
  const service = serviceTime() ?? ourTime
  return {
    earliest: Math.floor(Math.min(ourTime, service) / 1_000),
    latest: Math.floor(Math.max(ourTime, service) / 1_000),
  }
}

/** Result of the pages of the newest charges. */
class Tail {
  newest: Seconds = Number.NEGATIVE_INFINITY
  #oldest: Seconds = Number.POSITIVE_INFINITY
  #rows = 0
  #last: Seconds = Number.NEGATIVE_INFINITY
  #isRising = true

  add(rows: ReadonlyArray<LedgerRow<unknown>>): void {
    this.#rows += rows.length
    for (const { created } of rows) {
      if (created < this.#last) this.#isRising = false
      this.#last = created
      this.newest = Math.max(this.newest, created)
      this.#oldest = Math.min(this.#oldest, created)
    }
  }

  /** Time before which all charges were received, if the list is in ascending order (not specified by the API description). */
  get rising(): Seconds | undefined {
    return this.#isRising && this.newest > this.#oldest ? this.newest : undefined
  }

  get pageSpan(): Seconds {
    const span = this.newest - this.#oldest
    return this.#rows > 1 && span > 0 ? (span / this.#rows) * PAGE_SIZE : PAGE_SPAN
  }
}
