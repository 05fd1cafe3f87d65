/** One list in four views. */
import { concatMap, type Observable, type Subscription } from 'rxjs'
import { E, type O } from '../fp.js'
import { checkArgument, is, type OptionsOf, resolveOptions, withDefault } from '../options/index.js'
import { consume, observe, type Pull } from './Pull.js'

/** One page. Its rows are decoded separately, so that a bad row is one `Left` and does not end the list. */
export interface Page<E, A, Q> {
  /** The rows in order: a `Left` for one that did not decode. */
  readonly items: ReadonlyArray<E.Either<E, A>>
  /** The undecoded rows, in the order of `items`. */
  readonly raw: ReadonlyArray<unknown>
  /** Position of this page. */
  readonly position: Q
  /** Position of the next page, if there is one. For a page delivered out of order, that of the first page not delivered. */
  readonly next: O.Option<Q>
  /** Position of the previous page, if the service names it, as lists with bookmarks do (`page_before`). */
  readonly previous?: Q
}

/** The whole pages of a list. */
export interface Pages<E, P> extends Observable<E.Either<E, P>>, AsyncIterable<E.Either<E, P>> {
  /** Iterates, reading one page ahead. `return`, `throw` and disposal abort the requests in flight. */
  readonly [Symbol.asyncIterator]: () => AsyncIteratorObject<E.Either<E, P>, undefined, unknown>
}

/** Number of pages that async iteration requests in advance. */
const PREFETCH = 1

const drainTable = {
  /**
   * Number of pages to request in advance. Default 1. With 0, each page is requested after the previous page has been consumed.
   */
  prefetch: withDefault(is.nonNegativeIntOrInfinity, PREFETCH),
}

/** Options of `drain`. */
export interface DrainOptions extends OptionsOf<typeof drainTable> {}

/**
 * One list in four views. All are lazy, and each subscription or loop reads the list again. Data flows page by page. RxJS has no
 * back-pressure: `concatMap` and `mergeMap` on single items buffer without limit, so a consumer that is slower than the service
 * should use `for await` or `drain`.
 */
export interface Paged<E, A, Q, P extends Page<E, A, Q> = Page<E, A, Q>>
  extends Observable<E.Either<E, A>>,
    AsyncIterable<E.Either<E, A>> {
  /** Iterates, reading one page ahead. `return`, `throw` and disposal abort the requests in flight. */
  readonly [Symbol.asyncIterator]: () => AsyncIteratorObject<E.Either<E, A>, undefined, unknown>
  /** Emits one value per page: the fast path. The next page is requested once this one has been consumed. */
  readonly pages: Pages<E, P>
  /**
   * Provides back-pressure for RxJS: the page after the next is requested when `project(page)` completes. Emits the values of
   * the projected streams. Throws an `InvalidOption` if `project` is not a function or an option is invalid.
   */
  readonly drain: <B>(
    project: (page: E.Either<E, P>) => Observable<B>,
    options?: DrainOptions,
  ) => Observable<B>
}

/** Returns the four views of a list. `open` returns its source of pages, given the number of pages to request in advance. */
export const views = <E, A, Q, P extends Page<E, A, Q> = Page<E, A, Q>>(
  open: (prefetch: number) => Pull<E.Either<E, P>>,
): Paged<E, A, Q, P> => {
  const iterable = {
    [Symbol.asyncIterator]: () => iterate(() => open(PREFETCH)),
  }
  const pages = observe(() => open(0))
  const items = pages.pipe(concatMap((page): ReadonlyArray<E.Either<E, A>> => itemsOf(page)))
  return Object.assign(items, {
    pages: Object.assign(pages, iterable),
    drain: <B>(project: (page: E.Either<E, P>) => Observable<B>, options: DrainOptions = {}) => {
      const context = 'drain: '
      checkArgument('project', project, is.fn(), context)
      const { prefetch } = resolveOptions(options, drainTable, { context })
      return consume(project)(() => open(prefetch))
    },
    [Symbol.asyncIterator]: () => iterateItems(iterate(() => open(PREFETCH))),
  })
}

const itemsOf = <E, A, Q>(page: E.Either<E, Page<E, A, Q>>): ReadonlyArray<E.Either<E, A>> =>
  E.isLeft(page) ? [page] : page.right.items

// iterators; not generators, because their `return` would wait for the page in flight

/** Iterates over a source. `close` abandons values in flight. */
export const iterator = <T>(
  next: () => Promise<IteratorResult<T>>,
  close: () => Promise<unknown>,
): AsyncIteratorObject<T, undefined, unknown> => ({
  [Symbol.asyncIterator]() {
    return this
  },
  next,
  return: async () => {
    await close()
    return { done: true, value: undefined }
  },
  throw: async (error: unknown) => {
    await close()
    throw error
  },
  [Symbol.asyncDispose]: async () => {
    await close()
  },
})

/** Returns a function each of whose calls waits for the previous one, as in a generator. */
const inTurn = <A>(step: () => Promise<A>): (() => Promise<A>) => {
  let last: Promise<unknown> = Promise.resolve()
  return () => {
    const current = last.then(step, step)
    last = current
    return current
  }
}

/** Iterates over a source. Leaving the loop aborts requests in flight. */
const iterate = <P>(open: () => Pull<P>): AsyncIteratorObject<P, undefined, unknown> => {
  let pull: Pull<P> | undefined
  let inner: Subscription | undefined
  let finish: (() => void) | undefined
  let closed = false

  const close = (): void => {
    if (closed) return
    closed = true
    inner?.unsubscribe()
    pull?.close()
    finish?.()
  }

  const next = (): Promise<IteratorResult<P>> =>
    new Promise((resolve, reject) => {
      if (closed) return resolve({ done: true, value: undefined })
      pull ??= open()
      let result: IteratorResult<P> = { done: true, value: undefined }
      finish = () => resolve({ done: true, value: undefined })
      inner = pull.next.subscribe({
        next: (value) => {
          result = { done: false, value }
        },
        error: (error: unknown) => {
          reject(error) // first, because closing ends pending calls
          close()
        },
        complete: () => {
          if (result.done === true) close()
          resolve(result)
        },
      })
    })

  return iterator(inTurn(next), async () => close())
}

const iterateItems = <E, A, Q>(
  source: AsyncIteratorObject<E.Either<E, Page<E, A, Q>>, undefined, unknown>,
): AsyncIteratorObject<E.Either<E, A>, undefined, unknown> => {
  let items: Iterator<E.Either<E, A>> = [].values()
  let waiting = 0 // calls that are answered before any other
  let closed = false

  /** Returns the first item of the next page that has items. */
  const turn = inTurn(async (): Promise<IteratorResult<E.Either<E, A>>> => {
    while (!closed) {
      const item = items.next()
      if (item.done !== true) return item
      const page = await source.next()
      if (closed || page.done === true) break
      items = itemsOf(page.value).values()
    }
    return { done: true, value: undefined }
  })

  const queued = async (): Promise<IteratorResult<E.Either<E, A>>> => {
    waiting++
    try {
      return await turn()
    } finally {
      waiting--
    }
  }

  const next = async (): Promise<IteratorResult<E.Either<E, A>>> => {
    if (waiting > 0) return queued()
    const item = items.next()
    return item.done === true ? queued() : item
  }

  return iterator(next, async () => {
    closed = true
    items = [].values()
    await source.return?.()
  })
}
