/**
 * Keeps charges current, poll by poll, in a table that a sync has filled: with its lease, and its state.
 *
 *     poll     newest charges ... lists of open statuses ... those that have left them     each page is a step
 *     daily    rejected rows again ... a sweep ... the proof
 *
 * The table is the memory: what it has in the same version is not written. An outage is emitted, and the next poll continues.
 */
import { finalize, from, merge, type Observable, ReplaySubject } from 'rxjs'
import { type Asking, asking, PollInterrupted } from '../../changes/Asking.js'
import { clocksOf } from '../../changes/ChangeFeed.js'
import { openStatuses } from '../../changes/ChangeState.js'
import { isOpenStatus, type OpenCharge, versionOf } from '../../changes/KnownCharges.js'
import { type Ledger, type LedgerRow, PAGE_SIZE, type Seconds } from '../../changes/Ledger.js'
import { readOpen } from '../../changes/openRows.js'
import { Tail, tailOf } from '../../changes/Tail.js'
import { finalChargeStatuses } from '../../codec/Charge.js'
import { withoutPrototype, withoutUndefined } from '../../fp.js'
import type { Millis } from '../../stream/index.js'
import { exportError } from '../ExportError.js'
import type { Transfer } from '../transfer/Transfer.js'
import type { TransferEvent } from '../transfer/TransferEvent.js'
import { type FollowPace, isOverAfter } from './followList.js'
import { markLost, written } from './keepOpen.js'
import { proveCounts, sweepRows } from './proveRows.js'

// model

/** How late a charge may show in the list after its creation: each tenth poll reads back as far. */
const LOOKBACK: Seconds = 3_600

/** From a failed attempt to prove the rows to the next one. */
const RETRY: Millis = 600_000

const DAY: Millis = 86_400_000

// functions

/**
 * Polls until the transfer is stopped, or its lease is lost. Emits after each page, poll and proof. `readsAll`: all rows
 * were read before.
 */
export const followCharges = <A>(
  transfer: Transfer<A, A>,
  ledger: Ledger<A>,
  pace: FollowPace,
  readsAll: boolean,
): Observable<TransferEvent> => {
  const { counted, open, name } = transfer.session.destination
  if (counted === undefined || open === undefined) {
    const why = `${name} cannot be followed: it does not count its rows`
    throw exportError('UnusableDestination', why, { destination: name })
  }
  const over = new ReplaySubject<void>(1)
  const stop = merge(transfer.cuts, over)
  const follower = new Follower(transfer, ledger, pace, asking(ledger, stop), stop, readsAll)
  return from(follower.events()).pipe(finalize(() => over.next()))
}

class Follower<A> {
  readonly #transfer: Transfer<A, A>
  readonly #ledger: Ledger<A>
  readonly #pace: FollowPace
  readonly #asks: Asking<A>
  readonly #stop: Observable<unknown>
  /** The versions of rows that could not be written: the same one is neither tried nor reported again. */
  readonly #rejected = new Map<string, string>()
  readonly #unlisted = new Set<string>()
  #open: Map<string, OpenCharge> | undefined
  /** No proof is tried before, in ms since 1970. */
  #notBefore = 0
  /** All rows were read when it began. */
  #isNew: boolean

  constructor(
    transfer: Transfer<A, A>,
    ledger: Ledger<A>,
    pace: FollowPace,
    asks: Asking<A>,
    stop: Observable<unknown>,
    readsAll: boolean,
  ) {
    this.#transfer = transfer
    this.#ledger = ledger
    this.#pace = pace
    this.#asks = asks
    this.#stop = stop
    this.#isNew = readsAll
  }

  async *events(): AsyncGenerator<TransferEvent, void, undefined> {
    const transfer = this.#transfer
    const { every, timer } = this.#pace
    for (let poll = 0; !transfer.isCut; poll++) {
      const began = timer.now()
      try {
        for await (const _ of this.#poll(tailOf(poll, LOOKBACK))) yield transfer.shown()
        yield {
          ...transfer.shown(),
          ...withoutUndefined({ upTo: withoutPrototype(transfer.upkeep).upTo }),
        }
        if (this.#isProofDue()) {
          for await (const _ of this.#prove()) yield transfer.shown()
          yield { ...transfer.shown(), ...withoutUndefined({ proof: transfer.proof }) }
        }
      } catch (error) {
        if (!(error instanceof PollInterrupted)) throw error
        const { failure } = error
        if (failure === undefined) return transfer.interrupt(undefined)
        yield { ...transfer.shown(), outage: failure }
      }
      if (await isOverAfter(began + every - timer.now(), timer, this.#stop)) {
        return transfer.interrupt(undefined)
      }
    }
  }

  async *#poll(back: Seconds): AsyncGenerator<void, void, undefined> {
    const transfer = this.#transfer
    const { earliest, latest } = clocksOf(this.#ledger)
    const { since = 0, upTo = 0, believed = upTo } = withoutPrototype(transfer.upkeep)
    const start = Math.max(since, believed - back * 1_000)
    const range = { to: latest, ...(start > 0 ? { from: Math.floor(start / 1_000) } : {}) }
    const seen = new Set<string>()
    const tail = new Tail()
    for (let page = 0, more = true; more; page++) {
      const answer = await this.#asks.page({ ...range, page, size: PAGE_SIZE })
      for (const { id } of answer.rows) seen.add(id)
      tail.add(answer.rows)
      await this.#write(answer.rows)
      more = answer.more
      yield
    }
    const open = await this.#openCharges()
    const statuses = new Set(openStatuses)
    for (const { status } of open.values()) statuses.add(status)
    const pages = readOpen(this.#asks, {
      statuses: [...statuses].filter((status) => status !== '' && isOpenStatus(status)),
      unlisted: this.#unlisted,
      openCharges: () => open.values(),
      seen,
      now: earliest,
      pageSpan: tail.pageSpan,
    })
    for await (const { rows, gone } of pages) {
      await this.#write(rows)
      const lost = gone.flatMap((id) => open.get(id) ?? [])
      await markLost(transfer, lost, this.#ledger.now())
      for (const { id } of lost) open.delete(id)
      yield
    }
    const reached = Math.min(tail.newest, earliest) * 1_000
    if (reached > believed) await transfer.readAgain([], [], { upTo: reached, believed: reached })
  }

  async *#prove(): AsyncGenerator<void, void, undefined> {
    const transfer = this.#transfer
    this.#notBefore = this.#ledger.now() + RETRY
    transfer.swept = undefined
    transfer.proof = undefined
    for (const rejected of transfer.upkeep.rejected) {
      const row = await this.#asks.retrieve(rejected.id)
      if (row === undefined) await markLost(transfer, [rejected], this.#ledger.now())
      else await this.#write([row])
      yield
    }
    await sweepRows(transfer, this.#ledger, this.#asks, this.#isNew ? 'first' : this.#pace.sweep)
    this.#isNew = false
    yield
    await proveCounts(transfer, this.#ledger, this.#asks)
    this.#open = undefined // the proof has written rows as well
  }

  /** The open charges of the table, read once a day: it may have millions of others, and no index. */
  async #openCharges(): Promise<Map<string, OpenCharge>> {
    if (this.#open === undefined) {
      const found = (await this.#transfer.session.queries.open?.(finalChargeStatuses)) ?? []
      this.#open = new Map(found.map((charge) => [charge.id, charge]))
    }
    return this.#open
  }

  /** Returns whether the time of day has come since the last proof. */
  #isProofDue(): boolean {
    const now = this.#ledger.now()
    const last = now - ((now - this.#pace.prove) % DAY)
    const { proved = 0 } = withoutPrototype(this.#transfer.upkeep)
    const isToday = proved * 1_000 >= last && proved * 1_000 <= now // or a clock was wrong
    return now >= this.#notBefore && !isToday
  }

  async #write(rows: ReadonlyArray<LedgerRow<A>>): Promise<void> {
    const transfer = this.#transfer
    for (const { id, created, status } of rows) {
      if (isOpenStatus(status)) this.#open?.set(id, { id, created, status })
      else this.#open?.delete(id)
    }
    transfer.rejected.clear() // they are known by their versions
    const fresh = rows.filter((row) => this.#rejected.get(row.id) !== versionOf(row))
    if (fresh.length === 0) return
    await written(transfer, fresh)
    const bad = new Set(transfer.upkeep.rejected.map(({ id }) => id))
    for (const row of fresh) {
      if (bad.has(row.id)) this.#rejected.set(row.id, versionOf(row))
      else this.#rejected.delete(row.id)
    }
    if (bad.size > (transfer.plan.maxRejects ?? Number.POSITIVE_INFINITY)) {
      transfer.endWith('rejects')
      throw new PollInterrupted(undefined)
    }
  }
}
