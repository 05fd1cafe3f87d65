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
 * Starts the source when every tier of the scheduler has room for `request`.
 *
 *     source                  --a|
 *     schedule, room in 3     -----a|
 *     refused, room in 10     --r       then again, after backoff, through all tiers
 *
 * One subscription is one request, however many values the source emits: a stream of many items would take one permit
 * and pass all of them on. To run something for each item of a stream, use `scheduleMap`.
 *
 * Permits are held until the source completes or fails, and in a rolling window for as long as the server counts the
 * request. Unsubscribing while the source waits leaves the queue, with no permit taken and nothing sent.
 * Unsubscribing later keeps the permits for as long as the server may be at work. The source runs in the async
 * context (`AsyncLocalStorage`) of its subscriber.
 *
 * Fails with an `InvalidOption` for an unknown lane or impossible `attempts`.
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

/** Options of `scheduleMap`. `R`: what the tiers of the scheduler take their keys from. */
export interface ScheduleMapOptions<in A, in B, out R> extends ScheduleOptions<B> {
  /**
   * The request that an item stands for: what the tiers take their keys from. Needed if one of them has a key. Items for
   * which it throws run nevertheless, and are counted together as one key: the first error is reported on stderr.
   */
  readonly key?: ((item: A) => R) | undefined
  /** Items that may be buffered of a source that pushes; one more is an `InvalidOption`. Default 100,000. */
  readonly maxBuffered?: number | undefined
}

/** `key` may be left out where no tier of the scheduler has one. */
type GivenOptions<A, B, R> = undefined extends R
  ? [options?: ScheduleMapOptions<A, B, R>]
  : [options: ScheduleMapOptions<A, B, R> & { readonly key: (item: A) => R }]

/** Items that can be pulled, or that an Observable pushes. */
export type ItemSource<A> = Iterable<A> | AsyncIterable<A> | Observable<A>

const MAX_BUFFERED = 100_000
/**
 * Items of a pulled source that wait for keys without room, while others may have room: the longest run of one key, in
 * a source that is sorted by key, that does not hold up the next one. Half a megabyte of tasks.
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
 *     limit 2 a window
 *     project(a), (b)  a-b----------
 *     project(c), (d)  -----------c-d---
 *
 * It has as many results under way as the limits allow, and takes no more items than can run. An iterable, an async
 * iterable and a list of the client are pulled, item by item: `pipe(items, scheduleMap(...))` of fp-ts, or
 * `list.pipe(scheduleMap(...))`. An Observable pushes its items, so those that must wait are buffered, at most
 * `maxBuffered`: prefer `scheduleMap(...)(items)` to `from(items).pipe(scheduleMap(...))`.
 *
 * Items whose key has no room let those of other keys pass: up to 1,000 items are pulled ahead for that, and an
 * Observable's are all in memory anyway.
 *
 * Fails as soon as the source, `project` or a result fails; everything under way is then cancelled, as it is by
 * unsubscribing. Throws an `InvalidOption` for an option that cannot work.
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
    const needed = 'a function, since a tier of the scheduler has a key, and is missing'
    throw new InvalidOption('key', needed, 'scheduleMap: ')
  }
  const warn = warnOnce('the option key of scheduleMap')
  const requestOf = (item: A): R => {
    if (key === undefined) return undefined as R // see `GivenOptions`
    try {
      return key(item)
    } catch (error) {
      warn(error)
      return KEYLESS as R // which no tier's `key` is asked about
    }
  }
  return (source) =>
    new Observable((subscriber) => {
      let [index, active, waiting] = [0, 0, 0] // `waiting`: those of the active that must wait for a permit
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

/** Items that are taken one by one. */
interface Items<A> {
  readonly start?: () => void
  /** `undefined`: there is none yet. `pull` is called when there is. */
  readonly take: () => IteratorResult<A, unknown> | undefined
  /** `isDone`: the last item was taken. */
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
      if (!isDone) iterator.return?.().then(undefined, () => {}) // the subscriber has left: its error comes too late
    },
  }
}

const pushedItems = <A>(
  source: Observable<A>,
  max: number,
  { pull, fail }: PullReceiver,
): Items<A> => {
  let incoming: Array<IteratorYieldResult<A>> = []
  let outgoing: Array<IteratorYieldResult<A>> = [] // last one first
  let isComplete = false
  const stopped = new Subject<void>()
  const next = (value: A): void => {
    if (incoming.length + outgoing.length === max) {
      const instead = 'or the source an iterable or a list, which is pulled'
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
