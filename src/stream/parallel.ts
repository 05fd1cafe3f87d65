import { defer, type Observable, ReplaySubject, Subscription } from 'rxjs'
import { E, O } from '../fp.js'
import { type Paged, views } from './Paged.js'
import { ahead, type Pull } from './Pull.js'
import { type Page, type PaginateOptions, paginate } from './paginate.js'

// constructors

/**
 * The list as `paged` has it, with up to `count` of its pages on their way at a time. Pages asked for
 * less pages consumed never exceed `count`, or `prefetch + 1` where that is more. Where no position
 * can be told before its page came, it is read one page ahead.
 */
export const inParallel =
  (count: number) =>
  <E, A, Q>(options: PaginateOptions<E, A, Q>): Paged<E, A, Q> =>
    O.isSome(options.following?.(options.first) ?? O.none)
      ? views((prefetch) => parallel(Math.max(count, prefetch + 1))(options)())
      : views((prefetch) => ahead(Math.max(1, prefetch))(paginate(options)()))

/**
 * `paginate`, with all its guards, over pages that are asked for before their turn. It begins with one
 * page on its way, and each page that goes on allows one more, up to `width`: a list of `p` pages costs
 * fewer than `p` and fewer than `width` requests past its end. What is on its way past the end, or past
 * a page that failed, is given up as soon as that is known.
 *
 *     page 0    ---0
 *     page 1       ---1                width 3
 *     page 2       ---2
 *     page 3          ---3
 */
export const parallel =
  (width: number) =>
  <E, A, Q>(options: PaginateOptions<E, A, Q>) =>
  (): Pull<E.Either<E, Page<E, A, Q>>> => {
    const pages = asking(width, options)
    const pull = paginate({ ...options, fetch: pages.fetch })()
    return {
      next: pull.next,
      close: () => {
        pages.close()
        pull.close()
      },
    }
  }

interface Slot<E, A, Q> {
  readonly position: Q
  readonly answer: ReplaySubject<E.Either<E, Page<E, A, Q>>>
  readonly flight: Subscription
}

/** A `fetch` for `paginate` that asks for the pages after the one that is wanted as well. */
const asking = <E, A, Q>(
  width: number,
  { fetch, key, following = () => O.none, maxPages }: PaginateOptions<E, A, Q>,
) => {
  /** In the order of the list; the first is the page that is wanted or worked on. */
  const slots: Array<Slot<E, A, Q>> = []
  let reach = 1 // slots there may be
  let wanted = 0 // pages
  let ended = false // what comes after the last slot is known not to be wanted
  let filling = false

  const keep = (count: number): void => {
    for (const { flight } of slots.splice(count)) flight.unsubscribe()
  }

  const endWith = (slot: Slot<E, A, Q>): void => {
    ended = true
    keep(slots.indexOf(slot) + 1)
  }

  const isAsTold = ({ position, next }: Page<E, A, Q>): boolean => {
    const told = following(position)
    return O.isSome(next) && O.isSome(told) && key(next.value) === key(told.value)
  }

  const ask = (position: Q): Slot<E, A, Q> => {
    const answer = new ReplaySubject<E.Either<E, Page<E, A, Q>>>(1)
    const slot = { position, answer, flight: new Subscription() }
    slots.push(slot)
    slot.flight.add(
      defer(() => fetch(position)).subscribe({
        next: (page) => {
          answer.next(page) // first: who has enough now is gone before more is asked for
          if (E.isLeft(page) || !isAsTold(page.right)) return endWith(slot)
          reach = Math.min(width, reach + 1)
          fill()
        },
        error: (error: unknown) => {
          endWith(slot)
          answer.error(error)
        },
        complete: () => answer.complete(),
      }),
    )
    return slot
  }

  /** The slot of the page that is wanted now; those before it are done with. */
  const slotOf = (position: Q): Slot<E, A, Q> => {
    const at = slots.findIndex((slot) => key(slot.position) === key(position))
    if (at !== 0) wanted++
    slots.splice(0, at === -1 ? 0 : at)
    const [first] = slots
    if (first !== undefined && at !== -1) return first
    // another page than was told: what was asked ahead is of no use
    keep(0)
    ended = false
    reach = 1
    return ask(position)
  }

  const fill = (): void => {
    if (filling) return
    filling = true
    while (!ended && slots.length < reach && wanted + slots.length <= maxPages) {
      const next = O.chain(({ position }: Slot<E, A, Q>) => following(position))(
        O.fromNullable(slots.at(-1)),
      )
      if (O.isNone(next)) break
      ask(next.value)
    }
    filling = false
  }

  return {
    fetch: (position: Q): Observable<E.Either<E, Page<E, A, Q>>> => {
      const { answer } = slotOf(position)
      fill()
      return answer
    },
    close: () => {
      ended = true
      keep(0)
    },
  }
}
