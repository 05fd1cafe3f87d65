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

// model

export type Body = Pick<HttpResponse, 'body' | 'parts' | 'invalidBody' | 'incompleteBody'>

export interface BodyOptions {
  /** Allocates the bytes that the parts are joined in. */
  readonly allocate: Allocate
  readonly timer: SchedulerLike
  readonly timeout: Pick<Timeout, 'body' | 'whole'>
  /** Limit for a 2xx, decompressed. */
  readonly maxBytes: number
}

/** Default limit for a 2xx: 256 MiB. A page of 2,000 rows has about 2 MB. */
export const MAX_BYTES = 256 * 1024 * 1024

/** Limit for other statuses, of which more than the beginning is of no use. */
const MAX_ERROR_BYTES = 1024 * 1024

/** `invalidBody` of bytes that are no UTF-8. Replacement characters would make half of it up; the next may be intact. */
export const NOT_UTF8 = { expected: 'UTF-8', actual: 'other bytes' } as const

// constructors

/**
 * Reads the body of a response. Fails with a `TimeoutError` if it takes too long. A status other than 2xx is
 * a result by itself: if its body breaks or stalls, its beginning is returned.
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

    /** Stops at the limit: a longer 2xx is invalid, of any other status the beginning suffices. */
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
  /** Returns the next part; `undefined` at the end. Rejects if the body breaks, and once it is closed. */
  readonly next: () => Promise<Uint8Array | undefined>
  /**
   * Cancels the rest of the body, and its connection. Aborting the request may not do that: a `Request` knows its
   * signal only until it is garbage collected.
   */
  readonly close: () => void
}

/** The common part of the readers of web streams and of iterators. */
interface PartSource {
  readonly read: () => PromiseLike<{
    readonly done?: boolean | undefined
    readonly value?: Uint8Array | undefined
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
        if (isClosed) throw new Error('the body was given up')
        if (done === true) isClosed = true
        if (isClosed || value !== undefined) return value
      }
    },
    close: () => {
      if (isClosed) return
      isClosed = true
      // cancels at once, before the signal aborts; an error of a broken body has no receiver any more
      new Promise((resolve) => resolve(source.cancel())).catch(() => {})
    },
  }
}

/** Cancelling a stream drops the part that is awaited; an iterator returns after it. */
const partSource = (body: FetchResponse['body']): PartSource => {
  if (!body) return { read: async () => ({ done: true }), cancel: () => {} }
  if (typeof body === 'object') {
    if ('getReader' in body) return body.getReader()
    if (Symbol.asyncIterator in body) {
      const parts = body[Symbol.asyncIterator]()
      return { read: async () => parts.next(), cancel: () => parts.return?.() }
    }
  }
  throw new TypeError('the body of the answer is no stream') // does not repeat the body
}
