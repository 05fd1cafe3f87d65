import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { Observable } from 'rxjs'
import { fieldsOf } from '../../decode/unknown.js'

// model

/**
 * Tracks whether a request of Node's `fetch` has a connection, by its diagnostics channels `undici:*`. Other runtimes
 * publish nothing: then `steps` emits nothing.
 */
export interface ConnectionTracker {
  /** `waiting` when the request waits for a connection, `connected` when it is written to one. */
  readonly steps: Observable<'waiting' | 'connected'>
  /** Runs the `fetch` to track, once, after `steps` was subscribed to. */
  readonly run: <A>(send: () => A) => A
  /** Returns true if the request was written to a connection. */
  readonly departure: () => RequestProgress
}

/** `unknown` if nothing was published about the request. */
export type RequestProgress = 'none' | 'written' | 'unknown'

const REQUEST_CREATED = 'undici:request:create'
const HEADERS_WRITTEN = 'undici:client:sendHeaders'

/**
 * One for all clients, as the only state of a module: on Node 22, each further one slows every `await` of the process.
 * It holds nothing by itself.
 */
const storage = new AsyncLocalStorage<object>()

// constructors

export const connectionTracker = (): ConnectionTracker => {
  const context = {}
  let request: unknown
  let isWritten = false
  return {
    run: (send) => storage.run(context, send),
    departure: () => (request === undefined ? 'unknown' : isWritten ? 'written' : 'none'),
    steps: new Observable((subscriber) => {
      const onCreated = (message: unknown): void => {
        if (storage.getStore() !== context) return
        const created = fieldsOf(message).request
        // asks a proxy for the connection that the request waits for
        if (fieldsOf(created).method === 'CONNECT') return
        request = created
        subscriber.next('waiting')
      }
      const onWritten = (message: unknown): void => {
        if (request !== undefined && fieldsOf(message).request === request) {
          isWritten = true
          subscriber.next('connected')
        }
      }
      subscribe(REQUEST_CREATED, onCreated)
      subscribe(HEADERS_WRITTEN, onWritten)
      return () => {
        unsubscribe(REQUEST_CREATED, onCreated)
        unsubscribe(HEADERS_WRITTEN, onWritten)
      }
    }),
  }
}
