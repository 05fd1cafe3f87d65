import type { Observable } from 'rxjs'
import { Time, toMillis } from '../codec/times.js'
import type { WebhookEvent } from '../codec/WebhookEvent.js'
import type { E } from '../fp.js'
import type { AnyFailure } from '../http/Failure.js'
import { is, type OptionRule, type OptionsOf, withDefault } from '../options/index.js'
import type { Store } from '../store/Store.js'
import type { StoreError } from '../store/StoreError.js'

// model

/** How far a stream of changes is. */
export interface ChangePosition {
  /** Charges created up to then were emitted, as ISO 8601: `since` for a stream without a store. */
  readonly upTo: string
  /** How many changes were emitted before this one, by this stream and, with a store, by those before it. */
  readonly emitted: number
}

/** A charge that came, or has changed. */
export interface Change<A> {
  /** `added`: the stream has not emitted it before, as far as it remembers. */
  readonly kind: 'added' | 'changed'
  /** The charge as it stands. States between two polls are not emitted. */
  readonly value: A
  /** The charge as it was, where a table keeps it. */
  readonly previous?: A
  /** How far the stream was. */
  readonly position: ChangePosition
}

/** Why a poll, or the whole stream, has failed. */
export type ChangesFailure = AnyFailure | StoreError

/** Emitted by a stream of changes. */
export type ChangeEvent<A> = E.Either<ChangesFailure, Change<A>>

/**
 * Changes of charges, cold and endless; each subscription is a stream of its own. RxJS pushes: what is slower than the
 * service iterates or drains, and at most 2,000 rows wait for it.
 */
export interface Changes<A> extends Observable<ChangeEvent<A>>, AsyncIterable<ChangeEvent<A>> {
  /**
   * A change is acknowledged when the next one is asked for. `return`, `throw` and disposal abort what is on its way, and
   * keep the state.
   */
  readonly [Symbol.asyncIterator]: () => AsyncIteratorObject<ChangeEvent<A>, undefined, unknown>
  /** A change is acknowledged when `project(change)` has completed; then the next one is asked for. */
  readonly drain: <B>(project: (change: ChangeEvent<A>) => Observable<B>) => Observable<B>
}

// rules

const time: OptionRule<Date | string> = {
  accepts: (u) => Time.is(u) && !Number.isNaN(toMillis(u)),
  expected: 'a Date or an ISO 8601 time',
}

export const changesTable = {
  /**
   * Charges created at or after this time are emitted, as a `Date` or ISO 8601. Default: now. Ignored where the store has a
   * state: the stream goes on from there.
   */
  since: time,
  /** From one poll to the next, in ms. Default 10,000. */
  every: withDefault(is.positiveFinite, 10_000),
  /** How late a charge may come to the list after its creation, in ms. Default 3,600,000: an hour. */
  lookback: withDefault(is.finiteMillis, 3_600_000),
  /**
   * Keeps the state from one process to the next, such as `diskStore({ folder })`; one stream at a time. Default: memory.
   */
  store: is.withMethods<Store>('a store', 'read', 'replace', 'remove'),
  /**
   * Verified deliveries, such as `receiver.events`: the charge of each is read sooner. Lost, repeated and late ones
   * change no result.
   */
  events: is.withMethods<Observable<E.Either<unknown, WebhookEvent>>>('an Observable', 'pipe'),
}

/** Options of `changes`. */
export interface ChangesOptions extends OptionsOf<typeof changesTable> {}
