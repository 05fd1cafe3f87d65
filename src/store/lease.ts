/** One owner at a time for one destination: lock, fence and state are one text, changed by compare-and-swap. */
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

// model

/** How long a lease lasts that is not renewed. */
const LEASE: Millis = 15_000

/** An owner renews its lease so often while one lasts. */
const RENEWALS = 3

/** One that waits for a lease to end looks at it so often while one lasts. */
const LOOKS = 15

/** Where a lease is kept, and how. */
export interface LeaseOptions {
  readonly store: Store
  /** The name of its text in the store. */
  readonly name: string
  /** The name of that text in messages, such as its path. */
  readonly path: string
  /** How long it lasts without a renewal. Default `LEASE`. */
  readonly length?: Millis | undefined
  /** Clock and timers. */
  readonly timer: SchedulerLike
  /** Called when another owner has the lease, before this one waits for it to end. */
  readonly onWait?: (wait: LeaseWait) => void
  /** Its first value ends that wait. */
  readonly stop?: Observable<unknown> | undefined
  /** Replaces a text that is damaged, or of another version, and its state. */
  readonly restart?: boolean
  /** Identifies this owner. Default: at random. */
  readonly owner?: string
}

/** Another owner has a lease, which may have died. */
export interface LeaseWait {
  /** The text that says so. */
  readonly path: string
  /** How long this one waits, at most, in ms. */
  readonly ms: Millis
}

/** Says in words what is waited for. */
export const waitWords = ({ ms }: LeaseWait): string =>
  `another run has it, or was killed: waiting up to ${Math.ceil(ms / 1_000)} s to take over`

/** Version of the layout. States of earlier versions had no lease. */
const VERSION = 5

const record = t.intersection([
  t.type({
    version: t.literal(VERSION),
    /** Counts the owners. */
    fence: t.number,
    /** How often it was renewed: it shows that the owner lives. */
    renewals: t.number,
  }),
  t.partial({
    /** Its owner; absent when it was released. */
    owner: t.string,
    /** How long it lasts, in ms. */
    length: t.number,
    /** State of its owners: where an export stands. */
    state: t.unknown,
  }),
])

interface LeaseRecord extends t.TypeOf<typeof record> {}

/** A lease, as it stands in the store. */
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

/** Returns the state in the text of a lease, whichever owner has it. */
export const stateIn =
  (path: string) =>
  (text: string): unknown =>
    recordAt(path)(text).state

// taking it

/**
 * Takes a lease. Where another owner has it, this one watches for as long as it lasts: if it is not renewed, it is taken
 * over; if it is, this rejects with `Locked`. Only the clock of this process is read; no process id or host name takes part.
 */
export const takeLease = async (options: LeaseOptions): Promise<Lease> => {
  const { store, name, path, length = LEASE, owner = crypto.randomUUID() } = options
  const read = (text: string): LeaseRecord => {
    try {
      return recordAt(path)(text)
    } catch (error) {
      const isOfOther = isStoreError(error) && error._tag === 'UnusableDestination'
      if (options.restart !== true || isOfOther) throw error
      return { version: VERSION, fence: 0, renewals: 0 } // no owner writes such a text
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
  if (version === undefined) throw locked(path) // another one was faster
  const tookOver = found?.record.owner !== undefined
  return new Lease({ ...options, look }, { record: next, version }, tookOver)
}

/** Resolves when the lease was renewed, released or removed, or has lasted for its length. */
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
 * A lease that this process has. It renews itself until it is released. A later owner shuts this one out: then each
 * commit rejects with `Fenced`, and changes nothing.
 */
export class Lease {
  /** True if the owner before did not release it: it may be frozen, and write into files that it has open. */
  readonly tookOver: boolean
  /** Never emits; its error is the `Fenced` of the first commit or renewal that came too late. */
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

  /** Counts the owners: an earlier one has a smaller number. */
  get fence(): number {
    return this.#stored?.record.fence ?? 0
  }

  /** The state that was committed last, by this owner or an earlier one. */
  get state(): unknown {
    return this.#stored?.record.state
  }

  /**
   * Replaces the state, and renews the lease. Rejects with `Fenced` if there is a later owner. `store`: the same one
   * within a transaction, for a state that is committed with its rows.
   */
  commit(state: unknown, store: Store = this.#options.store): Promise<void> {
    return this.#inTurn(() => this.#change((record) => ({ ...record, state }), store))
  }

  /** Renews the lease. Rejects with `Fenced` if there is a later owner. */
  renew(): Promise<void> {
    return this.#inTurn(() => this.#change((record) => record, this.#options.store))
  }

  /**
   * Ends the lease; its text stays if there is a state. May be called again, and when the lease is lost. Resolves also
   * where the store cannot be written to: then the lease ends by itself.
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
    // an earlier change may have failed after it was made, or been rolled back
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
        this.renew().then(next, next) // a disk may be full, and not for long; a lost one has stopped
      }, length / RENEWALS),
    )
  }

  #fenced(): StoreError {
    const { path } = this.#options
    const why = 'is of another run now, which took it over: this one was not heard of for too long'
    return storeError('Fenced', `${path} ${why}`, { path })
  }

  /** One change at a time: each is made from the version before. */
  #inTurn<T>(task: () => Promise<T>): Promise<T> {
    const done = this.#last.then(task, task)
    this.#last = done.catch(() => {}) // reported to the caller
    return done
  }
}
