import {
  catchError,
  defer,
  finalize,
  type Observable,
  of,
  race,
  type SchedulerLike,
  Subject,
  startWith,
  switchMap,
} from 'rxjs'
import { plural } from '../../decode/plural.js'
import type { Allocate } from '../../stream/bytes.js'
import { joinBytes } from '../../stream/bytes.js'
import { type FetchResponse, type HttpResponse, isSuccess, type Timeout } from './Transport.js'
import { timeoutAfter } from './transportError.js'

export type Body = Pick<HttpResponse, 'body' | 'parts' | 'invalidBody' | 'incompleteBody'>

export interface BodyOptions {
  /** Allocates the buffer in which the chunks are joined. */
  readonly allocate: Allocate
  readonly timer: SchedulerLike
  readonly timeout: Pick<Timeout, 'body' | 'whole'>
  /** Size limit for the body of a 2xx, after decompression. */
  readonly maxBytes: number
}

/** Default limit for a 2xx: 32 MiB. A page of 2,000 charges has about 1 MB, and a body takes six times its size in memory. */
export const MAX_BYTES = 32 * 1024 * 1024

/** Limit for other statuses. Only the beginning of their bodies is useful. */
const MAX_ERROR_BYTES = 1024 * 1024

/** `invalidBody` for bytes that are not UTF-8: replacement characters would invent content. The next response may be intact. */
export const NOT_UTF8 = { expected: 'UTF-8', actual: 'other bytes' } as const

/**
 * Reads the body of a response. Fails with a `TimeoutError` if this takes too long. For a status other than 2xx, the status is
 * the result, so a body that breaks off or stalls is returned as far as it was read.
 */
export const readBody = (
  response: FetchResponse,
  { allocate, timer, timeout, maxBytes }: BodyOptions,
): Observable<Body> =>
  defer(() => {
    const ok = isSuccess(response)
    const partRead = new Subject<void>()
    const stalled = partRead.pipe(
      startWith(undefined),
      switchMap(() => timeoutAfter('body', timeout.body, timer)),
    )
    const tooLong = timeoutAfter('whole', timeout.whole, timer)
    const received: Array<Uint8Array> = []
    const limit = ok ? maxBytes : Math.min(maxBytes, MAX_ERROR_BYTES)

    /** Reads chunks up to the limit. A longer 2xx is invalid. For any other status, the beginning is enough. */
    const readParts = async (reader: PartReader): Promise<Body> => {
      let room = limit
      for (let part = await reader.next(); part !== undefined; part = await reader.next()) {
        partRead.next()
        received.push(part.length > room ? part.subarray(0, room) : part)
        room -= part.length
        if (room >= 0) continue
        if (!ok) break
        const expected = `at most ${plural(limit, 'byte')} (maxBytes)`
        return { body: '', invalidBody: { expected, actual: 'more' } }
      }
      return decodeParts(received, allocate)
    }

    const complete = defer(() => {
      const reader = partReader(response.body)
      return race(readParts(reader), stalled, tooLong).pipe(finalize(reader.close))
    })
    const beginning = () =>
      of({ ...decodeParts(received, allocate), incompleteBody: true as const })
    return ok ? complete : complete.pipe(catchError(beginning))
  })

const decodeParts = (parts: ReadonlyArray<Uint8Array>, allocate: Allocate): Body => {
  const bytes = joinBytes(parts, allocate)
  try {
    return { parts, body: new TextDecoder('utf-8', { fatal: true }).decode(bytes) }
  } catch {
    return { parts, body: new TextDecoder().decode(bytes), invalidBody: NOT_UTF8 }
  }
}

// parts

interface PartReader {
  /** Returns the next chunk; `undefined` at the end. Rejects if the body breaks off, and after the reader was closed. */
  readonly next: () => Promise<Uint8Array | undefined>
  /**
   * Cancels the rest of the body, and its connection. Aborting the request may not do that, because a `Request` knows its
   * signal only until it is garbage collected.
   */
  readonly close: () => void
}

/** The interface shared by readers of web streams and iterators. */
interface PartSource {
  readonly read: () => PromiseLike<{
    readonly done?: boolean | undefined
    readonly value?: Uint8Array | string | undefined
  }>
  readonly cancel: () => unknown
}

const partReader = (body: FetchResponse['body']): PartReader => {
  const source = partSource(body)
  let isClosed = false
  return {
    next: async () => {
      for (;;) {
        const { done, value } = await source.read()
        if (isClosed) throw new Error('the body was abandoned')
        if (done === true) isClosed = true
        if (isClosed) return undefined
        if (value !== undefined) return bytesOf(value)
      }
    },
    close: () => {
      if (isClosed) return
      isClosed = true
      // cancels immediately, before the signal aborts; the error of a broken body is ignored
      new Promise((resolve) => resolve(source.cancel())).catch(() => {})
    },
  }
}

/** Returns the bytes of a chunk. A Node stream that has an encoding emits strings instead of bytes. */
const bytesOf = (part: Uint8Array | string): Uint8Array =>
  typeof part === 'string' ? new TextEncoder().encode(part) : part

/** Returns a reader of chunks. Cancelling a stream drops the chunk being awaited; an iterator returns after that chunk. */
const partSource = (body: FetchResponse['body']): PartSource => {
  if (!body) return { read: async () => ({ done: true }), cancel: () => {} }
  if (typeof body === 'object') {
    if ('getReader' in body) return body.getReader()
    if (Symbol.asyncIterator in body) {
      const parts = body[Symbol.asyncIterator]()
      return { read: async () => parts.next(), cancel: () => parts.return?.() }
    }
  }
  throw new TypeError('the body of the response is not a stream') // this error does not contain the body
}
