import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { Observable } from 'rxjs'
import { fieldsOf } from '../../decode/unknown.js'

/**
 * Tracks whether a request of Node's `fetch` has a connection, using its diagnostics channels `undici:*`. Other runtimes
 * publish nothing, and `steps` then emits nothing.
 */
export interface ConnectionTracker {
  /** Emits `waiting` when the request starts to wait for a connection, and `connected` when it is written to one. */
  readonly steps: Observable<'waiting' | 'connected'>
  /** Runs the `fetch` to track. Must be called once, after `steps` was subscribed to. */
  readonly run: <A>(send: () => A) => A
  /** Returns how far the request got. */
  readonly departure: () => RequestProgress
}

/** `unseen`: the channels show no request. `unknown`: there was a request, but it is not tracked. */
export type RequestProgress = 'unseen' | 'unknown' | 'none' | 'written'

const REQUEST_CREATED = 'undici:request:create'
const HTTP_REQUEST_CREATED = 'http.client.request.created' // published by `node:http`, which the `fetch` of another package may use
const HEADERS_WRITTEN = 'undici:client:sendHeaders'

/**
 * One storage for all clients, and the only state at module level. On Node 22, each additional storage slows down every `await`
 * of the process. It is empty outside `run`.
 */
const storage = new AsyncLocalStorage<object>()

export const connectionTracker = (): ConnectionTracker => {
  const context = {}
  let request: unknown
  let isSeen = false
  let isWritten = false
  return {
    run: (send) => storage.run(context, send),
    departure: () => {
      if (request === undefined) return isSeen ? 'unknown' : 'unseen'
      return isWritten ? 'written' : 'none'
    },
    steps: new Observable((subscriber) => {
      const onSeen = (): void => {
        isSeen ||= storage.getStore() === context
      }
      const onCreated = (message: unknown): void => {
        if (storage.getStore() !== context) return
        isSeen = true
        const created = fieldsOf(message).request
        // the request to a proxy for the connection that the tracked request is waiting for
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
      subscribe(HTTP_REQUEST_CREATED, onSeen)
      subscribe(HEADERS_WRITTEN, onWritten)
      return () => {
        unsubscribe(REQUEST_CREATED, onCreated)
        unsubscribe(HTTP_REQUEST_CREATED, onSeen)
        unsubscribe(HEADERS_WRITTEN, onWritten)
      }
    }),
  }
}
