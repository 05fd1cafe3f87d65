/**
 * ```ts
 * const watched: <S>(timer: SchedulerLike, state: IO<S>) => Watched<S>
 * ```
 *
 * Shows a state to whoever asks: at once, and then no more often than every `EVERY` while it changes. Its timer is
 * none of the scheduler's clock, which learns from those that ring late.
 */
import { Observable, type SchedulerLike, type Subscriber, type Subscription } from 'rxjs'
import type { IO } from '../fp.js'
import type { Millis } from './Clock.js'

export interface Watched<S> {
  readonly states: Observable<S>
  /** To be called after each change: it costs next to nothing when nobody looks. */
  readonly tell: () => void
}

const EVERY: Millis = 250

export const watched = <S>(timer: SchedulerLike, state: IO<S>): Watched<S> => {
  const watching = new Set<Subscriber<S>>()
  let due: Subscription | undefined

  return {
    states: new Observable((subscriber) => {
      subscriber.next(state())
      watching.add(subscriber)
      return () => {
        watching.delete(subscriber)
        if (watching.size > 0) return
        due?.unsubscribe()
        due = undefined
      }
    }),
    tell: () => {
      if (due !== undefined || watching.size === 0) return
      due = timer.schedule(() => {
        due = undefined
        const now = state()
        for (const subscriber of watching) subscriber.next(now)
      }, EVERY)
    },
  }
}
