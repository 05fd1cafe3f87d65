import { EMPTY, Observable } from 'rxjs'
import type { Pull } from '../../src/stream/Pull.js'

/** A source with one observable per value. Counts the values that are requested. */
export const pullOf = <P>(...answers: ReadonlyArray<Observable<P>>) => {
  const counts = { asked: 0, closed: 0, aborted: 0 }
  const pull: Pull<P> = {
    next: new Observable((subscriber) => {
      const answer = answers[counts.asked++] ?? EMPTY
      let done = false
      subscriber.add(() => {
        if (!done) counts.aborted++
      })
      return answer.subscribe({
        next: (p) => subscriber.next(p),
        error: (error: unknown) => {
          done = true
          subscriber.error(error)
        },
        complete: () => {
          done = true
          subscriber.complete()
        },
      })
    }),
    close: () => {
      counts.closed++
    },
  }
  return { pull, counts }
}
