import { catchError, defer, of, Subscription, throwIfEmpty } from 'rxjs'
import { E, O, withoutPrototype } from '../fp.js'
import { checkArgument, is, type OptionsOf, resolveOptions, withDefault } from '../options/index.js'
import type { ObservableEither } from './either/ObservableEither.js'
import { type Page, type Paged, views } from './Paged.js'
import { type PagePlan, type PageRequest, pullPages } from './Pull.js'

// model

/** Why a list was given up although the service did not end it. */
export type Cut<E, Q> =
  | { readonly _tag: 'Failed'; readonly failure: E }
  | { readonly _tag: 'Repeated'; readonly next: Q }
  | { readonly _tag: 'SameRows' }
  | { readonly _tag: 'OnlyEmpty'; readonly pages: number }
  | { readonly _tag: 'TooLong'; readonly pages: number }

const parallelTable = {
  /** `false`: pages are delivered as they come. Default `true`. */
  ordered: withDefault(is.boolean, true),
}

/** How pages that are requested in parallel are delivered. */
export interface ParallelOptions extends OptionsOf<typeof parallelTable> {}

export interface Parallel extends ParallelOptions {
  /** The most requests under way at once. By default pages are requested one after the other. */
  readonly parallel?: number
}

/** How a list is read, and when it is given up. */
export interface PaginateOptions<E, A, Q> extends Parallel {
  /** Position of the first page. */
  readonly first: Q
  /** Requests one page. */
  readonly fetch: (position: Q) => ObservableEither<E, Page<E, A, Q>>
  /** Identifies a position: two with the same key are the same page. */
  readonly key: (position: Q) => string
  /** Returns the position after this one, where it is known before the page has come. `parallel` needs it. */
  readonly following?: (position: Q) => O.Option<Q>
  /** Identifies the rows of a page: two with the same mark are one page under two positions. */
  readonly mark?: (page: Page<E, A, Q>) => O.Option<string>
  /** Returns whether the rows of a page may come again by chance: then it counts as empty. Default: none may. */
  readonly mayRepeat?: (page: Page<E, A, Q>) => boolean
  /** Makes the failure that ends a list which was cut at `position`, after `pages` pages. */
  readonly cut: (cut: Cut<E, Q>, position: Q, pages: number) => E
  /** The most pages that a list may have. */
  readonly maxPages: number
  /** The most pages without a new row, one after the other, before the list is given up. */
  readonly maxEmptyPages: number
}

/** A requested page whose turn, in the order of the list, has not come. */
interface Slot<E, A, Q> {
  readonly position: Q
  readonly flight: Subscription
  answer?: PageAnswer<E, A, Q>
  /** May be delivered before its turn. */
  isEarly: boolean
  isDelivered: boolean
}

type PageAnswer<E, A, Q> = E.Either<E, Page<E, A, Q>> | Bug

interface Bug {
  readonly _tag: 'Bug'
  readonly error: unknown
}

/** The conclusion after the last page. */
type End<E, Q> =
  | Bug
  | { readonly _tag: 'Complete' }
  | { readonly _tag: 'Cut'; readonly cut: Cut<E, Q>; readonly position: Q }

/** Checks the arguments of `list.parallel`. Throws an `InvalidOption`. */
export const inParallel = (parallel: number, options: ParallelOptions = {}): Parallel => {
  checkArgument('parallel', parallel, is.positiveIntOrInfinity)
  return { parallel, ...resolveOptions(options, parallelTable, { context: 'parallel: ' }) }
}

const nothingCame = (): Error => new Error('fetch should emit a page, and emitted nothing')

// constructors

/**
 * A list, page by page. It ends when a page has no next one, and otherwise with a `Left`: for a page that
 * failed, a position that came before, rows that came before under another position, an endless run of pages
 * without a new row, or more than `maxPages` pages. Throws an `InvalidOption` for a number that is none.
 *
 * With `parallel` it begins with one request, and each page that goes on allows two more: a list of `p` pages
 * costs fewer than `2p` and fewer than `parallel` requests past its end. Where positions are not known before
 * their pages have come, it stays one page ahead. With `ordered: false` a page need not wait for those before
 * it, unless it decides how the list goes on: a last page, an empty one, one with rows that came before, and
 * one that failed wait for their turn.
 *
 *     page 0    ---0
 *     page 1       ------1             parallel 3
 *     page 2       ---2
 *     page 3             ---3
 *     ordered   ---0-----(12)3
 *     else      ---0--2--1--3
 */
export const paginate = <E, A, Q>(given: PaginateOptions<E, A, Q>): Paged<E, A, Q> => {
  const options = withoutPrototype(given)
  const { first, following = () => O.none, parallel, maxPages, maxEmptyPages } = options
  checkArgument('maxPages', maxPages, is.positiveIntOrInfinity)
  checkArgument('maxEmptyPages', maxEmptyPages, is.nonNegativeIntOrInfinity)
  if (parallel !== undefined) checkArgument('parallel', parallel, is.positiveIntOrInfinity)

  const widthFor = (prefetch: number): number => {
    if (parallel === undefined) return prefetch + 1
    return O.isSome(following(first)) ? Math.max(parallel, prefetch + 1) : Math.max(2, prefetch + 1)
  }
  return views((prefetch) => {
    const width = widthFor(prefetch)
    return pullPages(listPlan(options, width), { width: () => width })
  })
}

/**
 * How many more requests each page that goes on allows. Pages that come together allow three times as many: a
 * width of 10 is reached in three round trips. A list of two pages costs two requests too many.
 */
const MORE = 2

const listPlan = <E, A, Q>(
  options: PaginateOptions<E, A, Q>,
  width: number,
): PagePlan<PageAnswer<E, A, Q>, E.Either<E, Page<E, A, Q>>> => {
  type P = Page<E, A, Q>
  const { fetch, key, mark = () => O.none, cut, maxPages, maxEmptyPages } = options
  const { parallel, following = () => O.none, ordered = true, mayRepeat = () => false } = options

  const slots: Array<Slot<E, A, Q>> = [] // in the order of the list
  const inTurn: Array<P> = [] // read in the order of the list, and not delivered
  let turn = options.first // position of the page whose turn it is
  let end: End<E, Q> | undefined
  let delivered = 0

  const drop = (from: number): void => {
    for (const { flight } of slots.splice(from)) flight.unsubscribe()
  }

  // in the order of the list

  const keys = new Set<string>()
  const marks = new Set<string>()
  let empty = 0 // pages in a row without a new row

  const isRepeated = (page: P, known: Set<string>): boolean => {
    const rows = mark(page)
    return O.isSome(rows) && known.size === known.add(rows.value).size
  }

  /** Returns why the list may not go on to `position`, if it may not. */
  const objection = (position: Q): Cut<E, Q> | undefined => {
    if (keys.has(key(position))) return { _tag: 'Repeated', next: position }
    if (empty > maxEmptyPages) return { _tag: 'OnlyEmpty', pages: empty }
    return keys.size >= maxPages ? { _tag: 'TooLong', pages: keys.size } : undefined
  }

  /** Reads the page whose turn it is. Returns the end of the list, if that is after it, or in its place. */
  const read = (
    { position, isDelivered }: Slot<E, A, Q>,
    answer: PageAnswer<E, A, Q>,
  ): End<E, Q> | undefined => {
    const cutHere = (cut: Cut<E, Q>): End<E, Q> => ({ _tag: 'Cut', cut, position })
    if (answer._tag === 'Bug') return answer
    if (E.isLeft(answer)) return cutHere({ _tag: 'Failed', failure: answer.left })
    const page = answer.right
    const isKnown = isRepeated(page, marks)
    if (isKnown && !mayRepeat(page)) return cutHere({ _tag: 'SameRows' })
    if (!isDelivered) inTurn.push(page)
    keys.add(key(position))
    empty = isKnown || page.items.length === 0 ? empty + 1 : 0
    if (O.isNone(page.next)) return { _tag: 'Complete' }
    turn = page.next.value
    const wrong = objection(turn)
    return wrong && { _tag: 'Cut', cut: wrong, position: turn }
  }

  const readInTurn = (): void => {
    for (let [slot] = slots; slot?.answer !== undefined; [slot] = slots) {
      slots.shift()
      end = read(slot, slot.answer)
      if (end !== undefined) drop(0)
      const [after] = slots
      if (after !== undefined && key(after.position) !== key(turn)) guessAnew()
    }
  }

  // ahead of their turn

  const marksCame = new Set<string>()
  let reach = 1 // slots there may be
  let isStopped = false // nothing after the last slot is known to be wanted

  const guessAnew = (): void => {
    drop(0)
    isStopped = false
    reach = 1
  }

  const goesOn = ({ position, next }: P): boolean => {
    const guess = following(position)
    return O.isSome(next) && O.isSome(guess) && key(next.value) === key(guess.value)
  }

  const receive = (slot: Slot<E, A, Q>, answer: PageAnswer<E, A, Q>): void => {
    slot.answer = answer
    if (answer._tag === 'Right' && goesOn(answer.right)) {
      const isNew = !isRepeated(answer.right, marksCame)
      slot.isEarly = !ordered && isNew && answer.right.items.length > 0
      reach = Math.min(width, reach + MORE)
    } else {
      isStopped = true
      drop(slots.indexOf(slot) + 1)
    }
  }

  const guess = (): O.Option<Q> => {
    const last = slots.at(-1)
    if (last === undefined) return O.some(turn)
    const isAllowed = !isStopped && slots.length < reach && keys.size + slots.length < maxPages
    return parallel !== undefined && isAllowed ? following(last.position) : O.none
  }

  const request = (position: Q): PageRequest<PageAnswer<E, A, Q>> => {
    const flight = new Subscription()
    const slot: Slot<E, A, Q> = { position, flight, isEarly: false, isDelivered: false }
    slots.push(slot)
    return {
      flight,
      answer: defer(() => fetch(position)).pipe(
        throwIfEmpty(nothingCame),
        // like a failure, it waits until the pages before it are delivered
        catchError((error: unknown) => of<Bug>({ _tag: 'Bug', error })),
      ),
      receive: (answer) => {
        receive(slot, answer)
        readInTurn()
      },
    }
  }

  // to the consumer

  const deliverEnd = (how: End<E, Q>): E.Either<E, P> | undefined => {
    if (how._tag === 'Bug') throw how.error
    if (how._tag === 'Complete') return undefined
    end = { _tag: 'Complete' }
    return E.left(cut(how.cut, how.position, delivered))
  }

  const deliverEarly = (): E.Either<E, P> | undefined => {
    const slot = slots.find(({ isEarly, isDelivered }) => isEarly && !isDelivered)
    if (slot?.answer?._tag !== 'Right') return undefined
    slot.isDelivered = true
    delivered++
    return E.right({ ...slot.answer.right, next: O.some(turn) })
  }

  return {
    next: () => (end === undefined ? O.toUndefined(O.map(request)(guess())) : undefined),
    ready: () =>
      inTurn.length +
      slots.filter(({ answer, isDelivered }) => answer !== undefined && !isDelivered).length,
    deliver: () => {
      const page = inTurn.shift()
      if (page === undefined) return end === undefined ? deliverEarly() : deliverEnd(end)
      delivered++
      return E.right(page)
    },
    isDone: () => end?._tag === 'Complete' && inTurn.length === 0,
    cancel: () => drop(0),
  }
}
