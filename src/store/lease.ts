/** One owner at a time for each destination. Lock, fence and state are one text, which is changed by compare-and-swap. */
import * as t from 'io-ts'
import {
  timer as delay,
  firstValueFrom,
  map,
  NEVER,
  type Observable,
  ReplaySubject,
  race,
  type SchedulerLike,
  Subscription,
} from 'rxjs'
import type { Millis } from '../stream/index.js'
import { hasSum, readRecord, showSummed } from './readRecord.js'
import type { Store } from './Store.js'
import { isStoreError, type StoreError, storeError } from './StoreError.js'

/** How long a lease lasts without renewal. */
const LEASE: Millis = 15_000

/** Number of renewals within the length of a lease. */
const RENEWALS = 3

/** Number of checks by a waiting run within the length of a lease. */
const LOOKS = 15

/** Where and how a lease is stored. */
export interface LeaseOptions {
  readonly store: Store
  /** Name of the lease's text in the store. */
  readonly name: string
  /** Name of that text in messages, such as its path. */
  readonly path: string
  /** How long the lease lasts without renewal. Default `LEASE`. */
  readonly length?: Millis | undefined
  readonly timer: SchedulerLike
  /** Called when another owner holds the lease, before waiting for it. */
  readonly onWait?: (wait: LeaseWait) => void
  /** Stops waiting for the lease when this emits. */
  readonly stop?: Observable<unknown> | undefined
  /** True to replace a text that is damaged or of another version, including its state. */
  readonly restart?: boolean
  /** Identifies this owner. Default: random. */
  readonly owner?: string
}

/** Another owner, possibly dead, holds the lease. */
export interface LeaseWait {
  /** Name of the text with the lease. */
  readonly path: string
  /** Maximum time to wait, in ms. */
  readonly ms: Millis
}

export const waitWords = ({ ms }: LeaseWait): string =>
  `another run is using it, or was killed: waiting up to ${Math.ceil(ms / 1_000)} s to take over`

/** Version of the layout. */
const VERSION = 5

const record = t.intersection([
  t.type({
    version: t.literal(VERSION),
    /** Number of the owner, which increases with each owner. */
    fence: t.number,
    /** Number of renewals, which show that the owner is alive. */
    renewals: t.number,
  }),
  t.partial({
    /** The owner; absent once the lease has been released. */
    owner: t.string,
    /** Its duration without renewal, in ms. */
    length: t.number,
    /** State of the destination's owners, such as the position of an export. */
    state: t.unknown,
  }),
])

interface LeaseRecord extends t.TypeOf<typeof record> {}

interface StoredLease {
  readonly record: LeaseRecord
  readonly version: string
}

// text

const recordAt: (path: string) => (text: string) => LeaseRecord = readRecord({
  name: 'checkpoint',
  version: VERSION,
  codec: record,
  isIntact: hasSum,
})

/** Returns the state in the text of a lease, whoever owns the lease. */
export const stateIn =
  (path: string) =>
  (text: string): unknown =>
    recordAt(path)(text).state

// taking it

/**
 * Takes a lease. If another owner holds it, waits for the length of that lease. If the lease was not renewed in that time,
 * takes it over; otherwise rejects with `Locked`. Uses only the clock of this process, and no process id or host name.
 */
export const takeLease = async (options: LeaseOptions): Promise<Lease> => {
  const { store, name, path, length = LEASE, owner = crypto.randomUUID() } = options
  const read = (text: string): LeaseRecord => {
    try {
      return recordAt(path)(text)
    } catch (error) {
      const isOfOther = isStoreError(error) && error._tag === 'UnusableDestination'
      if (options.restart !== true || isOfOther) throw error
      return { version: VERSION, fence: 0, renewals: 0 } // the text is unreadable, so no owner has written it
    }
  }
  const look = async (): Promise<StoredLease | undefined> => {
    const found = await store.read(name)
    return found && { record: read(found.text), version: found.version }
  }

  let found = await look()
  const isOwned = found?.record.owner !== undefined
  if (found !== undefined && isOwned) {
    const { version } = found
    found = await watch(options, found, look)
    if (found?.record.owner !== undefined && found.version !== version) throw locked(path)
  }
  const next: LeaseRecord = {
    version: VERSION,
    fence: (found?.record.fence ?? 0) + 1,
    renewals: 0,
    owner,
    length,
    ...(found?.record.state === undefined ? {} : { state: found.record.state }),
  }
  const version = await store.replace(name, showSummed(next), found?.version)
  if (version === undefined) throw locked(path) // another owner was faster
  const tookOver = found?.record.owner !== undefined
  return new Lease({ ...options, look }, { record: next, version }, tookOver)
}

/** Resolves once the lease has been renewed, released or removed, or has expired. */
const watch = async (
  { path, timer, stop = NEVER, onWait }: LeaseOptions,
  found: StoredLease,
  look: () => Promise<StoredLease | undefined>,
): Promise<StoredLease | undefined> => {
  const { length = LEASE } = found.record
  onWait?.({ path, ms: length })
  const stopped = stop.pipe(
    map(() => {
      throw locked(path)
    }),
  )
  for (let looks = 0; looks < LOOKS; looks++) {
    await firstValueFrom(race(delay(length / LOOKS, timer), stopped))
    const now = await look()
    if (now?.version !== found.version) return now
  }
  return found
}

const locked = (path: string): StoreError =>
  storeError('Locked', `${path} is in use: another run is writing there`, { path })

// having it

/**
 * A lease held by this process. It renews itself until it is released. After a takeover by a later owner, each commit rejects
 * with `Fenced` and changes nothing.
 */
export class Lease {
  /** True if the previous owner did not release the lease. That owner may be frozen, and may still write to its open files. */
  readonly tookOver: boolean
  /** Never emits. Fails with the `Fenced` of the first commit or renewal that was too late. */
  readonly lost: Observable<never>

  readonly #options: LeaseOptions & { readonly look: () => Promise<StoredLease | undefined> }
  readonly #lost = new ReplaySubject<never>(1)
  readonly #renewing = new Subscription()
  #stored: StoredLease | undefined
  #last: Promise<unknown> = Promise.resolve()

  constructor(
    options: LeaseOptions & { readonly look: () => Promise<StoredLease | undefined> },
    stored: StoredLease,
    tookOver: boolean,
  ) {
    this.#options = options
    this.#stored = stored
    this.tookOver = tookOver
    this.lost = this.#lost.asObservable()
    this.#renewLater()
  }

  /** Number of this owner. Earlier owners have smaller numbers. */
  get fence(): number {
    return this.#stored?.record.fence ?? 0
  }

  /** The state that this owner or an earlier one has last committed. */
  get state(): unknown {
    return this.#stored?.record.state
  }

  /**
   * Replaces the state and renews the lease. Rejects with `Fenced` if there is a later owner. `store`: the same store within a
   * transaction, so that the state is committed together with its rows.
   */
  commit(state: unknown, store: Store = this.#options.store): Promise<void> {
    return this.#inTurn(() => this.#change((record) => ({ ...record, state }), store))
  }

  /** Renews the lease. Rejects with `Fenced` if there is a later owner. */
  renew(): Promise<void> {
    return this.#inTurn(() => this.#change((record) => record, this.#options.store))
  }

  /**
   * Ends the lease. Keeps its text if there is a state. May be called again, and after the lease was lost. Also resolves if the
   * store cannot be written to; the lease then expires.
   */
  release(): Promise<void> {
    this.#renewing.unsubscribe()
    return this.#inTurn(async () => {
      if (this.#stored === undefined) return
      const { record, version } = this.#stored
      const { store, name } = this.#options
      const { owner: _, length: __, ...rest } = record
      this.#stored = undefined
      const ended =
        record.state === undefined
          ? store.remove(name, version)
          : store.replace(name, showSummed(rest), version)
      await ended.catch((error: unknown) => {
        if (!isStoreError(error)) throw error
      })
    })
  }

  async #change(change: (record: LeaseRecord) => LeaseRecord, store: Store): Promise<void> {
    const stored = this.#stored
    if (stored === undefined) throw this.#fenced()
    if (await this.#replace(change, stored, store)) return
    // an earlier change may have failed after it took effect, or have been rolled back
    const found = await this.#options.look()
    const isOwn = found?.record.owner === stored.record.owner
    if (found !== undefined && isOwn && (await this.#replace(change, found, store))) return
    this.#stored = undefined
    this.#renewing.unsubscribe()
    const error = this.#fenced()
    this.#lost.error(error)
    throw error
  }

  async #replace(
    change: (record: LeaseRecord) => LeaseRecord,
    { record, version }: StoredLease,
    store: Store,
  ): Promise<boolean> {
    const next = change({ ...record, renewals: record.renewals + 1 })
    const fresh = await store.replace(this.#options.name, showSummed(next), version)
    if (fresh === undefined) return false
    this.#stored = { record: next, version: fresh }
    return true
  }

  #renewLater(): void {
    const { timer, length = LEASE } = this.#options
    const next = (): void => this.#renewLater()
    this.#renewing.add(
      timer.schedule(() => {
        this.renew().then(next, next) // a full disk may be temporary; a lost lease has already ended the run
      }, length / RENEWALS),
    )
  }

  #fenced(): StoreError {
    const { path } = this.#options
    const why =
      'now belongs to another run, which took over because this run did not renew its lease in time'
    return storeError('Fenced', `${path} ${why}`, { path })
  }

  /** Runs one change at a time, because each is based on the previous version. */
  #inTurn<T>(task: () => Promise<T>): Promise<T> {
    const done = this.#last.then(task, task)
    this.#last = done.catch(() => {}) // reported to the caller
    return done
  }
}
