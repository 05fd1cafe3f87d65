/** Streams written as async functions, for sequential steps with requests in between. */
import { Observable, type ObservableInput, Subscription, from as streamOf, take } from 'rxjs'
import { E } from '../../fp.js'
import type { ObservableEither } from '../../stream/either/ObservableEither.js'

/** Requests and events of an async function. After unsubscribing, no more requests are sent, and promises reject. */
export interface Flow<F, Event> {
  /** Subscribes, and resolves with the first value. A `Left` ends the stream. */
  readonly ask: <A>(source: ObservableEither<F, A>) => Promise<A>
  /** Subscribes, and resolves with the first value. */
  readonly first: <A>(source: ObservableInput<A>) => Promise<A>
  readonly emit: (event: Event) => void
}

/** Ends the stream with a `Left`. */
export class Stop<F> extends Error {
  override readonly name = 'Stop'
  readonly failure: F

  constructor(failure: F) {
    super('the stream has ended')
    this.failure = failure
  }
}

/** Creates a stream from an async function, which is called for each subscriber. */
export const flow = <F, Event>(
  body: (flow: Flow<F, Event>) => Promise<void>,
): ObservableEither<F, Event> =>
  new Observable((out) => {
    const first = <A>(source: ObservableInput<A>): Promise<A> =>
      new Promise((resolve, reject) => {
        if (out.closed) return reject(new Stop(undefined))
        const asking = new Subscription(() => reject(new Stop(undefined))) // no effect once resolved
        out.add(asking)
        asking.add(
          streamOf(source)
            .pipe(take(1))
            .subscribe({
              next: resolve,
              error: (error) => {
                reject(error)
                asking.unsubscribe()
              },
              complete: () => {
                reject(new Error('a stream ended without the expected value')) // unless resolved
                asking.unsubscribe()
              },
            }),
        )
      })
    const ask = async <A>(source: ObservableEither<F, A>): Promise<A> => {
      const answer = await first(source)
      if (E.isLeft(answer)) throw new Stop(answer.left)
      return answer.right
    }
    body({ ask, first, emit: (event) => out.next(E.right(event)) }).then(
      () => out.complete(),
      (error: unknown) => {
        if (out.closed) return
        if (!(error instanceof Stop)) return out.error(error)
        out.next(E.left(error.failure))
        out.complete()
      },
    )
  })

/** Processes values, several at a time, and pulls the next one when there is room. The first failure ends the processing. */
export const each = async <A>(
  source: Iterable<A> | AsyncIterable<A>,
  width: number,
  work: (value: A) => Promise<void>,
): Promise<void> => {
  const iterator =
    Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]()
  let isOver = false
  const worker = async (): Promise<void> => {
    while (!isOver) {
      const next = await iterator.next()
      if (next.done === true) return
      await work(next.value)
    }
  }
  try {
    await Promise.all(Array.from({ length: width }, worker))
  } finally {
    isOver = true
    await iterator.return?.()
  }
}
