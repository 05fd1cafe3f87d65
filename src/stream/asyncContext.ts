import { type MonoTypeOperatorFunction, Observable } from 'rxjs'

/** A caller's async context: the contents of its `AsyncLocalStorage`s, such as the request that a logger writes for. */
export interface AsyncContext {
  runInAsyncScope<A>(work: () => A): A
}

/** Looked up rather than imported, so that bundles for browsers do not need Node. */
const hooks =
  typeof process === 'object' ? process.getBuiltinModule?.('node:async_hooks') : undefined

const OPTIONS = { requireManualDestroy: true }

/** Captures the async context of the caller; `undefined` if the runtime has none. */
export const captureContext = (): AsyncContext | undefined =>
  hooks === undefined ? undefined : new hooks.AsyncResource('payments-rx', OPTIONS)

export const runIn = <A>(context: AsyncContext | undefined, work: () => A): A =>
  context === undefined ? work() : context.runInAsyncScope(work)

/** Emits in the async context of the subscriber, whatever the context of the source is. */
export const keepContext =
  <A>(): MonoTypeOperatorFunction<A> =>
  (source) =>
    new Observable((subscriber) => {
      const context = captureContext()
      return source.subscribe({
        next: (value) => runIn(context, () => subscriber.next(value)),
        error: (error: unknown) => runIn(context, () => subscriber.error(error)),
        complete: () => runIn(context, () => subscriber.complete()),
      })
    })
