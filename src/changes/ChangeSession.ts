/** A stream of changes at work: what it knows, and where it keeps that. */
import type { Observable, SchedulerLike } from 'rxjs'
import { E } from '../fp.js'
import type { DestinationWait } from '../http/ClientEvent.js'
import type { Store } from '../store/Store.js'
import { type StoreError, storeError } from '../store/StoreError.js'
import { ChangeState, openStatuses, packed, unpacked } from './ChangeState.js'
import { isOpenStatus, type KnownCharges } from './KnownCharges.js'
import type { LedgerRow, Seconds } from './Ledger.js'

// model

/** Where a state is kept between two streams, and by which of them now. */
interface Keeper {
  readonly commit: (state: ChangeState) => Promise<void>
  readonly release: () => Promise<void>
}

export interface ChangeSessionOptions {
  readonly store: Store | undefined
  readonly timer: SchedulerLike
  /** Adds an event to those of the client: what is waited for at the store. */
  readonly tell: (wait: DestinationWait) => void
  /** Its first value ends the wait for a lease. */
  readonly stop: Observable<unknown>
  /** Called when another owner has taken over. */
  readonly onLost: (error: StoreError) => void
}

/** The name of the text in the store. */
const NAME = 'changes'

/** The state of a stream that was never begun. */
const NEW: ChangeState = {
  version: 1,
  floor: Number.NaN,
  upTo: Number.NaN,
  emitted: 0,
  statuses: openStatuses,
  open: '',
  final: '',
}

// functions

/** Charges that a stream knows and has emitted. */
export class ChangeSession {
  readonly charges: KnownCharges
  readonly #keeper: Keeper | undefined
  #state: Omit<ChangeState, 'open' | 'final'>
  #isDirty = false

  private constructor(keeper: Keeper | undefined, state: ChangeState) {
    this.#keeper = keeper
    this.#state = state
    this.charges = unpacked(state)
  }

  /** Takes the lease of the store, if there is one. Rejects with a `StoreError`. */
  static async open({
    store,
    timer,
    tell,
    stop,
    onLost,
  }: ChangeSessionOptions): Promise<ChangeSession> {
    if (store === undefined) return new ChangeSession(undefined, NEW)
    // loaded where it is needed: most clients keep nothing
    const [{ takeLease, waitWords }, { Waits, watchedStore }] = await Promise.all([
      import('../store/lease.js'),
      import('../store/Waits.js'),
    ])
    const waits = new Waits('the store of changes', timer, (wait) =>
      tell({ _tag: 'DestinationWait', ...wait }),
    )
    const lease = await takeLease({
      ...{ store: watchedStore(store, waits), name: NAME, path: NAME, timer, stop },
      onWait: (wait) => waits.announce(waitWords(wait)),
    })
    lease.lost.subscribe({ error: onLost })
    if (lease.state === undefined) return new ChangeSession(lease, NEW)
    const read = ChangeState.decode(lease.state)
    if (E.isRight(read)) return new ChangeSession(lease, read.right)
    await lease.release()
    throw storeError('Damaged', `${NAME} has no state of a stream of changes`, { path: NAME })
  }

  get isNew(): boolean {
    return Number.isNaN(this.#state.upTo)
  }

  /** Begins a stream that has no state. */
  begin(state: Pick<ChangeState, 'floor' | 'upTo' | 'baseline'>): void {
    this.#state = { ...this.#state, ...state }
    this.#isDirty = true
  }

  /** Charges created up to then were emitted. */
  get upTo(): Seconds {
    return this.#state.upTo
  }

  /** Charges created before are emitted only while they are open. */
  get floor(): Seconds {
    return this.#state.floor
  }

  /** Final charges created before are not emitted, since the first poll is not over. */
  get baseline(): Seconds | undefined {
    return this.#state.baseline
  }

  /** How many changes were emitted. */
  get emitted(): number {
    return this.#state.emitted
  }

  /** The open statuses that were ever seen. */
  get statuses(): ReadonlyArray<string> {
    return this.#state.statuses
  }

  /** Remembers a charge; `isEmitted`: as one change more. */
  remember(row: LedgerRow<unknown>, version: string, isEmitted: boolean): void {
    const { status } = row
    const { statuses, emitted, upTo } = this.#state
    this.charges.set(row, version, upTo)
    const isNew = isOpenStatus(status) && !statuses.includes(status)
    this.#state = {
      ...this.#state,
      emitted: isEmitted ? emitted + 1 : emitted,
      statuses: isNew ? [...statuses, status] : statuses,
    }
    this.#isDirty = true
  }

  /** Forgets a charge that the service has no more. */
  forget(id: string): void {
    this.charges.delete(id)
    this.#isDirty = true
  }

  /** Takes note that all charges created up to a time were emitted. */
  reached(upTo: Seconds): void {
    if (upTo <= this.#state.upTo) return
    this.#state = { ...this.#state, upTo }
    this.#isDirty = true
  }

  /** Ends a poll: what is older than the lookback is forgotten. */
  endPoll(lookback: Seconds): void {
    this.charges.forget(this.#state.upTo - lookback)
    if (this.#state.baseline === undefined) return
    const { baseline: _, ...rest } = this.#state
    this.#state = rest
    this.#isDirty = true
  }

  /** Keeps the state, if it has changed. Rejects with a `StoreError`. */
  async save(): Promise<void> {
    if (!this.#isDirty || this.#keeper === undefined) return
    this.#isDirty = false
    try {
      const { statuses } = this.#state
      await this.#keeper.commit({ ...this.#state, ...packed(this.charges, statuses) })
    } catch (error) {
      this.#isDirty = true
      throw error
    }
  }

  /** Keeps the state, and ends the lease. */
  async close(): Promise<void> {
    try {
      await this.save()
    } finally {
      await this.#keeper?.release()
    }
  }
}
