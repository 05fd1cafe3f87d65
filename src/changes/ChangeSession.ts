/** State of a running stream of changes, and where it is stored. */
import type { Observable, SchedulerLike } from 'rxjs'
import { E } from '../fp.js'
import type { DestinationWait } from '../http/ClientEvent.js'
import type { Store } from '../store/Store.js'
import { type StoreError, storeError } from '../store/StoreError.js'
import { ChangeState, packed, unpacked } from './ChangeState.js'
import { isOpenStatus, type KnownCharges, type OpenCharge, versionOf } from './KnownCharges.js'
import type { LedgerRow, Seconds } from './Ledger.js'
import type { KnownRow, Memory } from './Poll.js'

/** Where the state is stored, and the lease that protects it. */
interface Keeper {
  readonly commit: (state: ChangeState) => Promise<void>
  readonly release: () => Promise<void>
}

export interface ChangeSessionOptions {
  readonly store: Store | undefined
  /** Age beyond which charges are forgotten once they are final. */
  readonly lookback: Seconds
  readonly timer: SchedulerLike
  /** Reports a wait for the store as an event of the client. */
  readonly tell: (wait: DestinationWait) => void
  /** Stops waiting for the lease when this emits. */
  readonly stop: Observable<unknown>
  /** Called when another owner has taken over. */
  readonly onLost: (error: StoreError) => void
}

/** The name of the text in the store. */
const NAME = 'changes'

/** State of a stream that was never started. */
const NEW: ChangeState = {
  version: 1,
  floor: Number.NaN,
  upTo: Number.NaN,
  emitted: 0,
  statuses: [],
  open: '',
  final: '',
}

/** Charges that a stream knows or has emitted; the memory of its polls. */
export class ChangeSession implements Memory {
  readonly charges: KnownCharges
  readonly #options: Pick<ChangeSessionOptions, 'lookback'>
  readonly #keeper: Keeper | undefined
  #state: Omit<ChangeState, 'open' | 'final' | 'statuses'>
  #isDirty = false

  private constructor(
    options: Pick<ChangeSessionOptions, 'lookback'>,
    keeper: Keeper | undefined,
    state: ChangeState,
  ) {
    this.#options = options
    this.#keeper = keeper
    this.#state = state
    this.charges = unpacked(state)
  }

  /** Takes the lease of the store, if there is one. Rejects with a `StoreError`. */
  static async open(options: ChangeSessionOptions): Promise<ChangeSession> {
    const { store, timer, tell, stop, onLost } = options
    if (store === undefined) return new ChangeSession(options, undefined, NEW)
    // loaded on demand, because most clients store nothing
    const [{ takeLease, waitWords }, { Waits, watchedStore }] = await Promise.all([
      import('../store/lease.js'),
      import('../store/Waits.js'),
    ])
    const waits = new Waits('the change store', timer, (wait) =>
      tell({ _tag: 'DestinationWait', ...wait }),
    )
    const lease = await takeLease({
      ...{ store: watchedStore(store, waits), name: NAME, path: NAME, timer, stop },
      onWait: (wait) => waits.announce(waitWords(wait)),
    })
    lease.lost.subscribe({ error: onLost })
    if (lease.state === undefined) return new ChangeSession(options, lease, NEW)
    const read = ChangeState.decode(lease.state)
    if (E.isRight(read)) return new ChangeSession(options, lease, read.right)
    await lease.release()
    throw storeError('Damaged', `${NAME} does not contain the state of a change stream`, {
      path: NAME,
    })
  }

  get isNew(): boolean {
    return Number.isNaN(this.#state.upTo)
  }

  /** Starts a stream without a stored state. */
  begin(state: Pick<ChangeState, 'floor' | 'upTo' | 'baseline' | 'silent'>): void {
    this.#state = { ...this.#state, ...state }
    this.#isDirty = true
  }

  /** Charges created up to this time have been emitted. */
  get upTo(): Seconds {
    return this.#state.upTo
  }

  /** Charges created before this time are emitted only while they are open. */
  get floor(): Seconds {
    return this.#state.floor
  }

  /**
   * Returns true if a charge is remembered but not emitted. During the first poll, these are final charges created before the
   * stream began or, in a silent stream, all charges created before then.
   */
  isSilentAbout({ created, status }: LedgerRow<unknown>): boolean {
    const { baseline, silent } = this.#state
    return (
      baseline !== undefined && created < baseline && (silent === true || !isOpenStatus(status))
    )
  }

  get emitted(): number {
    return this.#state.emitted
  }

  async known(rows: ReadonlyArray<LedgerRow<unknown>>): Promise<ReadonlyMap<string, KnownRow>> {
    const known = new Map<string, KnownRow>()
    for (const row of rows) {
      const found = this.charges.find(row.id)
      if (found === undefined) continue
      known.set(row.id, { isSame: found.version === versionOf(row), updated: found.updated })
    }
    return known
  }

  async open(): Promise<ReadonlyMap<string, OpenCharge>> {
    return this.charges.open
  }

  async total(): Promise<number> {
    return this.charges.open.size + this.charges.final.size
  }

  /** Remembers a charge. `isEmitted`: also counts it as a change. */
  remember(row: LedgerRow<unknown>, version: string, isEmitted: boolean): void {
    const { emitted, upTo } = this.#state
    this.charges.set(row, version, upTo)
    this.#state = { ...this.#state, emitted: isEmitted ? emitted + 1 : emitted }
    this.#isDirty = true
  }

  /** Forgets charges that the service no longer has. */
  async leave(rows: ReadonlyArray<OpenCharge>): Promise<void> {
    for (const { id } of rows) this.charges.delete(id)
    this.#isDirty = true
  }

  /** Records that all charges created up to a time have been emitted, and saves the state. Rejects with a `StoreError`. */
  async save(upTo: Seconds, isOver: boolean): Promise<void> {
    if (upTo > this.#state.upTo) {
      this.#state = { ...this.#state, upTo }
      this.#isDirty = true
    }
    this.charges.forget(this.#state.upTo - this.#options.lookback)
    if (isOver && this.#state.baseline !== undefined) {
      const { baseline: _, silent: __, ...rest } = this.#state
      this.#state = rest
      this.#isDirty = true
    }
    await this.#keep()
  }

  async #keep(): Promise<void> {
    if (!this.#isDirty || this.#keeper === undefined) return
    this.#isDirty = false
    try {
      await this.#keeper.commit({ ...this.#state, ...packed(this.charges) })
    } catch (error) {
      this.#isDirty = true
      throw error
    }
  }

  /** Saves the state, and ends the lease. */
  async close(): Promise<void> {
    try {
      await this.#keep()
    } finally {
      await this.#keeper?.release()
    }
  }
}
