/** A destination, while one transfer owns it: its lease, its state, and the step under way. */

import { merge, NEVER, type Observable, type SchedulerLike } from 'rxjs'
import { withoutPrototype } from '../../fp.js'
import { type Lease, type LeaseWait, takeLease } from '../../store/lease.js'
import type { Store } from '../../store/Store.js'
import type { Waits } from '../../store/Waits.js'
import type { Millis } from '../../stream/index.js'
import { exportError, isExportError } from '../ExportError.js'
import type { Destination, ListedFiles, Prepared } from './Destination.js'
import type { TransferState } from './TransferState.js'
import { type Queries, watchedQueries } from './watchedQueries.js'

/** A text that has a lease, and its name in messages. */
export interface StateText {
  readonly store: Store
  readonly name: string
  readonly path: string
}

export interface SessionOptions<A> {
  readonly destination: Destination<A>
  /** Where the state is kept. Absent: nowhere. */
  readonly stateText: StateText | undefined
  /** Another name of the same destination, whose lease is taken, too. */
  readonly guard?: StateText | undefined
  /** Resolves with the state to go on with, from the one that is there; rejects with an `ExportError` where that is in the way. */
  readonly begin: (found: unknown) => Promise<TransferState>
  /** Replaces a state that is there, whatever it says. */
  readonly restart: boolean
  /** Each run reads its list from the beginning. Default `false`. */
  readonly replaces?: boolean | undefined
  readonly timer: SchedulerLike
  /** How long the lease lasts without a renewal. */
  readonly lease?: Millis | undefined
  /** Called when another run has the lease, before this one waits for it to end. */
  readonly onWait: (wait: LeaseWait) => void
  /** Reports waits. */
  readonly waits: Waits
  /** Its first value ends that wait. */
  readonly stop?: Observable<unknown> | undefined
}

export class TransferSession<A> {
  readonly destination: Destination<A>
  /** Queries to the destination. */
  readonly queries: Queries
  /** True if the owner before did not release it: it was killed, or is frozen. */
  readonly tookOver: boolean
  /** Its error says that a later run has taken over. */
  readonly lost: Observable<never>
  readonly #leases: ReadonlyArray<Lease>
  readonly #waits: Waits
  #state: TransferState
  #listed: Prepared['files']
  #isFenced = false
  #last: Promise<unknown> = Promise.resolve() // the operation that was begun last

  private constructor(
    destination: Destination<A>,
    leases: ReadonlyArray<Lease>,
    state: TransferState,
    waits: Waits,
  ) {
    this.destination = destination
    this.queries = watchedQueries(destination, waits)
    this.#waits = waits
    this.tookOver = leases.some((lease) => lease.tookOver)
    this.lost = leases.length === 0 ? NEVER : merge(...leases.map((lease) => lease.lost))
    this.#leases = leases
    this.#state = state
  }

  /** Takes the lease of a destination. Rejects with an `ExportError`, and closes the destination then. */
  static async begin<A>(options: SessionOptions<A>): Promise<TransferSession<A>> {
    const { destination, stateText, guard, begin, restart, replaces = false } = options
    const leases: Array<Lease> = []
    try {
      if (guard !== undefined) {
        const lease = await takeLease(leaseOptions(options, guard))
        leases.push(lease)
        if (lease.state !== undefined && !restart) throw existing(guard.path)
        if (lease.state !== undefined) await lease.commit(undefined)
      }
      if (stateText !== undefined) leases.push(await takeLease(leaseOptions(options, stateText)))
      const lease = stateText === undefined ? undefined : leases.at(-1)
      const state = await begin(lease?.state)
      const tookOver = leases.some((each) => each.tookOver)
      const fence = lease?.fence ?? 0
      await destination.resume(state.own, { fence, tookOver, restart, replaces })
      return new TransferSession(destination, leases, state, options.waits)
    } catch (error) {
      const cause = await causeOf(error, leases)
      const why = isFenced(cause) ? 'fenced' : undefined
      await closed(destination, leases, why).catch(() => {}) // its own error would hide why
      throw cause
    }
  }

  /** How far the transfer is, as it was kept last. */
  get state(): TransferState {
    return this.#state
  }

  /** The files as of the last step, of destinations that have a manifest. */
  listed(): ListedFiles | undefined {
    return this.#listed?.()
  }

  /** Names of objects that the destination could not remove, since deletes are denied; undefined if there are none. */
  unremoved(): ReadonlyArray<string> | undefined {
    const names = this.destination.unremoved?.() ?? []
    return names.length === 0 ? undefined : names
  }

  /** Does something with the destination; `close` waits for it, and a long wait is reported. */
  tracked<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#waits.during(work)
    this.#last = done
    return done
  }

  /** Keeps a step and the state after it: both or none. Rejects with `Fenced` if a later run has taken over. */
  async keep(step: Prepared, next: Omit<TransferState, 'own'>): Promise<void> {
    const { own = this.#state.own, store, settle, files } = withoutPrototype(step)
    const state = own === undefined ? next : { ...next, own }
    for (const lease of this.#leases) {
      if (lease === this.#leases.at(-1)) await lease.commit(state, store)
      else await lease.renew()
    }
    this.#state = state
    this.#listed = files ?? this.#listed
    await settle?.()
  }

  /** Removes the state of a transfer that is done with. */
  async forget(): Promise<void> {
    await this.#leases.at(-1)?.commit(undefined)
  }

  /** Rejects with `Fenced` when a later run has taken over. */
  checkOwner(): Promise<void> {
    return renewed(this.#leases)
  }

  /** Resolves with why something failed: where a later run has taken over, that is why. */
  async causeOf(error: unknown): Promise<unknown> {
    const cause = await causeOf(error, this.#leases)
    this.#isFenced = isFenced(cause)
    return cause
  }

  /** Waits for the operation under way, releases the lease, and leaves the destination as it stands. May be called again. */
  async close(): Promise<void> {
    await this.#waits.during(async () => {
      await this.#last.catch(() => {}) // reported where it was begun
      await closed(this.destination, this.#leases, this.#isFenced ? 'fenced' : undefined)
    })
  }
}

const isFenced = (error: unknown): boolean => isExportError(error) && error._tag === 'Fenced'

const renewed = async (leases: ReadonlyArray<Lease>): Promise<void> => {
  for (const lease of leases) await lease.renew()
}

/** Resolves with the `Fenced` of a lost lease, or else with the error itself. */
const causeOf = (error: unknown, leases: ReadonlyArray<Lease>): Promise<unknown> =>
  renewed(leases).then(
    () => error,
    (lost: unknown) => (isFenced(lost) ? lost : error),
  )

const leaseOptions = <A>(
  { timer, lease, onWait, stop, restart }: SessionOptions<A>,
  text: StateText,
) => ({ ...text, timer, length: lease, onWait, stop, restart })

/** Makes the error for a state that is not gone on with. */
export const existing = (path: string) =>
  exportError('CheckpointExists', `${path} is of an export that was not finished`, { path })

/** The store of a destination is of use until its lease is released. */
const closed = async (
  { close, store }: Pick<Destination<never>, 'close' | 'store'>,
  leases: ReadonlyArray<Lease>,
  why?: 'fenced',
): Promise<void> => {
  try {
    await close(why)
  } finally {
    try {
      for (const lease of [...leases].reverse()) await lease.release()
    } finally {
      await store?.close?.()
    }
  }
}
