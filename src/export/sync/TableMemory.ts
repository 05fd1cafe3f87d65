/** Uses the rows of a destination as the memory of polls. Writes rows, and marks rows as gone. */
import { isOpenStatus, type OpenCharge, versionOf } from '../../changes/KnownCharges.js'
import type { Ledger, LedgerRow, Seconds, Stretch } from '../../changes/Ledger.js'
import type { KnownRow, Memory } from '../../changes/Poll.js'
import { countOf } from '../../changes/proof/ProofTable.js'
import { finalChargeStatuses } from '../../codec/Charge.js'
import { E, withoutPrototype } from '../../fp.js'
import type { Reject } from '../source/sortPage.js'
import type { Transfer } from '../transfer/Transfer.js'
import { rejectedRows } from '../transfer/TransferEvent.js'

/** All rows, even with an implausible time of creation. */
const ALL: Stretch = { from: Number.NEGATIVE_INFINITY, to: Date.UTC(9999, 0) / 1_000 }

export class TableMemory<A> implements Memory {
  readonly #transfer: Transfer<A, A>
  readonly #ledger: Ledger<A>
  /** Versions of rows that could not be written. An unchanged version is neither retried nor reported again. */
  readonly #rejected = new Map<string, string>()
  #open: Map<string, OpenCharge> | undefined

  constructor(transfer: Transfer<A, A>, ledger: Ledger<A>) {
    this.#transfer = transfer
    this.#ledger = ledger
  }

  get floor(): Seconds {
    const { since = 0 } = withoutPrototype(this.#transfer.upkeep)
    return since > 0 ? Math.floor(since / 1_000) : Number.NEGATIVE_INFINITY
  }

  get upTo(): Seconds {
    const { upTo = 0, believed = upTo } = withoutPrototype(this.#transfer.upkeep)
    return Math.floor(believed / 1_000)
  }

  async known(rows: ReadonlyArray<LedgerRow<unknown>>): Promise<ReadonlyMap<string, KnownRow>> {
    const { counted } = this.#transfer.session.queries
    const versions = counted === undefined ? await this.open() : await counted.versions(rows)
    const known = new Map<string, KnownRow>()
    for (const row of rows) {
      const { status, created, updated = Number.NaN } = versions.get(row.id) ?? {}
      const isSame =
        this.#isRejected(row) ||
        row.created >= this.#readByTime ||
        (E.isRight(row.row) &&
          status === row.status &&
          created === row.created &&
          updated === row.updated)
      known.set(row.id, { isSame, updated })
    }
    return known
  }

  /** Returns the open rows. They are read only once, because the table may have millions of other rows and no index. */
  async open(): Promise<ReadonlyMap<string, OpenCharge>> {
    if (this.#open === undefined) {
      const found = (await this.#transfer.session.queries.open?.(finalChargeStatuses)) ?? []
      const older = found.filter(({ created }) => created < this.#readByTime)
      this.#open = new Map(older.map((charge) => [charge.id, charge]))
    }
    return this.#open
  }

  /** Makes the next call read the open rows again, because a proof has written rows. */
  reset(): void {
    this.#open = undefined
  }

  async total(stretch = ALL): Promise<number> {
    const { counted } = this.#transfer.session.queries
    return counted === undefined ? (await this.open()).size : countOf(counted, stretch)
  }

  /** Marks rows as gone in one step. */
  async leave(rows: ReadonlyArray<OpenCharge>): Promise<void> {
    const transfer = this.#transfer
    await transfer.session.queries.counted?.markGone(rows, this.#ledger.now())
    const gone = new Set(rows.map(({ id }) => id))
    for (const id of gone) this.#open?.delete(id)
    const rejected = transfer.upkeep.rejected.filter(({ id }) => !gone.has(id))
    await transfer.readAgain([], [], { rejected })
  }

  async save(upTo: Seconds): Promise<void> {
    const reached = upTo * 1_000
    const { upTo: last = 0, believed = last } = withoutPrototype(this.#transfer.upkeep)
    if (reached > believed) {
      await this.#transfer.readAgain([], [], { upTo: reached, believed: reached })
    }
  }

  /** Writes rows in one step. `changed`: the number of them that count as read. */
  async write(rows: ReadonlyArray<LedgerRow<A>>, changed?: number): Promise<void> {
    const transfer = this.#transfer
    const wanted = rows.filter((row) => !this.#isRejected(row))
    if (wanted.length === 0) return
    const { redact = (row: unknown) => row } = transfer.plan
    const good: Array<A> = []
    const bad: Array<Reject> = []
    for (const { id, raw, row, ...placed } of wanted) {
      const reason = E.isLeft(row)
        ? row.left.message
        : transfer.session.destination.check(row.right)?.message
      if (E.isRight(row) && reason === undefined) good.push(row.right)
      else bad.push({ reason: String(redact(reason)), row: redact(raw ?? { id }) })
      if (isOpenStatus(placed.status)) this.#open?.set(id, { id, ...placed })
      else this.#open?.delete(id)
    }
    const earlier = new Map(transfer.upkeep.rejected.map((row) => [row.id, row]))
    const found = rejectedRows(bad).map((row) =>
      isShown(row) ? row : (earlier.get(row.id) ?? row),
    )
    const read = new Set(wanted.map(({ id }) => id))
    const rejected = [...transfer.upkeep.rejected.filter(({ id }) => !read.has(id)), ...found]
    await transfer.readAgain(good, bad, { rejected }, changed ?? wanted.length)
    const unwritten = new Map(found.map((row) => [row.id, row]))
    for (const row of wanted) {
      const one = unwritten.get(row.id)
      transfer.rejected.delete(row.id)
      this.#rejected.delete(row.id)
      if (one === undefined) continue
      transfer.rejected.set(row.id, one)
      if (isShown(row)) this.#rejected.set(row.id, versionOf(row))
    }
  }

  /** Time from which this run has read all rows, if rows cannot be looked up. Later rows are left to the next run. */
  get #readByTime(): Seconds {
    const { session, recorder } = this.#transfer
    const isLookedUp = session.queries.counted !== undefined
    return isLookedUp ? Number.POSITIVE_INFINITY : (recorder.bounds?.from ?? 0) / 1_000
  }

  /** Returns true if this version of a row has been reported as one that cannot be written. */
  #isRejected(row: LedgerRow<unknown>): boolean {
    if (!this.#transfer.rejected.has(row.id)) return false
    if (!isShown(row)) return true
    const version = versionOf(row)
    const known = this.#rejected.get(row.id) ?? version // otherwise the row was read by time or by id
    this.#rejected.set(row.id, known)
    return known === version
  }
}

/** Returns true if the version of a row is known. It is unknown for an undecodable row that was read by id. */
const isShown = ({ status, created }: OpenCharge): boolean => status !== '' || created > 0
