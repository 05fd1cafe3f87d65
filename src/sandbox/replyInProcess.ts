/** Sends replies without a socket. A broken connection is a rejection, or an error of the body. */
import { type SchedulerLike, Subscription } from 'rxjs'
import { type BodyBytes, firstHalf, PAUSE, pieces, type Reply, type SendReply } from './Reply.js'

export const replyInProcess =
  ({ method, signal }: Request): SendReply =>
  (reply, finished, timer) => {
    const init = { status: reply.status, headers: reply.headers }
    switch (reply.delivery) {
      case 'whole':
        finished()
        return new Response(reply.body, init)
      case 'reset':
        finished()
        return Promise.reject(connectionError('fetch failed', 'ECONNRESET'))
      case 'silent':
        onAbort(signal, finished)
        return new Promise(() => {}) // the caller's signal ends the wait
      default:
        if (method === 'HEAD') {
          finished() // the body is never read
          return new Response(null, init)
        }
        return new Response(bodyOf(reply, { signal, timer, finished }), init)
    }
  }

/** Creates the error of Node's `fetch` for a connection that closes before or within a response. */
const connectionError = (message: 'fetch failed' | 'terminated', code: string): TypeError =>
  new TypeError(message, {
    cause: Object.assign(new Error('the sandbox closed the connection'), { code }),
  })

/** Calls `work` on abort, or immediately if already aborted. Returns a function that removes the listener. */
const onAbort = (signal: AbortSignal, work: () => void): (() => void) => {
  if (signal.aborted) work()
  else signal.addEventListener('abort', work, { once: true })
  return () => signal.removeEventListener('abort', work)
}

interface ReplyReader {
  readonly signal: AbortSignal
  readonly timer: SchedulerLike
  /** Must be called when the body ends. */
  readonly finished: () => void
}

interface BodyWriter {
  readonly controller: ReadableStreamDefaultController<BodyBytes>
  /** Calls `work` later, unless the body has ended by then. */
  readonly schedule: (delay: number, work: () => void) => void
  /** Ends the body, and cancels scheduled work. */
  readonly end: () => void
}

const bodyOf = (reply: Reply, reader: ReplyReader): ReadableStream<BodyBytes> => {
  switch (reply.delivery) {
    case 'cut-off':
      return bodyFrom(firstHalf(reply), reader, ({ controller, schedule, end }) =>
        schedule(0, () => {
          end()
          controller.error(connectionError('terminated', 'UND_ERR_SOCKET'))
        }),
      )
    case 'slow': {
      const [first = reply.body, ...rest] = pieces(reply)
      return bodyFrom(first, reader, ({ controller, schedule, end }) => {
        const send = (n: number): void => {
          const piece = rest[n]
          if (piece === undefined) {
            end()
            controller.close()
          } else {
            controller.enqueue(piece)
            schedule(PAUSE, () => send(n + 1))
          }
        }
        schedule(PAUSE, () => send(0))
      })
    }
    default:
      return bodyFrom(firstHalf(reply), reader, () => {})
  }
}

/** Creates a body that starts with `first` and continues with `write` until cancelled. */
const bodyFrom = (
  first: BodyBytes,
  { signal, timer, finished }: ReplyReader,
  write: (writer: BodyWriter) => void,
): ReadableStream<BodyBytes> => {
  let hasEnded = false
  let scheduled = Subscription.EMPTY
  let stopListening = (): void => {}
  const end = (): void => {
    hasEnded = true
    scheduled.unsubscribe()
    stopListening()
    finished()
  }
  const schedule = (delay: number, work: () => void): void => {
    scheduled = timer.schedule(() => {
      if (!hasEnded) work()
    }, delay)
  }
  return new ReadableStream<BodyBytes>({
    start: (controller) => {
      stopListening = onAbort(signal, () => {
        end()
        controller.error(signal.reason)
      })
      if (hasEnded) return
      controller.enqueue(first)
      write({ controller, schedule, end })
    },
    cancel: end,
  })
}
