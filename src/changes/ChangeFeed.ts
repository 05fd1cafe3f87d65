/** Polls the service for changes of charges, and gives them out page by page. */
import { firstValueFrom, map, merge, type Observable, type SchedulerLike, Subject } from 'rxjs'
import { fromDate } from '../codec/Instant.js'
import type { WebhookEvent } from '../codec/WebhookEvent.js'
import { fieldsOf } from '../decode/unknown.js'
import { E } from '../fp.js'
import type { Millis } from '../stream/index.js'
import { later } from '../stream/later.js'
import { type Asking, PollInterrupted } from './Asking.js'
import type { ChangeSession } from './ChangeSession.js'
import type { ChangeEvent } from './ChangesOptions.js'
import { isOpenStatus, versionOf } from './KnownCharges.js'
import { type Ledger, type LedgerRow, PAGE_SIZE, type Seconds } from './Ledger.js'
import { readOpen } from './openRows.js'
import { Tail, tailOf } from './Tail.js'

// model

/** An event of the stream, and what to do when it was taken. */
export interface FeedItem<A> {
  readonly event: ChangeEvent<A>
  readonly acknowledge: () => void
}

/** Events that come together: at most a page of rows. */
export type FeedPage<A> = ReadonlyArray<FeedItem<A>>

export interface FeedOptions<A> {
  readonly ledger: Ledger<A>
  readonly asking: Asking<A>
  readonly session: ChangeSession
  readonly every: Millis
  readonly lookback: Seconds
  readonly timer: SchedulerLike
  /** Its first value ends the wait for the next poll. */
  readonly stop: Observable<unknown>
}

/** Ids that wait to be read sooner. More are left to the poll. */
const MAX_HINTS = 2_000

// functions

/** One poll after the other, by what a session knows. */
export class ChangeFeed<A> {
  readonly #options: FeedOptions<A>
  readonly #unlisted = new Set<string>()
  readonly #hints = new Set<string>()
  readonly #hinted = new Subject<void>()
  #polls = 0

  constructor(options: FeedOptions<A>) {
    this.#options = options
  }

  /** Takes the id of a charge that is to be read sooner. */
  hint(id: string): void {
    if (this.#hints.size < MAX_HINTS) this.#hints.add(id)
    this.#hinted.next()
  }

  /**
   * Reads the newest charges, those that are open, and those that were. Each page is acknowledged before the next one is
   * read. Rejects with `PollInterrupted`, or with the error of a store.
   */
  async *poll(): AsyncGenerator<FeedPage<A>, void, undefined> {
    const { asking, ledger, session, lookback } = this.#options
    const { earliest, latest } = clocksOf(ledger)
    const back = tailOf(this.#polls++, lookback)
    const seen = new Set<string>()
    const tail = new Tail()
    const from = Math.max(session.floor, session.upTo - back)
    for (let page = 0, more = from <= latest; more; page++) {
      const answer = await asking.page({ from, to: latest, page, size: PAGE_SIZE })
      for (const { id } of answer.rows) seen.add(id)
      tail.add(answer.rows)
      yield this.#page(answer.rows)
      more = answer.more
      if (!more || tail.rising === undefined) continue
      // a long list goes on from here when it was cut
      session.reached(Math.min(tail.rising, earliest))
      session.charges.forget(session.upTo - lookback)
      await session.save()
    }
    const open = readOpen(asking, {
      statuses: session.statuses,
      unlisted: this.#unlisted,
      openCharges: () => session.charges.open.values(),
      seen,
      now: earliest,
      pageSpan: tail.pageSpan,
    })
    for await (const { rows, gone } of open) {
      for (const id of gone) session.forget(id)
      yield this.#page(rows)
    }
    session.reached(Math.min(tail.newest, earliest))
    session.endPoll(lookback)
    await session.save()
  }

  /** Waits until a time of the timer, and reads charges meanwhile whose ids it is told. */
  async *pause(until: Millis): AsyncGenerator<FeedPage<A>, void, undefined> {
    const { timer, stop } = this.#options
    for (;;) {
      for (const id of [...this.#hints]) {
        if (timer.now() >= until) return // the poll does not wait for them
        this.#hints.delete(id)
        yield await this.#readHinted(id)
      }
      const rest = until - timer.now()
      if (rest <= 0) return
      if (this.#hints.size > 0) continue // they came while others were read
      const goOn = merge(later(rest, timer), this.#hinted).pipe(map(() => false))
      if (await firstValueFrom(merge(goOn, stop.pipe(map(() => true))))) {
        throw new PollInterrupted(undefined)
      }
    }
  }

  /** Reads a charge. One that a poll would not tell either is left alone: hints change no result. */
  async #readHinted(id: string): Promise<FeedPage<A>> {
    const { asking, session, lookback } = this.#options
    try {
      const row = await asking.retrieve(id)
      const before = session.charges.find(id)
      if (row === undefined) {
        if (before !== undefined) session.forget(id)
        return []
      }
      const oldest = Math.max(session.floor, session.upTo - lookback)
      const isEmitted = before !== undefined || isOpenStatus(row.status) || row.created >= oldest
      return isEmitted ? this.#page([row]) : []
    } catch (error) {
      if (error instanceof PollInterrupted && error.failure !== undefined) return [] // the poll reads it
      throw error
    }
  }

  /** Returns what rows have to tell. */
  #page(rows: ReadonlyArray<LedgerRow<A>>): FeedPage<A> {
    const { session } = this.#options
    const { baseline } = session
    const emitted = new Map<string, string>()
    const items: Array<FeedItem<A>> = []
    const upTo = fromDate(new Date(session.upTo * 1_000))
    let count = session.emitted
    for (const row of rows) {
      const { id, created, status, updated } = row
      if (id === '') continue
      const version = versionOf(row)
      const before = session.charges.find(id)
      if (before?.version === version || emitted.get(id) === version) continue
      if (before !== undefined && before.updated > updated) continue // of a list that lags
      if (before === undefined && baseline !== undefined && created < baseline) {
        if (!isOpenStatus(status)) {
          session.remember(row, version, false)
          continue
        }
      }
      emitted.set(id, version)
      items.push({
        event: E.isLeft(row.row)
          ? row.row
          : E.right({
              kind: before === undefined ? 'added' : 'changed',
              value: row.row.right,
              position: { upTo, emitted: count++ },
            }),
        acknowledge: () => session.remember(row, version, E.isRight(row.row)),
      })
    }
    return items
  }
}

/** The present second by the clocks of service and machine, either of which may be wrong. */
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

/** Returns the id of the charge that a delivery is about. */
export const hintOf = ({ name, data }: WebhookEvent): string | undefined => {
  if (!name.startsWith('charge.')) return undefined
  const { id, object } = fieldsOf(data)
  const found = id ?? fieldsOf(object).id
  return typeof found === 'string' && found !== '' ? found : undefined
}
