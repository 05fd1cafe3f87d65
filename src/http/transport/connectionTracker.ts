/**
 * ```ts
 * const line: (storage: AsyncLocalStorage<unknown>) => Line
 * ```
 *
 * Whether a request has its connection. `fetch` does not tell, but Node publishes what its `fetch` does
 * (diagnostics channels `undici:*`); where nothing is published, nothing is told.
 */
import type { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { Observable } from 'rxjs'
import { fieldsOf } from '../../decode/unknown.js'

// model

export interface ConnectionTracker {
  /** `waiting` when the request waits for a connection, `connected` when it is written to one. */
  readonly steps: Observable<'waiting' | 'connected'>
  /** Runs the `fetch` that `steps` is about, once, and after someone subscribed to them. */
  readonly run: <A>(send: () => A) => A
  /** Whether the request was written to a connection, by what `steps` saw. */
  readonly departure: () => Departure
}

/** `unknown` where nothing was published of the request. */
export type Departure = 'none' | 'written' | 'unknown'

/** Tells of a request that waits for its connection. */
const CREATED = 'undici:request:create'

/** Tells of a request whose headers are written to a connection. */
const WRITTEN = 'undici:client:sendHeaders'

// constructors

export const connectionTracker = (storage: AsyncLocalStorage<unknown>): ConnectionTracker => {
  const mine = {}
  let request: unknown
  let isWritten = false
  return {
    run: (send) => storage.run(mine, send),
    departure: () => (request === undefined ? 'unknown' : isWritten ? 'written' : 'none'),
    steps: new Observable((subscriber) => {
      const created = (message: unknown): void => {
        if (storage.getStore() !== mine) return
        const made = fieldsOf(message).request
        // asks a proxy for the connection that the request waits for
        if (fieldsOf(made).method === 'CONNECT') return
        request = made
        subscriber.next('waiting')
      }
      const written = (message: unknown): void => {
        if (request !== undefined && fieldsOf(message).request === request) {
          isWritten = true
          subscriber.next('connected')
        }
      }
      subscribe(CREATED, created)
      subscribe(WRITTEN, written)
      return () => {
        unsubscribe(CREATED, created)
        unsubscribe(WRITTEN, written)
      }
    }),
  }
}
