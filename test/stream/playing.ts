/** A list of numbered pages that come when the test says, in virtual time. */
import { asyncScheduler, map, Observable, tap, timer } from 'rxjs'
import { E, O } from '../../src/fp.js'
import {
  type Page,
  type PaginateOptions,
  type ParallelOptions,
  paginate,
} from '../../src/stream/index.js'
import { marbles } from '../support/marbles.js'

export type P = Page<string, number, number>

export const page = (position: number, next: number | undefined, items = [position]): P => ({
  items: items.map((n) => E.right(n)),
  raw: items,
  position,
  next: O.fromNullable(next),
})

/** A list with `parallel` pages requested at once. */
export const inParallel =
  (parallel: number, how: ParallelOptions = {}) =>
  (options: PaginateOptions<string, number, number>) =>
    paginate({ ...options, parallel, ...how })

interface Play {
  /** Pages there are. */
  readonly pages: number
  readonly ms?: (position: number) => number
  readonly answer?: (position: number) => E.Either<string, P>
  readonly following?: (position: number) => O.Option<number>
  readonly maxPages?: number
}

const NUMBERED = (position: number) => O.some(position + 1)

export const playing = ({
  pages,
  ms = () => 10,
  answer = (position) =>
    E.right(
      position < pages
        ? page(position, position + 1 < pages ? position + 1 : undefined)
        : page(position, undefined, []),
    ),
  following = NUMBERED,
  maxPages = 1_000,
}: Play) => {
  const log = { asked: [] as Array<string>, aborted: [] as Array<number> }
  const options = {
    first: 0,
    fetch: (position: number): Observable<E.Either<string, P>> => {
      log.asked.push(`${asyncScheduler.now()} ${position}`)
      return aborting(timer(ms(position)).pipe(map(() => answer(position))), () =>
        log.aborted.push(position),
      )
    },
    key: String,
    following,
    cut: ({ _tag }: { readonly _tag: string }, position: number) => `${_tag} ${position}`,
    maxPages,
    maxEmptyPages: 3,
  }
  return {
    log,
    options,
    list: (count: number, how?: ParallelOptions) => inParallel(count, how)(options),
    positions: () => log.asked.map((line) => Number(line.split(' ')[1])),
  }
}

/** Tells of each subscription that was given up before its value came. */
const aborting = <A>(source: Observable<A>, aborted: () => void): Observable<A> =>
  new Observable((subscriber) => {
    let got = false
    subscriber.add(() => {
      if (!got) aborted()
    })
    return source
      .pipe(
        tap(() => {
          got = true
        }),
      )
      .subscribe(subscriber)
  })

export const shown = E.matchW(String, ({ position }: P) => position)

/** Runs in virtual time; what came out. */
export const run = <A>(source: () => Observable<A>): ReadonlyArray<A> => {
  const out: Array<A> = []
  marbles((m) => {
    source().subscribe((a) => out.push(a))
    m.flush()
  })()
  return out
}
