/** The context in which a client's requests run. If telemetry is set up, it is the context of a span. */
import { Observable, type Subscription } from 'rxjs'
import type { IO } from '../fp.js'
import { keepContext } from '../stream/asyncContext.js'

/** Runs `send`, which sends one request of a call, in its own context. */
export type AroundAttempt = <A>(call: number, send: IO<A>) => A

export class AttemptContext {
  #arounds: ReadonlyArray<AroundAttempt> = []
  /** Telemetry that was set up for the client, with the providers that receive it. */
  readonly instrumented = new Map<Subscription, ReadonlyArray<object>>()

  /** Runs `around` for each request from now on. Returns a function that ends this. */
  add(around: AroundAttempt): IO<void> {
    this.#arounds = [...this.#arounds, around]
    return () => {
      this.#arounds = this.#arounds.filter((one) => one !== around)
    }
  }

  /** Subscribes to `source` inside the added functions. Emits in the context of the subscriber. */
  readonly wrap = <A>(call: number, source: Observable<A>): Observable<A> => {
    if (this.#arounds.length === 0) return source
    const within = new Observable<A>((subscriber) => {
      const send = (): unknown => source.subscribe(subscriber)
      this.#arounds.reduceRight<IO<unknown>>((inner, around) => () => around(call, inner), send)()
    })
    return within.pipe(keepContext())
  }
}

/** The key under which a client stores the context; not part of the public interface. */
const KEY = Symbol.for('payments-rx.attempts')

/** Attaches the context of its requests to a client. */
export const withAttemptContext = <C extends object>(client: C, attempts: AttemptContext): C =>
  Object.defineProperty(client, KEY, { value: attempts })

/** Returns the context of a client's requests; `undefined` if the value is not a client. */
export const attemptContextOf = (client: object): AttemptContext | undefined => {
  const found: unknown = Reflect.get(client, KEY)
  return found instanceof AttemptContext ? found : undefined
}
