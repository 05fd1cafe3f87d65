/** One list, seen four ways. */
import { concatMap, type Observable, type Subscription } from 'rxjs'
import { E, type O } from '../fp.js'
import { checkArgument, is, type OptionsOf, resolveOptions, withDefault } from '../options/index.js'
import { consume, observe, type Pull } from './Pull.js'

// model

/** One page. Its rows are decoded one by one, so that a bad row is one `Left` and ends nothing. */
export interface Page<E, A, Q> {
  /** Its rows, in order: a `Left` for one that did not decode. */
  readonly items: ReadonlyArray<E.Either<E, A>>
  /** The rows as they came, in the order of `items`. */
  readonly raw: ReadonlyArray<unknown>
  /** Position of this page. */
  readonly position: Q
  /** Position of the next page, if there is one; of a page delivered out of order, the first page not delivered. */
  readonly next: O.Option<Q>
}

/** The pages of a list, whole. */
export interface Pages<E, P> extends Observable<E.Either<E, P>>, AsyncIterable<E.Either<E, P>> {
  /** Iterates one page ahead. Its `return`, `throw` and disposal abort what is on its way. */
  readonly [Symbol.asyncIterator]: () => AsyncIteratorObject<E.Either<E, P>, undefined, unknown>
}

/** Pages that async iteration requests before they are wanted. */
const PREFETCH = 1

const drainTable = {
  /** Pages that are requested before they are wanted. Default 1; with 0, each waits for the one before. */
  prefetch: withDefault(is.nonNegativeIntOrInfinity, PREFETCH),
}

/** How far `drain` reads ahead. */
export interface DrainOptions extends OptionsOf<typeof drainTable> {}

/**
 * One list, seen four ways; all are lazy, and each subscription or loop reads the list anew. The
 * unit of flow is the page. RxJS has no demand: `concatMap` and `mergeMap` behind the item view buffer
 * without bound, so what is slower than the service reads with `for await` or `drain`.
 */
export interface Paged<E, A, Q, P extends Page<E, A, Q> = Page<E, A, Q>>
  extends Observable<E.Either<E, A>>,
    AsyncIterable<E.Either<E, A>> {
  /** Iterates, one page ahead. Its `return`, `throw` and disposal abort what is on its way. */
  readonly [Symbol.asyncIterator]: () => AsyncIteratorObject<E.Either<E, A>, undefined, unknown>
  /** One emission a page: the fast path. The next page is asked for when this one has been taken. */
  readonly pages: Pages<E, P>
  /**
   * Back-pressure for RxJS: the page after the next is asked for when `project(page)` has completed.
   * Emits what the projected streams emit. Throws an `InvalidOption` for a `project` that is
   * no function, or an option that cannot work.
   */
  readonly drain: <B>(
    project: (page: E.Either<E, P>) => Observable<B>,
    options?: DrainOptions,
  ) => Observable<B>
}

// constructors

/** The list whose pages `open` gives, by a source that asks for so many before they are wanted. */
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

// iterators. Not generators: their `return` would wait for the page that is on its way

/** Iterates over a source; `close` gives up what is on its way. */
const iterator = <T>(
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

/** Each call waits for the one before it, as those of a generator do. */
const inTurn = <A>(step: () => Promise<A>): (() => Promise<A>) => {
  let last: Promise<unknown> = Promise.resolve()
  return () => {
    const current = last.then(step, step)
    last = current
    return current
  }
}

/** Leaving the loop aborts what is on its way. */
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
          reject(error) // first: closing ends what is pending
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
  let waiting = 0 // calls that are served before any other
  let closed = false

  /** The first item of the next page that has one. */
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
