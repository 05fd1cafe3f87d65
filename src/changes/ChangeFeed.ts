/** Polls the service for changes to charges, and emits the changes page by page. */
import { type Observable, type SchedulerLike, Subject } from 'rxjs'
import { fromDate } from '../codec/Instant.js'
import type { WebhookEvent } from '../codec/WebhookEvent.js'
import { fieldsOf } from '../decode/unknown.js'
import { E } from '../fp.js'
import type { Millis } from '../stream/index.js'
import { Absences } from './Absences.js'
import { type Asking, PollInterrupted } from './Asking.js'
import type { ChangeSession } from './ChangeSession.js'
import type { ChangeEvent, ChangesFailure } from './ChangesOptions.js'
import { isOpenStatus, versionOf } from './KnownCharges.js'
import type { Ledger, LedgerRow, Seconds } from './Ledger.js'
import { Poll } from './Poll.js'
import { paused } from './polling.js'

/** An event of the stream, and its acknowledgement. */
export interface FeedItem<A> {
  readonly event: ChangeEvent<A>
  readonly acknowledge: () => void
}

/** Events emitted together: at most a page of rows. */
export type FeedPage<A> = ReadonlyArray<FeedItem<A>>

export interface FeedOptions<A> {
  readonly ledger: Ledger<A>
  readonly asking: Asking<A>
  readonly session: ChangeSession
  readonly lookback: Seconds
  readonly allowGone: number | undefined
  readonly timer: SchedulerLike
  /** Stops waiting for the next poll when this emits. */
  readonly stop: Observable<unknown>
}

/** Maximum number of ids waiting to be read early. Further ids are left to the next poll. */
const MAX_HINTS = 2_000

/** Runs polls one after another, with the state of a session. */
export class ChangeFeed<A> {
  readonly #options: FeedOptions<A>
  readonly #polls: Poll<A>
  readonly #hints = new Set<string>()
  readonly #hinted = new Subject<void>()

  constructor(options: FeedOptions<A>) {
    const { ledger, session, allowGone: allowed } = options
    this.#options = options
    const absences = new Absences({ name: 'changes', allowed, now: ledger.now })
    this.#polls = new Poll({ ...options, memory: session, absences })
  }

  /** Queues a charge to be read before the next poll. */
  hint(id: string): void {
    if (this.#hints.size < MAX_HINTS) this.#hints.add(id)
    this.#hinted.next()
  }

  /** Polls once. Each page is acknowledged before the next one is read. Rejects as a `Poll` or a store does. */
  async *poll(): AsyncGenerator<FeedPage<A>, void, undefined> {
    for await (const { rows, doubt } of this.#polls.next()) {
      yield doubt === undefined ? this.#page(rows) : failed(doubt)
    }
  }

  /** Waits until the given time, reading hinted charges in the meantime. */
  async *pause(until: Millis): AsyncGenerator<FeedPage<A>, void, undefined> {
    const { timer, stop } = this.#options
    for (;;) {
      for (const id of [...this.#hints]) {
        if (timer.now() >= until) return // the poll does not wait for these
        this.#hints.delete(id)
        yield await this.#readHinted(id)
      }
      if (timer.now() >= until) return
      if (this.#hints.size > 0) continue // these arrived while others were being read
      await paused({ timer, stop }, until, this.#hinted)
    }
  }

  /** Reads a charge. Skips a charge that a poll would not emit, so hints never change the result. */
  async #readHinted(id: string): Promise<FeedPage<A>> {
    const { asking, session, lookback } = this.#options
    try {
      const row = await asking.retrieve(id)
      if (row === undefined) return [] // left to the poll to judge
      const before = session.charges.find(id)
      const oldest = Math.max(session.floor, session.upTo - lookback)
      const isEmitted = before !== undefined || isOpenStatus(row.status) || row.created >= oldest
      return isEmitted ? this.#page((await this.#polls.compared([row])).news) : []
    } catch (error) {
      if (error instanceof PollInterrupted && error.failure !== undefined) return [] // left to the poll to read
      throw error
    }
  }

  /** Returns the events of rows that are new to the session. */
  #page(rows: ReadonlyArray<LedgerRow<A>>): FeedPage<A> {
    const { session } = this.#options
    const emitted = new Map<string, string>()
    const items: Array<FeedItem<A>> = []
    const upTo = fromDate(new Date(session.upTo * 1_000))
    let count = session.emitted
    for (const row of rows) {
      const { id } = row
      const version = versionOf(row)
      if (id === '' || emitted.get(id) === version) continue
      const before = session.charges.find(id)
      if (before === undefined && session.isSilentAbout(row)) {
        session.remember(row, version, false)
        continue
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

/** Returns a page with a failure after which the stream continues. */
export const failed = <A>(failure: ChangesFailure): FeedPage<A> => [
  { event: E.left(failure), acknowledge: () => {} },
]

/** Returns the id of the charge that a delivery is about. */
export const hintOf = ({ name, data }: WebhookEvent): string | undefined => {
  if (!name.startsWith('charge.')) return undefined
  const { id, object } = fieldsOf(data)
  const found = id ?? fieldsOf(object).id
  return typeof found === 'string' && found !== '' ? found : undefined
}
