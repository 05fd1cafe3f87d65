import { defer, type Observable, ReplaySubject, Subscription } from 'rxjs'
import { E, O } from '../fp.js'
import type { Page, PaginateOptions } from './paginate.js'

// model

/** A page that was asked for, and is not done with. */
interface Slot<E, A, Q> {
  readonly position: Q
  readonly answer: ReplaySubject<E.Either<E, Page<E, A, Q>>>
  readonly flight: Subscription
}

/**
 * How many more may be on their way for each page that goes on. Pages that come together allow three
 * times as many: a width of 10 is reached in three round trips. A list of two pages costs two too many.
 */
const MORE = 2

/**
 * A `fetch` for `paginate` that asks for the pages after the one that is wanted as well, and tells
 * `early` of each that came before its turn, has rows, goes on as it was told and repeats no other.
 */
export const askAhead = <E, A, Q>(
  width: number,
  { fetch, key, following = () => O.none, mark = () => O.none, maxPages }: PaginateOptions<E, A, Q>,
  early: (page: Page<E, A, Q>) => void = () => {},
) => {
  /** In the order of the list; the first is the page that is wanted or worked on. */
  const slots: Array<Slot<E, A, Q>> = []
  const marks = new Set<string>() // of the pages that came
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

  /** A bug: what came before it is delivered first. */
  const breakAt = (slot: Slot<E, A, Q>, bug: unknown): void => {
    endWith(slot)
    slot.answer.error(bug)
  }

  const isAsTold = ({ position, next }: Page<E, A, Q>): boolean => {
    const told = following(position)
    return O.isSome(next) && O.isSome(told) && key(next.value) === key(told.value)
  }

  const isNew = (page: Page<E, A, Q>): boolean => {
    const rows = mark(page)
    const isKnown = O.isSome(rows) && marks.has(rows.value)
    if (O.isSome(rows)) marks.add(rows.value)
    return page.items.length > 0 && !isKnown
  }

  const ask = (position: Q): Slot<E, A, Q> => {
    const answer = new ReplaySubject<E.Either<E, Page<E, A, Q>>>(1)
    const slot: Slot<E, A, Q> = { position, answer, flight: new Subscription() }
    slots.push(slot)
    slot.flight.add(
      defer(() => fetch(position)).subscribe({
        next: (page) => {
          answer.next(page) // first: who has enough now is gone before more is asked for
          try {
            if (E.isLeft(page) || !isAsTold(page.right)) return endWith(slot)
            if (isNew(page.right) && slot !== slots[0]) early(page.right)
            reach = Math.min(width, reach + MORE)
            fill()
          } catch (bug) {
            breakAt(slot, bug) // thrown from here, it would be nobody's, and end the process
          }
        },
        error: (bug: unknown) => breakAt(slot, bug),
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
    /** The page that is worked on was the last: what is on its way is of no use. */
    end: () => {
      ended = true
      keep(1)
    },
    close: () => {
      ended = true
      keep(0)
    },
  }
}
