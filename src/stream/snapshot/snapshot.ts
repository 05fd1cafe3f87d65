import { defer, Observable, of, type Subscriber, Subscription } from 'rxjs'
import { defined, E, O } from '../../fp.js'
import { checkArgument, is } from '../../options/index.js'
import type { Pull } from '../Pull.js'
import { fieldOf } from './Field.js'
import { type Ready, readAhead } from './readAhead.js'
import type { SnapshotPage } from './Slice.js'
import type { SnapshotCut, SnapshotOptions } from './SnapshotOptions.js'
import type { Walk } from './Walk.js'

// model

type Ended<E> = { readonly cut: SnapshotCut<E> } | { readonly bug: unknown }

// constructors

/**
 * A list that moves, as it stood: every row that is in it from start to end comes once, whatever comes
 * and goes meanwhile. Its time is cut into slices; each is walked by asking for all from here on, which
 * one answer tells truly up to its last second. Up to `width` slices are walked at a time: whoever is
 * done takes over a part of the longest. Answers asked for less pages consumed never exceed `width`. Throws an
 * `InvalidOption` for a `width` that is no count.
 *
 *     time      |----------------------------------------|
 *     slice 1   ====>====>====>==|
 *     slice 2                    |====>====>==|
 *     slice 3                                 |====>=====|
 */
export const snapshot = (width: number) => {
  checkArgument('width', width, is.positiveIntOrInfinity)
  return <E, A>({ position: start, list, time, key, cut }: SnapshotOptions<E, A>) =>
    (): Pull<E.Either<E, SnapshotPage<E, A>>> => {
      type Turn = E.Either<E, SnapshotPage<E, A>>
      const field = fieldOf(start, width)
      const read = readAhead<E, A>(field, { list, time, key })
      const ready: Array<Ready<E, A>> = []
      const flights = new Subscription()
      let asked = 0 // answers on their way
      let working = 0 // on the page that was delivered last
      let pages = 0
      let taker: Subscriber<Turn> | undefined
      let ended: Ended<E> | undefined
      let stepping = false

      // asking

      const ask = (walk: Walk): void => {
        walk.busy = true
        asked++
        flights.add(
          defer(() => read(walk)).subscribe({
            next: (came) => {
              if (E.isLeft(came)) ended = { cut: came.left }
              else if (O.isSome(came.right)) ready.push(came.right.value)
            },
            error: (bug: unknown) => {
              ended = { bug }
              step()
            },
            complete: () => {
              walk.busy = false
              asked--
              step()
            },
          }),
        )
      }

      // delivering

      const pageOf = ({ walk, span, rows }: Ready<E, A>): SnapshotPage<E, A> => {
        const slice = field.deliver(walk, span, rows.items.length)
        const again = { ...span, number: slice.number, rows: 0, left: span }
        return {
          items: rows.items,
          raw: rows.raw,
          ...defined({ texts: rows.texts }),
          slice,
          position: { from: start.from, to: start.to, slices: [again], cut: slice.number },
          next: field.isDone() ? O.none : O.some(field.position()),
        }
      }

      const give = (to: Subscriber<Turn>, turn: Turn): void => {
        working = 1
        to.next(turn)
        to.complete()
      }

      /** Gives who waits what there is for it; whether there was anything. */
      const deliver = (to: Subscriber<Turn>): boolean => {
        const first = ready.shift()
        if (first !== undefined) {
          pages++
          give(to, E.right(pageOf(first)))
        } else if (ended !== undefined && 'bug' in ended) {
          to.error(ended.bug)
        } else if (ended !== undefined) {
          const { cut: why } = ended
          const position = field.position()
          ended = undefined
          field.clear()
          defer(() => of(E.left(cut(why, position, pages)))).subscribe(to) // also what `cut` throws
        } else if (field.isDone()) {
          to.complete()
        } else return false
        return true
      }

      /** A loop, not a recursion: who is given a page may ask for the next from within. */
      const step = (): void => {
        if (stepping) return
        stepping = true
        for (let going = true; going; ) {
          const to = taker
          if (ended !== undefined) flights.unsubscribe()
          taker = undefined
          going = to !== undefined && deliver(to)
          if (going) continue
          taker = to
          if (ended !== undefined || asked + ready.length + working >= width) break
          const walk = field.next()
          if (walk === undefined) break
          ask(walk)
          going = true
        }
        stepping = false
      }

      return {
        next: new Observable((subscriber) => {
          working = 0
          taker = subscriber
          step()
          return () => {
            if (taker === subscriber) taker = undefined
          }
        }),
        close: () => {
          field.clear()
          ready.length = 0
          flights.unsubscribe()
        },
      }
    }
}
