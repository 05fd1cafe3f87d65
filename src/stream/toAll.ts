/**
 * Passes one value to all subscribers, in their order, when it has ended: an `AsyncSubject` for many, for `share`. The end
 * of RxJS' own takes time by the square of how many they are: for 100,000 half a minute.
 */
import { Observable, type SubjectLike, type Subscriber } from 'rxjs'

export const toAll = <A>(): SubjectLike<A> => {
  const waiting = new Set<Subscriber<A>>() // in the order in which they came
  const all = new Observable<A>((subscriber) => {
    waiting.add(subscriber)
    return () => waiting.delete(subscriber)
  })
  let last: ReadonlyArray<A> = []
  return {
    subscribe: (observer) => all.subscribe(observer),
    next: (value) => {
      last = [value]
    },
    error: (error) => {
      for (const one of waiting) one.error(error)
    },
    complete: () => {
      for (const value of last) for (const one of waiting) one.next(value)
      for (const one of waiting) one.complete()
    },
  }
}
