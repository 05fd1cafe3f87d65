import { asyncScheduler, Observable, type SchedulerLike, Subject, takeUntil } from 'rxjs'
import { E, O } from '../fp.js'
import { checkOptions, is, required } from '../options/index.js'
import type { Millis } from './Backoff.js'
import type { ObservableEither } from './either/ObservableEither.js'
import { later } from './later.js'

interface RetryState<V> {
  readonly number: number
  readonly held: Array<V> // what came, and is given in its turn
  at: number // what comes next of it: to shift an array is to move all of it
  ended: boolean
}

const rules = { after: required(is.fn()), timer: required(is.rxScheduler()) }

/**
 * Subscribes again, later, when a `Left` comes out and `after` has a pause for it. A `Left` without a
 * pause is passed on, and so is the last one. Pauses are those of `timer`, by default
 * `asyncScheduler`. Throws an `InvalidOption` for an `after` that is no function, such as a number of
 * attempts, or a `timer` that is none.
 *
 *     first try         --L|
 *     second try             --R|
 *     retry(in 3)       -------R|
 */
export const retry = <E>(
  after: (failure: E, attempt: number) => O.Option<Millis>,
  timer: SchedulerLike = asyncScheduler,
) => {
  checkOptions({ after, timer }, rules, { context: 'retry: ' })
  return <A>(source: ObservableEither<E, A>): ObservableEither<E, A> =>
    new Observable((out) => {
      const unsubscribed = new Subject<void>()
      const attempts: Array<RetryState<E.Either<E, A>>> = [] // not done with; it is the last one's turn
      let waiting = true // for the next attempt: nothing is given before it
      let due: number | undefined = 1 // the next attempt, when its pause is over
      let giving = false
      let starting = false
      const error = (bug: unknown): void => out.error(bug)

      const start = (number: number): void => {
        const attempt: RetryState<E.Either<E, A>> = { number, held: [], at: 0, ended: false }
        attempts.push(attempt)
        source.pipe(takeUntil(unsubscribed)).subscribe({
          next: (value) => {
            attempt.held.push(value)
            step()
          },
          error,
          complete: () => {
            attempt.ended = true
            if (attempt.held.length === 0) attempts.splice(attempts.lastIndexOf(attempt), 1)
            step()
          },
        })
      }

      const give = (value: E.Either<E, A>, number: number): void => {
        const pause = E.isLeft(value) ? after(value.left, number) : O.none
        waiting = O.isSome(pause)
        const next = (): void => {
          due = number + 1
          step()
        }
        if (O.isNone(pause)) out.next(value)
        else later(pause.value, timer).pipe(takeUntil(unsubscribed)).subscribe({ next, error })
      }

      /** Loops: attempts that start each other from within would overflow the stack, without a word. */
      const step = (): void => {
        if (giving) return
        giving = true
        try {
          while (!waiting && !out.closed) {
            const attempt = attempts.at(-1)
            if (attempt === undefined) out.complete()
            const value = attempt?.held[attempt.at]
            if (attempt === undefined || value === undefined) break
            if (++attempt.at === attempt.held.length) {
              attempt.held.length = 0
              attempt.at = 0
              if (attempt.ended) attempts.pop()
            }
            give(value, attempt.number)
          }
        } catch (bug) {
          error(bug)
        }
        giving = false
        if (starting) return
        starting = true
        for (let next = due; next !== undefined && !out.closed; next = due) {
          due = undefined
          waiting = false
          start(next)
        }
        starting = false
      }

      // before the first: while values come at once, there is no subscription to end yet
      out.add(() => unsubscribed.next())
      step()
    })
}
