import {
  defer,
  finalize,
  ignoreElements,
  merge,
  mergeMap,
  type Observable,
  Subject,
  tap,
} from 'rxjs'

/**
 * `mergeMap`, but flat. RxJS starts what waits from within the end of the one before: when a thousand streams
 * that wait complete at once, their frames overflow the stack, and the whole is lost without a word. In a
 * loop, none is nested in another.
 */
export const mergeFlat =
  <A, B>(project: (a: A) => Observable<B>, concurrent = Number.POSITIVE_INFINITY) =>
  (source: Observable<A>): Observable<B> => {
    if (concurrent === Number.POSITIVE_INFINITY) return source.pipe(mergeMap((a) => project(a))) // none waits
    return defer(() => {
      const starting = new Subject<() => Observable<B>>()
      let first: Waiting<B> | undefined
      let last: Waiting<B> | undefined
      let running = 0
      let ended = false
      let filling = false

      const fill = (): void => {
        if (filling) return
        filling = true
        while (running < concurrent && first !== undefined) {
          const { start } = first
          first = first.next
          running++
          starting.next(start)
        }
        filling = false
        if (ended && first === undefined) starting.complete()
      }

      const started = starting.pipe(
        mergeMap((start) => {
          let completed = false
          return start().pipe(
            tap({ complete: () => (completed = true) }),
            finalize(() => {
              if (!completed) return // nobody listens any more
              running--
              fill()
            }),
          )
        }),
      )
      const fed = source.pipe(
        tap({
          next: (a) => {
            const next = { start: () => project(a) }
            if (first === undefined || last === undefined) first = next
            else last.next = next
            last = next
            fill()
          },
          complete: () => {
            ended = true
            fill()
          },
        }),
        ignoreElements(),
      )
      return merge(started, fed)
    })
  }

/** A list, since an array moves all that is behind what it loses. */
interface Waiting<B> {
  readonly start: () => Observable<B>
  next?: Waiting<B>
}
