/** Plays replies without a socket: a connection that breaks is a rejection or a body that errors. */
import type { Bytes } from './account/ascii.js'
import type { Settings } from './options.js'
import { half, PAUSE, type Play, pieces, type Reply } from './Reply.js'

// model

/** As the `fetch` of Node has it when a connection closes: before an answer, or within the body. */
const broken = (message: 'fetch failed' | 'terminated', code: string): TypeError =>
  new TypeError(message, {
    cause: Object.assign(new Error('the sandbox closed the connection'), { code }),
  })

// constructors

/** A body that begins with `first` and goes on as `then` says, until it is cancelled. */
const body = (
  first: Bytes,
  signal: AbortSignal,
  finished: () => void,
  then: (to: ReadableStreamDefaultController<Bytes>) => void,
): ReadableStream<Bytes> =>
  new ReadableStream<Bytes>({
    start: (to) => {
      signal.addEventListener('abort', () => {
        finished()
        to.error(signal.reason)
      })
      to.enqueue(first)
      then(to)
    },
    cancel: finished,
  })

const streamed = (
  reply: Reply,
  signal: AbortSignal,
  after: Settings['after'],
  finished: () => void,
): ReadableStream<Bytes> => {
  switch (reply.manner) {
    case 'cut-off':
      return body(half(reply), signal, finished, (to) => {
        after(0, () => {
          finished()
          to.error(broken('terminated', 'UND_ERR_SOCKET'))
        })
      })
    case 'slow': {
      const [first = reply.body, ...rest] = pieces(reply)
      return body(first, signal, finished, (to) => {
        const next = (n: number): void => {
          const piece = rest[n]
          if (signal.aborted) return
          if (piece === undefined) {
            finished()
            to.close()
          } else {
            to.enqueue(piece)
            after(PAUSE, () => next(n + 1))
          }
        }
        after(PAUSE, () => next(0))
      })
    }
    default:
      return body(half(reply), signal, finished, () => {})
  }
}

export const inProcess =
  (signal: AbortSignal): Play =>
  (reply, finished, after) => {
    const init = { status: reply.status, headers: reply.headers }
    switch (reply.manner) {
      case 'whole':
        finished()
        return new Response(reply.body, init)
      case 'reset':
        finished()
        return Promise.reject(broken('fetch failed', 'ECONNRESET'))
      case 'silent':
        signal.addEventListener('abort', finished)
        return new Promise(() => {}) // the caller's signal ends the wait
      default:
        return new Response(streamed(reply, signal, after, finished), init)
    }
  }
