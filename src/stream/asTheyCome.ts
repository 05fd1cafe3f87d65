import { Observable, type Subscriber, Subscription } from 'rxjs'
import { E, O } from '../fp.js'
import { askAhead } from './askAhead.js'
import type { Pull } from './Pull.js'
import { type Page, type PaginateOptions, paginate } from './paginate.js'

/**
 * As `parallel`, but a page need not wait for those before it. What decides how the list goes on is
 * still read in order: a last page, an empty one, one that repeats another and one that failed wait
 * for their turn. A page that is late holds up no other, until `width` are asked for. The `next` of a page that
 * came before its turn is the first page that has not come: who goes on there misses none.
 *
 *     page 0    ---0
 *     page 1       ------1             width 3
 *     page 2       ---2
 *     page 3             ---3
 */
export const asTheyCome =
  (width: number) =>
  <E, A, Q>(options: PaginateOptions<E, A, Q>) =>
  (): Pull<E.Either<E, Page<E, A, Q>>> => {
    type Turn = E.Either<E, Page<E, A, Q>>
    const ready = new Map<string, Page<E, A, Q>>() // came before their turn
    const taken = new Set<string>() // and were taken before it, too
    let missing: O.Option<Q> = O.none // the page whose turn it is
    let taker: Subscriber<Turn> | undefined
    let turn: Turn | undefined // came in its turn
    let reading = Subscription.EMPTY
    let waiting = false // for the page whose turn it is
    let ended = false
    let bug: { readonly error: unknown } | undefined
    let stepping = false
    let given = 0 // pages

    const pages = askAhead(width, options, (page) => {
      ready.set(options.key(page.position), page)
      step()
    })
    const inOrder = paginate({
      ...options,
      fetch: (position) => {
        missing = O.some(position)
        return pages.fetch(position)
      },
      cut: (cut, position) => options.cut(cut, position, given),
    })()

    /** Reads the page whose turn it is: all before it have been consumed. */
    const read = (): void => {
      let got = false
      waiting = true
      reading = inOrder.next.subscribe({
        next: (page) => {
          got = true
          if (E.isLeft(page)) {
            ready.clear()
            pages.end()
          }
          const key = E.isRight(page) ? options.key(page.right.position) : undefined
          if (key !== undefined) ready.delete(key)
          if (key === undefined || !taken.delete(key)) turn = page
        },
        error: (error: unknown) => {
          bug = { error }
          step()
        },
        complete: () => {
          waiting = false
          ended ||= !got
          step()
        },
      })
    }

    const give = (page: Turn): void => {
      const to = taker
      taker = undefined
      if (E.isRight(page)) given++
      to?.next(page)
      to?.complete()
    }

    /** A loop, not a recursion: who is given a page may ask for the next from within. */
    const step = (): void => {
      if (stepping) return
      stepping = true
      while (taker !== undefined) {
        const [first] = ready
        if (bug !== undefined) {
          taker.error(bug.error)
          taker = undefined
        } else if (turn !== undefined) {
          const page = turn
          turn = undefined
          give(page)
        } else if (!waiting && !ended) {
          read()
        } else if (first !== undefined) {
          ready.delete(first[0])
          taken.add(first[0])
          give(E.right({ ...first[1], next: ended ? O.none : missing }))
        } else if (ended) {
          taker.complete()
          taker = undefined
        } else break
      }
      stepping = false
    }

    return {
      next: new Observable((subscriber) => {
        taker = subscriber
        step()
        return () => {
          if (taker === subscriber) taker = undefined
        }
      }),
      close: () => {
        ended = true
        ready.clear()
        reading.unsubscribe()
        pages.close()
        inOrder.close()
      },
    }
  }
