import {
  catchError,
  defer,
  isObservable,
  type Observable,
  of,
  Subscription,
  throwIfEmpty,
} from 'rxjs'
import { E, type IO, O, withoutPrototype } from '../fp.js'
import { checkArgument, is, type OptionsOf, resolveOptions, withDefault } from '../options/index.js'
import type { ObservableEither } from './either/ObservableEither.js'
import { type Page, type Paged, views } from './Paged.js'
import { type PagePlan, type PageRequest, pullPages } from './Pull.js'

/** The reason why reading a list stopped before its end. */
export type Cut<E, Q> =
  | { readonly _tag: 'Failed'; readonly failure: E }
  | { readonly _tag: 'Repeated'; readonly next: Q }
  | { readonly _tag: 'SameRows' }
  | { readonly _tag: 'OnlyEmpty'; readonly pages: number }
  | { readonly _tag: 'TooLong'; readonly pages: number }

const parallelTable = {
  /** `false` delivers pages in the order of arrival. Default `true`. */
  ordered: withDefault(is.boolean, true),
}

/** Options for the delivery of pages that are requested in parallel. */
export interface ParallelOptions extends OptionsOf<typeof parallelTable> {}

export interface Parallel extends ParallelOptions {
  /**
   * Maximum number of concurrent requests, or a stream of numbers. The stream is subscribed to while the list is read, and its
   * latest number applies. By default, pages are requested one after the other.
   */
  readonly parallel?: number | Observable<number>
}

/** Options for reading a list, and limits at which to give up. */
export interface PaginateOptions<E, A, Q> extends Parallel {
  /** Position of the first page. */
  readonly first: Q
  /** Requests one page. */
  readonly fetch: (position: Q) => ObservableEither<E, Page<E, A, Q>>
  /** Identifies a position: positions with the same key are the same page. */
  readonly key: (position: Q) => string
  /** Returns the position after this one, if it is known before the page arrives. Required for `parallel`. */
  readonly following?: (position: Q) => O.Option<Q>
  /** Identifies the rows of a page: two pages with equal marks are one page at two positions. */
  readonly mark?: (page: Page<E, A, Q>) => O.Option<string>
  /** Returns true if the rows of a page may legitimately repeat: the page then counts as empty. Default: never. */
  readonly mayRepeat?: (page: Page<E, A, Q>) => boolean
  /** Builds the failure for a list that stopped at `position`, after `pages` pages. */
  readonly cut: (cut: Cut<E, Q>, position: Q, pages: number) => E
  /** Maximum number of pages. */
  readonly maxPages: number
  /** Maximum number of consecutive pages without a new row. */
  readonly maxEmptyPages: number
}

/** A page that was requested but is not due yet in the order of the list. */
interface Slot<E, A, Q> {
  readonly position: Q
  readonly flight: Subscription
  answer?: PageAnswer<E, A, Q>
  /** True if the page may be delivered before its turn. */
  isEarly: boolean
  isDelivered: boolean
}

type DeliveredPage<E, A, Q> = E.Either<E, Page<E, A, Q>>
type PageAnswer<E, A, Q> = DeliveredPage<E, A, Q> | Bug

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
export const inParallel = (
  parallel: number | Observable<number>,
  options: ParallelOptions = {},
): Parallel => {
  if (!isObservable(parallel)) checkArgument('parallel', parallel, is.positiveIntOrInfinity)
  return { parallel, ...resolveOptions(options, parallelTable, { context: 'parallel: ' }) }
}

const nothingCame = (): Error => new Error('fetch should emit a page, but emitted nothing')

/**
 * Reads a list, page by page. It ends when a page has no next one, or with a `Left`: for a failed page, a repeated position,
 * repeated rows at another position, too many pages in a row without a new row, or more than `maxPages` pages. Throws an
 * `InvalidOption` for an invalid number.
 *
 * With `parallel` it starts with one request, and each page that has a next one allows two more. For a list of `p` pages, it
 * sends fewer than `2p` requests past the end, and fewer than `parallel`. If a position is not known before its page arrives,
 * it reads one page ahead. With `ordered: false` a page does not wait for those before it, unless it decides how the list
 * continues: a last page, an empty one, one with repeated rows, and a failed one wait for their turn.
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
  if (parallel !== undefined && !isObservable(parallel)) {
    checkArgument('parallel', parallel, is.positiveIntOrInfinity)
  }
  return views((prefetch) => {
    const isGuessed = parallel !== undefined && O.isSome(following(first))
    let requests = parallel === undefined ? 1 : 2
    const measuring = isGuessed
      ? (isObservable(parallel) ? parallel : of(parallel)).subscribe((n) => {
          requests = n
        })
      : Subscription.EMPTY
    const width = (): number => Math.max(requests, prefetch + 1)
    const { next, close } = pullPages(new PaginatePlan(options, width), { width })
    return {
      next,
      close: () => {
        measuring.unsubscribe()
        close()
      },
    }
  })
}

/**
 * Number of additional requests that each page with a successor allows. Pages that arrive together triple the number of
 * requests, so 10 concurrent requests are reached in three round trips. A list of two pages costs two unnecessary requests.
 */
const MORE = 2

class PaginatePlan<E, A, Q> implements PagePlan<PageAnswer<E, A, Q>, DeliveredPage<E, A, Q>> {
  readonly #options: PaginateOptions<E, A, Q>
  readonly #width: IO<number>
  readonly #order: PageOrder<E, A, Q>
  readonly #slots: Array<Slot<E, A, Q>> = [] // in the order of the list
  readonly #marksCame = new Set<string>()
  #reach = 1 // maximum number of slots
  #isStopped = false // nothing after the last slot is known to be needed
  #end: End<E, Q> | undefined
  #delivered = 0

  constructor(options: PaginateOptions<E, A, Q>, width: IO<number>) {
    this.#options = options
    this.#width = width
    this.#order = new PageOrder(options)
  }

  next(): PageRequest<PageAnswer<E, A, Q>> | undefined {
    if (this.#end !== undefined) return undefined
    return O.toUndefined(O.map((position: Q) => this.#request(position))(this.#nextPosition()))
  }

  ready(): number {
    const early = this.#slots.filter((slot) => slot.answer !== undefined && !slot.isDelivered)
    return this.#order.ready.length + early.length
  }

  deliver(): DeliveredPage<E, A, Q> | undefined {
    const page = this.#order.ready.shift()
    if (page === undefined) {
      return this.#end === undefined ? this.#deliverEarly() : this.#deliverEnd(this.#end)
    }
    this.#delivered++
    return E.right(page)
  }

  isDone(): boolean {
    return this.#end?._tag === 'Complete' && this.#order.ready.length === 0
  }

  cancel(): void {
    this.#drop(0)
  }

  // requests

  /** Returns the position to request next: the position that is due, or a guess at a later one. */
  #nextPosition(): O.Option<Q> {
    const { parallel, following = () => O.none, maxPages } = this.#options
    const slots = this.#slots
    const last = slots.at(-1)
    if (last === undefined) return O.some(this.#order.turn)
    const isLast = this.#order.pages + slots.length >= maxPages
    const isAllowed = !this.#isStopped && slots.length < this.#reach && !isLast
    return parallel !== undefined && isAllowed ? following(last.position) : O.none
  }

  #request(position: Q): PageRequest<PageAnswer<E, A, Q>> {
    const flight = new Subscription()
    const slot: Slot<E, A, Q> = { position, flight, isEarly: false, isDelivered: false }
    this.#slots.push(slot)
    return {
      flight,
      answer: defer(() => this.#options.fetch(position)).pipe(
        throwIfEmpty(nothingCame),
        // like a failure, a bug waits until the pages before it have been delivered
        catchError((error: unknown) => of<Bug>({ _tag: 'Bug', error })),
      ),
      receive: (answer) => {
        slot.answer = answer
        this.#receive(slot, answer)
        this.#readInTurn()
      },
    }
  }

  #receive(slot: Slot<E, A, Q>, answer: PageAnswer<E, A, Q>): void {
    const { ordered = true } = this.#options
    if (answer._tag === 'Right' && this.#goesOn(answer.right)) {
      const isNew = !isRepeated(this.#options, answer.right, this.#marksCame)
      slot.isEarly = !ordered && isNew && answer.right.items.length > 0
      this.#reach = Math.min(this.#width(), this.#reach + MORE)
    } else {
      this.#isStopped = true
      this.#drop(this.#slots.indexOf(slot) + 1)
    }
  }

  /** Returns true if the position after a page is the one that was guessed. */
  #goesOn({ position, next }: Page<E, A, Q>): boolean {
    const { key, following = () => O.none } = this.#options
    const guess = following(position)
    return O.isSome(next) && O.isSome(guess) && key(next.value) === key(guess.value)
  }

  #readInTurn(): void {
    const { key } = this.#options
    const slots = this.#slots
    for (let [slot] = slots; slot?.answer !== undefined; [slot] = slots) {
      slots.shift()
      this.#end = this.#order.read(slot, slot.answer)
      if (this.#end !== undefined) this.#drop(0)
      const [after] = slots
      if (after !== undefined && key(after.position) !== key(this.#order.turn)) this.#guessAnew()
    }
  }

  #guessAnew(): void {
    this.#drop(0)
    this.#isStopped = false
    this.#reach = 1
  }

  #drop(from: number): void {
    for (const { flight } of this.#slots.splice(from)) flight.unsubscribe()
  }

  // to the consumer

  #deliverEnd(end: End<E, Q>): DeliveredPage<E, A, Q> | undefined {
    if (end._tag === 'Bug') throw end.error
    if (end._tag === 'Complete') return undefined
    this.#end = { _tag: 'Complete' }
    return E.left(this.#options.cut(end.cut, end.position, this.#delivered))
  }

  #deliverEarly(): DeliveredPage<E, A, Q> | undefined {
    const slot = this.#slots.find(({ isEarly, isDelivered }) => isEarly && !isDelivered)
    if (slot?.answer?._tag !== 'Right') return undefined
    slot.isDelivered = true
    this.#delivered++
    return E.right({ ...slot.answer.right, next: O.some(this.#order.turn) })
  }
}

/** Reads pages in the order of the list, and finds its end. */
class PageOrder<E, A, Q> {
  /** Position of the page that is due. */
  turn: Q
  /** Pages that were read but not yet delivered. */
  readonly ready: Array<Page<E, A, Q>> = []
  readonly #options: PaginateOptions<E, A, Q>
  readonly #keys = new Set<string>()
  readonly #marks = new Set<string>()
  #empty = 0 // consecutive pages without a new row

  constructor(options: PaginateOptions<E, A, Q>) {
    this.#options = options
    this.turn = options.first
  }

  /** Number of pages that were read. */
  get pages(): number {
    return this.#keys.size
  }

  /** Reads the page that is due. Returns the end of the list if the end follows that page or takes its place. */
  read(
    { position, isDelivered }: Slot<E, A, Q>,
    answer: PageAnswer<E, A, Q>,
  ): End<E, Q> | undefined {
    const { key, mayRepeat = () => false } = this.#options
    if (answer._tag === 'Bug') return answer
    if (E.isLeft(answer)) return cutAt(position, { _tag: 'Failed', failure: answer.left })
    const page = answer.right
    const hasSameRows = isRepeated(this.#options, page, this.#marks)
    if (hasSameRows && !mayRepeat(page)) return cutAt(position, { _tag: 'SameRows' })
    if (!isDelivered) this.ready.push(page)
    this.#keys.add(key(position))
    this.#empty = hasSameRows || page.items.length === 0 ? this.#empty + 1 : 0
    if (O.isNone(page.next)) return { _tag: 'Complete' }
    this.turn = page.next.value
    const cut = this.#cutBefore(this.turn)
    return cut && cutAt(this.turn, cut)
  }

  /** Returns the reason why the list may not continue at `position`, if there is one. */
  #cutBefore(position: Q): Cut<E, Q> | undefined {
    const { key, maxPages, maxEmptyPages } = this.#options
    const pages = this.#keys.size
    if (this.#keys.has(key(position))) return { _tag: 'Repeated', next: position }
    if (this.#empty > maxEmptyPages) return { _tag: 'OnlyEmpty', pages: this.#empty }
    return pages >= maxPages ? { _tag: 'TooLong', pages } : undefined
  }
}

const cutAt = <E, Q>(position: Q, cut: Cut<E, Q>): End<E, Q> => ({ _tag: 'Cut', cut, position })

/** Returns true if the rows of a page have been read before, and remembers them. */
const isRepeated = <E, A, Q>(
  { mark = () => O.none }: Pick<PaginateOptions<E, A, Q>, 'mark'>,
  page: Page<E, A, Q>,
  marks: Set<string>,
): boolean => {
  const rows = mark(page)
  return O.isSome(rows) && marks.size === marks.add(rows.value).size
}
