/** The context in which the requests of a client run: that of a span, when it is instrumented. */
import { Observable, type Subscription } from 'rxjs'
import type { IO } from '../fp.js'
import { keepContext } from '../stream/asyncContext.js'

/** Runs `send`, which sends a request of a call, in a context of its own. */
export type AroundAttempt = <A>(call: number, send: IO<A>) => A

export class AttemptContext {
  #arounds: ReadonlyArray<AroundAttempt> = []
  /** Instrumentations of the client, each with the providers of telemetry that it tells. */
  readonly instrumented = new Map<Subscription, ReadonlyArray<object>>()

  /** Runs a function around each request from now on. Returns a function that ends that. */
  add(around: AroundAttempt): IO<void> {
    this.#arounds = [...this.#arounds, around]
    return () => {
      this.#arounds = this.#arounds.filter((one) => one !== around)
    }
  }

  /** Subscribes to `source` within what is around it, and emits in the context of the subscriber. */
  readonly wrap = <A>(call: number, source: Observable<A>): Observable<A> => {
    if (this.#arounds.length === 0) return source
    const within = new Observable<A>((subscriber) => {
      const send = (): unknown => source.subscribe(subscriber)
      this.#arounds.reduceRight<IO<unknown>>((inner, around) => () => around(call, inner), send)()
    })
    return within.pipe(keepContext())
  }
}

/** The key of its context in a client, which is no part of its interface. */
const KEY = Symbol.for('payments-rx.attempts')

/** Keeps the context of the requests of a client with it. */
export const withAttemptContext = <C extends object>(client: C, attempts: AttemptContext): C =>
  Object.defineProperty(client, KEY, { value: attempts })

/** Returns the context of the requests of a client; `undefined` for what is no client. */
export const attemptContextOf = (client: object): AttemptContext | undefined => {
  const found: unknown = Reflect.get(client, KEY)
  return found instanceof AttemptContext ? found : undefined
}
