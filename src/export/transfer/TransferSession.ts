/** A destination owned by a transfer, with its lease, its state, and the current step. */

import { merge, NEVER, type Observable, type SchedulerLike } from 'rxjs'
import { withoutPrototype } from '../../fp.js'
import { type Lease, type LeaseWait, takeLease } from '../../store/lease.js'
import type { Store } from '../../store/Store.js'
import type { Waits } from '../../store/Waits.js'
import type { Millis } from '../../stream/index.js'
import { exportError, isExportError } from '../ExportError.js'
import type { ChildRows, CountedRows, Destination, ListedFiles, Prepared } from './Destination.js'
import type { TransferState } from './TransferState.js'

/** A text with a lease, and its name in messages. */
export interface StateText {
  readonly store: Store
  readonly name: string
  readonly path: string
}

export interface SessionOptions<A> {
  readonly destination: Destination<A>
  /** Where the state is stored; absent if nowhere. */
  readonly stateText: StateText | undefined
  /** Another name of the same destination. The lease of that name is taken as well. */
  readonly guard?: StateText | undefined
  /** Resolves with the state to continue with, given the stored one. Rejects with an `ExportError` if that prevents it. */
  readonly begin: (found: unknown) => Promise<TransferState>
  /** True to replace any existing state. */
  readonly restart: boolean
  /** True if each run reads its list from the beginning. Default `false`. */
  readonly replaces?: boolean | undefined
  readonly timer: SchedulerLike
  /** How long the lease lasts without renewal. */
  readonly lease?: Millis | undefined
  /** Called when another run holds the lease, before waiting for it. */
  readonly onWait: (wait: LeaseWait) => void
  readonly waits: Waits
  /** Stops waiting for the lease when this emits. */
  readonly stop?: Observable<unknown> | undefined
}

type Queries = Pick<Destination<never>, 'open' | 'counted' | 'children'>

export class TransferSession<A> {
  readonly destination: Destination<A>
  readonly queries: Queries
  /** True if the previous owner did not release the lease because it was killed, or is frozen. */
  readonly tookOver: boolean
  /** Fails when a later run has taken over. */
  readonly lost: Observable<never>
  readonly #leases: ReadonlyArray<Lease>
  readonly #waits: Waits
  #state: TransferState
  #listed: Prepared['files']
  #isFenced = false
  #last: Promise<unknown> = Promise.resolve() // the last operation

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

  /** Takes the lease of a destination. On failure, closes the destination and rejects with an `ExportError`. */
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
      await closed(destination, leases, why).catch(() => {}) // the error of closing would hide the cause
      throw cause
    }
  }

  /** The last saved state of the transfer. */
  get state(): TransferState {
    return this.#state
  }

  /** Returns the files after the last step, for destinations with a manifest. */
  listed(): ListedFiles | undefined {
    return this.#listed?.()
  }

  /** Returns the names of objects that could not be removed because deletes are denied; `undefined` if there are none. */
  unremoved(): ReadonlyArray<string> | undefined {
    const names = this.destination.unremoved?.() ?? []
    return names.length === 0 ? undefined : names
  }

  /** Runs an operation on the destination. `close` waits for it, and long waits are reported. */
  tracked<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#waits.during(work)
    this.#last = done
    return done
  }

  /** Saves a step and the state after it atomically. Rejects with `Fenced` if a later run has taken over. */
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

  /** Removes the state of a finished transfer. */
  async forget(): Promise<void> {
    await this.#leases.at(-1)?.commit(undefined)
  }

  /** Rejects with `Fenced` if a later run has taken over. */
  checkOwner(): Promise<void> {
    return renewed(this.#leases)
  }

  /** Resolves with the cause of a failure, which is `Fenced` if a later run has taken over. */
  async causeOf(error: unknown): Promise<unknown> {
    const cause = await causeOf(error, this.#leases)
    this.#isFenced = isFenced(cause)
    return cause
  }

  /** Waits for the current operation, releases the lease, and leaves the destination unchanged. May be called again. */
  async close(): Promise<void> {
    await this.#waits.during(async () => {
      await this.#last.catch(() => {}) // reported to the caller of that operation
      await closed(this.destination, this.#leases, this.#isFenced ? 'fenced' : undefined)
    })
  }
}

const isFenced = (error: unknown): boolean => isExportError(error) && error._tag === 'Fenced'

const renewed = async (leases: ReadonlyArray<Lease>): Promise<void> => {
  for (const lease of leases) await lease.renew()
}

/** Resolves with the `Fenced` of a lost lease, otherwise with the error itself. */
const causeOf = (error: unknown, leases: ReadonlyArray<Lease>): Promise<unknown> =>
  renewed(leases).then(
    () => error,
    (lost: unknown) => (isFenced(lost) ? lost : error),
  )

const leaseOptions = <A>(
  { timer, lease, onWait, stop, restart }: SessionOptions<A>,
  text: StateText,
) => ({ ...text, timer, length: lease, onWait, stop, restart })

/** Creates the error for a state that must not be resumed. */
export const existing = (path: string) =>
  exportError('CheckpointExists', `${path} belongs to an unfinished export`, { path })

/** Closes a destination, and then its store, because the store is needed until the lease is released. */
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

const watchedQueries = (to: Queries, waits: Waits): Queries => {
  const { counted, children } = to
  return {
    ...(to.open && { open: (final) => waits.during(async () => (await to.open?.(final)) ?? []) }),
    ...(counted && { counted: watchedCounts(counted, waits) }),
    ...(children && { children: watchedChildren(children, waits) }),
  }
}

const watchedCounts = (of: CountedRows, waits: Waits): CountedRows => ({
  counts: (...rows) => waits.during(() => of.counts(...rows)),
  nth: (...at) => waits.during(() => of.nth(...at)),
  find: (...rows) => waits.during(() => of.find(...rows)),
  versions: (rows) => waits.during(() => of.versions(rows)),
  markGone: (...rows) => waits.during(() => of.markGone(...rows)),
  ...(of.moved && { moved: (rows) => waits.during(async () => of.moved?.(rows)) }),
})

const watchedChildren = (of: ChildRows, waits: Waits): ChildRows => ({
  counts: () => waits.during(() => of.counts()),
  ids: (parent) => waits.during(() => of.ids(parent)),
  markGone: (...rows) => waits.during(() => of.markGone(...rows)),
})
