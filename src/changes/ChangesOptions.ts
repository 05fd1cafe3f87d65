import type { Observable } from 'rxjs'
import { Time, toMillis } from '../codec/times.js'
import type { WebhookEvent } from '../codec/WebhookEvent.js'
import type { E } from '../fp.js'
import type { AnyFailure } from '../http/Failure.js'
import { is, type OptionRule, type OptionsOf, withDefault } from '../options/index.js'
import type { Store } from '../store/Store.js'
import type { StoreError } from '../store/StoreError.js'

/** Position of a stream of changes. */
export interface ChangePosition {
  /** Charges created up to this time have been emitted; ISO 8601. Pass it as `since` to continue without a store. */
  readonly upTo: string
  /** Number of changes emitted before this one, by this stream and, with a store, by earlier ones. */
  readonly emitted: number
}

/** A new or changed charge. */
export interface Change<A> {
  /** `added`: as far as the stream remembers, it has not emitted this charge before. */
  readonly kind: 'added' | 'changed'
  /** The current charge. States between two polls are not emitted. */
  readonly value: A
  /** The previous version, if a table keeps it. */
  readonly previous?: A
  /** Position of the stream at this change. */
  readonly position: ChangePosition
}

/** Why a poll or the whole stream failed. */
export type ChangesFailure = AnyFailure | StoreError

/** An event of a stream of changes: a change, or a failure. */
export type ChangeEvent<A> = E.Either<ChangesFailure, Change<A>>

/**
 * Changes to charges. Cold and endless: each subscription starts a new stream. RxJS has no back-pressure, so a slow consumer
 * should iterate or use `drain`, which buffer at most 2,000 rows.
 */
export interface Changes<A> extends Observable<ChangeEvent<A>>, AsyncIterable<ChangeEvent<A>> {
  /**
   * Iterates over the changes. A change is acknowledged when the next one is requested. `return`, `throw` and disposal abort
   * requests in flight and save the state.
   */
  readonly [Symbol.asyncIterator]: () => AsyncIteratorObject<ChangeEvent<A>, undefined, unknown>
  /**
   * Calls `project` for each change. A change is acknowledged when the stream returned by `project` completes; then the next
   * change is requested.
   */
  readonly drain: <B>(project: (change: ChangeEvent<A>) => Observable<B>) => Observable<B>
}

// rules

const time: OptionRule<Date | string> = {
  accepts: (u) => Time.is(u) && !Number.isNaN(toMillis(u)),
  expected: 'a Date or an ISO 8601 time',
}

export const changesTable = {
  /**
   * Charges created at or after this time are emitted, as a `Date` or ISO 8601. Default: now. Ignored if the store has a state,
   * because the stream then continues from that state.
   */
  since: time,
  /**
   * How to treat charges that were created before `since` and are open (not `SETTLED` or `FAILED`) at the start. Default
   * `emit`. With `silent`, only their later changes are emitted. Ignored if the store has a state.
   */
  initial: withDefault(is.oneOf('emit', 'silent'), 'emit'),
  /** Interval between polls, in ms. Default 10,000. */
  every: withDefault(is.positiveFinite, 10_000),
  /** Maximum delay between a charge's creation and its first appearance in the list, in ms. Default 3,600,000 (one hour). */
  lookback: withDefault(is.finiteMillis, 3_600_000),
  /** Maximum number of charges that may disappear at once; see `RowsGone`. Default: 20, or 5 % of the known charges. */
  allowGone: is.int(0),
  /**
   * Stores the state across processes, such as `diskStore({ folder })`. Only one stream at a time can use it. Default: memory.
   */
  store: is.withMethods<Store>('a store', 'read', 'replace', 'remove'),
  /**
   * Verified deliveries, such as `receiver.events`. Their charges are read before the next poll. Lost, repeated or late
   * deliveries never change the result.
   */
  events: is.withMethods<Observable<E.Either<unknown, WebhookEvent>>>('an Observable', 'pipe'),
}

/** Options of `changes`. */
export interface ChangesOptions extends OptionsOf<typeof changesTable> {}
