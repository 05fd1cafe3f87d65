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
import type { Allocate } from '../../stream/index.js'
import { joinBytes } from '../../stream/joinBytes.js'
import { type BodyParts, bodyParts } from './bodyParts.js'
import type { FetchResponse } from './Fetch.js'
import { timeoutAfter } from './TimeoutError.js'
import { type HttpResponse, isSuccess, type Timeout } from './Transport.js'

// model

/** What came, and what it says. */
export type Body = Pick<HttpResponse, 'body' | 'parts' | 'flaw' | 'brokenOff'>

export interface BodyOptions {
  /** Gives the bytes that its parts are put together in. */
  readonly allocate: Allocate
  /** Clock of the time limits. */
  readonly timer: SchedulerLike
  readonly timeout: Pick<Timeout, 'body' | 'whole'>
  /** Of a success, after it was unpacked. */
  readonly maxBytes: number
}

/** Bytes that an answer may have by default: 256 MiB. A page of 2,000 rows has about 2 MB. */
export const MAX_BYTES = 256 * 1024 * 1024

/** Bytes that are read of what is no success: the rest says nothing more. */
const ERROR_BYTES = 1024 * 1024

/** Half of such a text would be made up: the next attempt may get what was meant. */
export const NOT_UTF8 = { expected: 'UTF-8', actual: 'other bytes' } as const

// constructors

/**
 * The whole body of an answer; fails as `Late` when it takes too long. What is no success has
 * said with its status what counts: of a body that breaks or stalls, the beginning is told.
 */
export const wholeBody = (
  response: FetchResponse,
  { allocate, timer, timeout, maxBytes }: BodyOptions,
): Observable<Body> =>
  defer(() => {
    const ok = isSuccess(response) // before `read` begins: of what is no answer at all, this throws
    const heard = new Subject<void>()
    const silent = heard.pipe(
      startWith(undefined),
      switchMap(() => timeoutAfter('body', timeout.body, timer)),
    )
    const endless = timeoutAfter('whole', timeout.whole, timer)
    const came: Array<Uint8Array> = []
    const most = ok ? maxBytes : Math.min(maxBytes, ERROR_BYTES)
    const whole = defer(() => {
      const parts = bodyParts(response.body)
      const all = read({ ok, most, parts, came, allocate, heard: () => heard.next() })
      return race(all, silent, endless).pipe(finalize(parts.close))
    })
    const begun = () => of({ ...bodyOf(came, allocate), brokenOff: true as const })
    return ok ? whole : whole.pipe(catchError(begun))
  })

/** How a body is read. */
interface BodyReading {
  /** Whether it is that of a success. */
  readonly ok: boolean
  /** Bytes. */
  readonly most: number
  readonly parts: BodyParts
  /** Takes what came. */
  readonly came: Array<Uint8Array>
  readonly allocate: Allocate
  readonly heard: () => void
}

/** What is too long is not read to its end. */
const read = async ({ ok, most, parts, came, allocate, heard }: BodyReading): Promise<Body> => {
  let room = most
  for (let part = await parts.next(); part !== undefined; part = await parts.next()) {
    heard()
    came.push(part.length > room ? part.subarray(0, room) : part)
    room -= part.length
    if (room >= 0) continue
    if (!ok) break
    return {
      body: '',
      flaw: { expected: `at most ${plural(most, 'byte')} (maxBytes)`, actual: 'more' },
    }
  }
  return bodyOf(came, allocate)
}

const bodyOf = (parts: ReadonlyArray<Uint8Array>, allocate: Allocate): Body => ({
  parts,
  ...decoded(joinBytes(parts, allocate)),
})

const decoded = (bytes: Uint8Array): Pick<Body, 'body' | 'flaw'> => {
  try {
    return { body: new TextDecoder('utf-8', { fatal: true }).decode(bytes) }
  } catch {
    return { body: new TextDecoder().decode(bytes), flaw: NOT_UTF8 }
  }
}
