import {
  defer,
  from,
  type MonoTypeOperatorFunction,
  Observable,
  type ObservableInput,
  Subject,
  takeUntil,
} from 'rxjs'
import { O, withoutPrototype } from '../fp.js'
import { checkOptions, InvalidOption, is, type OptionsTable } from '../options/index.js'
import { warnOnce } from '../stream/warnOnce.js'
import type { Scheduler } from './Scheduler.js'
import { KEYLESS } from './safeKey.js'
import { runTask, type ScheduleOptions } from './Task.js'

const DEFAULTS = withoutPrototype({})

/**
 * Subscribes to the source when every tier (limit) of the scheduler has room for `request`.
 *
 *     source                  --a|
 *     schedule, room in 3     -----a|
 *     refused, room in 10     --r       then retried, after backoff, through all tiers
 *
 * One subscription counts as one request, however many values the source emits. To run something for each item of a stream, use
 * `scheduleMap`.
 *
 * Its permits are held until the source completes or fails, and in a rolling window for as long as the server counts the request.
 * Unsubscribing while the source waits removes it from the queue: nothing is sent, and no permit is used. Unsubscribing later
 * keeps the permits for as long as the server may work on the request. The source runs in the async context (`AsyncLocalStorage`)
 * of its subscriber.
 *
 * Fails with an `InvalidOption` for an unknown lane or invalid `attempts`.
 */
export const schedule = <R, A>(
  scheduler: Scheduler<R>,
  request: R,
  options: ScheduleOptions<A> = DEFAULTS,
): MonoTypeOperatorFunction<A> => {
  const copy = options === DEFAULTS ? DEFAULTS : withoutPrototype(options)
  return (source) =>
    new Observable((subscriber) => runTask(scheduler.core, request, copy, source, subscriber))
}

/** Options of `scheduleMap`. `R`: the request that tiers take their keys from. */
export interface ScheduleMapOptions<in A, in B, out R> extends ScheduleOptions<B> {
  /**
   * Returns the request for an item, from which tiers take their keys. Required if a tier has a key. Items for which it throws
   * are still run, and count together as one key; the first error is reported on stderr.
   */
  readonly key?: ((item: A) => R) | undefined
  /** Maximum number of buffered items from an Observable; one more is an `InvalidOption`. Default 100,000. */
  readonly maxBuffered?: number | undefined
}

/** Makes `key` optional if no tier of the scheduler has a key. */
type GivenOptions<A, B, R> = undefined extends R
  ? [options?: ScheduleMapOptions<A, B, R>]
  : [options: ScheduleMapOptions<A, B, R> & { readonly key: (item: A) => R }]

/** Items that can be pulled, or that an Observable pushes. */
export type ItemSource<A> = Iterable<A> | AsyncIterable<A> | Observable<A>

const MAX_BUFFERED = 100_000
/**
 * Number of items of a pulled source that may wait for keys without room while other keys have room. In a source sorted by key,
 * a run of one key up to this length does not hold up the next key. The tasks take half a megabyte.
 */
const AHEAD = 1_000

const rules: OptionsTable<ScheduleMapOptions<never, never, unknown>> = {
  key: is.fn(),
  lane: is.string,
  refused: is.fn(),
  onRetry: is.fn(),
  attempts: is.positiveIntOrInfinity,
  maxBuffered: is.positiveIntOrInfinity,
}

/**
 * Runs `project` for each item under the limits of a scheduler, and merges what the results emit, as `mergeMap` does.
 *
 *     source           a-b-c-d-e|
 *     limit 2 per window
 *     project(a), (b)  a-b----------
 *     project(c), (d)  -----------c-d---
 *
 * It runs as many items concurrently as the limits allow, and takes no more items than can run. An iterable, an async iterable
 * and a list of the client are pulled, item by item: `pipe(items, scheduleMap(...))` of fp-ts, or `list.pipe(scheduleMap(...))`.
 * An Observable pushes its items, so waiting items are buffered, at most `maxBuffered`: prefer `scheduleMap(...)(items)` to
 * `from(items).pipe(scheduleMap(...))`.
 *
 * Items of other keys overtake items whose key has no room. For that, up to 1,000 items are pulled ahead; an Observable's items
 * are all in memory anyway.
 *
 * Fails as soon as the source, `project` or a result fails, and cancels everything in flight, as unsubscribing does. Throws an
 * `InvalidOption` for an invalid option.
 */
export const scheduleMap = <R, A, B>(
  scheduler: Scheduler<R>,
  project: (item: A, index: number) => ObservableInput<B>,
  ...[options]: GivenOptions<A, B, R>
): ((source: ItemSource<A>) => Observable<B>) => {
  const checked = checkOptions(options ?? {}, rules, { context: 'scheduleMap: ' })
  const { key, maxBuffered = MAX_BUFFERED, ...others } = checked
  const each = withoutPrototype(others)
  if (key === undefined && scheduler.core.isKeyed) {
    const needed = 'given, because a tier of the scheduler has a key'
    throw new InvalidOption('key', needed, 'scheduleMap: ')
  }
  const warn = warnOnce('the option key of scheduleMap')
  const requestOf = (item: A): R => {
    if (key === undefined) return undefined as R // see `GivenOptions`
    try {
      return key(item)
    } catch (error) {
      warn(error)
      return KEYLESS as R // no tier's `key` receives this
    }
  }
  return (source) =>
    new Observable((subscriber) => {
      let [index, active, waiting] = [0, 0, 0] // `waiting`: active items that have to wait for a permit
      let [isPulling, isDone] = [false, false]
      const ahead =
        Symbol.iterator in source || Symbol.asyncIterator in source ? AHEAD : maxBuffered
      const fail = (error: unknown): void => subscriber.error(error)

      const start = (item: A): void => {
        const n = index++
        let isWaiting = false
        const wait = (is: boolean): void => {
          if (isWaiting !== is) waiting += is ? 1 : -1
          isWaiting = is
        }
        const refused = (value: B) => {
          const refusal = each.refused?.(value) ?? O.none
          if (O.isSome(refusal)) wait(true)
          return refusal
        }
        active++
        wait(true)
        const result = defer(() => {
          wait(false)
          pull() // there may be room for more
          return from(project(item, n))
        }).pipe(schedule(scheduler, requestOf(item), { ...each, refused }))
        const complete = (): void => {
          wait(false)
          active--
          pull()
        }
        const next = (value: B): void => subscriber.next(value)
        subscriber.add(result.subscribe({ next, error: fail, complete }))
      }

      const pull = (): void => {
        if (isPulling) return
        isPulling = true
        try {
          while (!isDone && !subscriber.closed && waiting < scheduler.core.maxWaiting(ahead)) {
            isDone = true // if this throws
            const item = items.take()
            isDone = item?.done === true
            if (item === undefined) break
            if (item.done !== true) start(item.value)
          }
        } catch (error) {
          fail(error)
        } finally {
          isPulling = false
        }
        if (isDone && active === 0) subscriber.complete()
      }

      const items = itemsOf(source, maxBuffered, { pull, fail })
      subscriber.add(() => items.stop(isDone))
      items.start?.()
      pull()
    })
}

interface Items<A> {
  readonly start?: () => void
  /** Takes the next item; `undefined` if none is available yet. `pull` is called once one is. */
  readonly take: () => IteratorResult<A, unknown> | undefined
  /** `isDone`: the last item has been taken. */
  readonly stop: (isDone: boolean) => void
}

interface PullReceiver {
  readonly pull: () => void
  readonly fail: (error: unknown) => void
}

const itemsOf = <A>(source: ItemSource<A>, maxBuffered: number, to: PullReceiver): Items<A> => {
  if (Symbol.asyncIterator in source) return asyncItems(source[Symbol.asyncIterator](), to)
  if (!(Symbol.iterator in source)) return pushedItems(source, maxBuffered, to)
  const iterator: Iterator<A, unknown> = source[Symbol.iterator]()
  return {
    take: () => iterator.next(),
    stop: (isDone) => {
      if (!isDone) iterator.return?.()
    },
  }
}

const asyncItems = <A>(
  iterator: AsyncIterator<A, unknown>,
  { pull, fail }: PullReceiver,
): Items<A> => {
  let taken: IteratorResult<A, unknown> | undefined
  let [isAsked, isDone] = [false, false]
  const ask = async (): Promise<void> => {
    isAsked = true
    try {
      taken = await iterator.next()
      isAsked = false
      isDone = taken.done === true
      pull()
    } catch (error) {
      isDone = true
      fail(error)
    }
  }
  return {
    take: () => {
      const item = taken
      taken = undefined
      if (item === undefined && !isAsked && !isDone) ask()
      return item
    },
    stop: () => {
      if (!isDone) iterator.return?.().then(undefined, () => {}) // after unsubscribing, nothing receives an error
    },
  }
}

const pushedItems = <A>(
  source: Observable<A>,
  max: number,
  { pull, fail }: PullReceiver,
): Items<A> => {
  let incoming: Array<IteratorYieldResult<A>> = []
  let outgoing: Array<IteratorYieldResult<A>> = [] // last item first
  let isComplete = false
  const stopped = new Subject<void>()
  const next = (value: A): void => {
    if (incoming.length + outgoing.length === max) {
      const instead = 'or pass an iterable or a list, whose items are read on demand'
      fail(new InvalidOption('maxBuffered', `above ${max}, ${instead}`, 'scheduleMap: '))
    } else {
      incoming.push({ value })
      pull()
    }
  }
  const complete = (): void => {
    isComplete = true
    pull()
  }
  return {
    start: () => source.pipe(takeUntil(stopped)).subscribe({ next, error: fail, complete }),
    take: () => {
      if (outgoing.length === 0) {
        outgoing = incoming.reverse()
        incoming = []
      }
      return outgoing.pop() ?? (isComplete ? { done: true, value: undefined } : undefined)
    },
    stop: () => stopped.next(),
  }
}
