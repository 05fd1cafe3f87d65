/** Plays replies without a socket: a connection that breaks is a rejection or a body that errors. */
import { type SchedulerLike, Subscription } from 'rxjs'
import type { Bytes } from './account/ascii.js'
import { half, PAUSE, type Play, pieces, type Reply } from './Reply.js'

// model

/** As the `fetch` of Node has it when a connection closes: before an answer, or within the body. */
const broken = (message: 'fetch failed' | 'terminated', code: string): TypeError =>
  new TypeError(message, {
    cause: Object.assign(new Error('the sandbox closed the connection'), { code }),
  })

/** Who reads a body, and in what time. */
interface Reading {
  readonly signal: AbortSignal
  readonly timer: SchedulerLike
  /** To be called when the body is over. */
  readonly finished: () => void
}

/** A body while it is written. */
interface Writing {
  readonly to: ReadableStreamDefaultController<Bytes>
  /** Goes on later, unless the body is over by then. */
  readonly wait: (delay: number, work: () => void) => void
  /** The body is over: what waits is called off. */
  readonly end: () => void
}

// constructors

/** Tells of an abort, also of one that was before; gives what stops listening. */
const onAbort = (signal: AbortSignal, work: () => void): (() => void) => {
  if (signal.aborted) work()
  else signal.addEventListener('abort', work, { once: true })
  return () => signal.removeEventListener('abort', work)
}

/** A body that begins with `first` and goes on as `write` says, until it is cancelled. */
const body = (
  first: Bytes,
  { signal, timer, finished }: Reading,
  write: (writing: Writing) => void,
): ReadableStream<Bytes> => {
  let isOver = false
  let waiting = Subscription.EMPTY
  let deafen = (): void => {}
  const end = (): void => {
    isOver = true
    waiting.unsubscribe()
    deafen()
    finished()
  }
  const wait = (delay: number, work: () => void): void => {
    waiting = timer.schedule(() => {
      if (!isOver) work()
    }, delay)
  }
  return new ReadableStream<Bytes>({
    start: (to) => {
      deafen = onAbort(signal, () => {
        end()
        to.error(signal.reason)
      })
      if (isOver) return
      to.enqueue(first)
      write({ to, wait, end })
    },
    cancel: end,
  })
}

const streamed = (reply: Reply, reading: Reading): ReadableStream<Bytes> => {
  switch (reply.manner) {
    case 'cut-off':
      return body(half(reply), reading, ({ to, wait, end }) =>
        wait(0, () => {
          end()
          to.error(broken('terminated', 'UND_ERR_SOCKET'))
        }),
      )
    case 'slow': {
      const [first = reply.body, ...rest] = pieces(reply)
      return body(first, reading, ({ to, wait, end }) => {
        const next = (n: number): void => {
          const piece = rest[n]
          if (piece === undefined) {
            end()
            to.close()
          } else {
            to.enqueue(piece)
            wait(PAUSE, () => next(n + 1))
          }
        }
        wait(PAUSE, () => next(0))
      })
    }
    default:
      return body(half(reply), reading, () => {})
  }
}

export const inProcess =
  ({ method, signal }: Request): Play =>
  (reply, finished, timer) => {
    const init = { status: reply.status, headers: reply.headers }
    switch (reply.manner) {
      case 'whole':
        finished()
        return new Response(reply.body, init)
      case 'reset':
        finished()
        return Promise.reject(broken('fetch failed', 'ECONNRESET'))
      case 'silent':
        onAbort(signal, finished)
        return new Promise(() => {}) // the caller's signal ends the wait
      default:
        if (method === 'HEAD') {
          finished() // nobody reads a body
          return new Response(null, init)
        }
        return new Response(streamed(reply, { signal, timer, finished }), init)
    }
  }
