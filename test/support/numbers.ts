import { Observable, of } from 'rxjs'
import { E, O } from '../../src/fp.js'
import { type Page, type Paged, paginate } from '../../src/stream/index.js'

export type Numbers = Paged<string, number, number>
export type NumberPage = Page<string, number, number>

/** A list of the numbers from 0, in pages of `size`. `send` determines how its pages arrive. */
export const numbers = (
  total: number,
  size: number,
  send: <A>(page: Observable<A>, position: number) => Observable<A> = (page) => page,
) => {
  const log = { asked: [] as Array<number>, aborted: [] as Array<number> }
  const list: Numbers = paginate<string, number, number>({
    first: 0,
    fetch: (position) => {
      const raw = Array.from(
        { length: Math.min(size, total - position * size) },
        (_, i) => position * size + i,
      )
      const page: NumberPage = {
        items: raw.map((n) => E.right(n)),
        raw,
        position,
        next: (position + 1) * size < total ? O.some(position + 1) : O.none,
      }
      return new Observable((subscriber) => {
        log.asked.push(position)
        let got = false
        subscriber.add(() => {
          if (!got) log.aborted.push(position)
        })
        return send(of(E.right(page)), position).subscribe({
          next: (ea) => {
            got = true
            subscriber.next(ea)
          },
          error: (error: unknown) => subscriber.error(error),
          complete: () => subscriber.complete(),
        })
      })
    },
    key: String,
    cut: ({ _tag }) => _tag,
    maxPages: 1_000_000,
    maxEmptyPages: 3,
  })
  return { list, log }
}

export const upTo = (n: number) => Array.from({ length: n }, (_, i) => i)
export const rightsOf = (all: ReadonlyArray<E.Either<string, number>>) =>
  all.map(E.getOrElseW(() => Number.NaN))
export const later = <A>(page: Observable<A>): Observable<A> =>
  new Observable((subscriber) => {
    const pending = setImmediate(() => page.subscribe(subscriber))
    return () => clearImmediate(pending)
  })
