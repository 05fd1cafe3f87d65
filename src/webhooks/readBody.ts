import type { SchedulerLike } from 'rxjs'
import { plural } from '../decode/plural.js'
import { E } from '../fp.js'
import type { Millis } from '../stream/index.js'
import { later } from '../stream/later.js'
import {
  type Interrupted,
  interrupted,
  late,
  type NotRaw,
  notRaw,
  type TooLarge,
  tooLarge,
} from './WebhookFailure.js'

/** Limits on the size of a body and on the time to read it. */
export interface BodyBounds {
  readonly maxBytes: number
  /** Maximum time from the first read to the end of the body. */
  readonly bodyTimeout: Millis
  readonly timer: SchedulerLike
}

/** Number of bytes that are initially allocated for a body. */
const FIRST_BYTES = 4_096

/**
 * Reads the whole body of a request into one growing buffer. Chunks that are kept separately would take hundreds of bytes each,
 * and a sender may send single bytes.
 */
export const readBody = async (
  request: Request,
  { maxBytes, bodyTimeout, timer }: BodyBounds,
): Promise<E.Either<NotRaw | TooLarge | Interrupted, Uint8Array>> => {
  if (request.bodyUsed || request.body?.locked) return E.left(notRaw('already read'))
  const announced = Number(request.headers.get('content-length'))
  if (announced > maxBytes) return E.left(tooLarge(maxBytes))
  const reader = request.body?.getReader()
  let bytes = new Uint8Array(Math.min(FIRST_BYTES, maxBytes))
  let length = 0
  let isLate = false
  const cancel = (): void => {
    reader?.cancel().catch(() => {}) // if the body broke off, cancelling it fails as well
  }
  const deadline = later(bodyTimeout, timer).subscribe(() => {
    isLate = true
    cancel() // ends the read that is pending
  })
  try {
    for (let part = await reader?.read(); part?.value; part = await reader?.read()) {
      const end = length + part.value.length
      if (end > maxBytes) return E.left(tooLarge(maxBytes))
      if (end > bytes.length) {
        const larger = new Uint8Array(Math.min(maxBytes, Math.max(end, 2 * bytes.length)))
        larger.set(bytes.subarray(0, length))
        bytes = larger
      }
      bytes.set(part.value, length)
      length = end
    }
  } catch {
    return E.left(interrupted)
  } finally {
    deadline.unsubscribe()
    cancel()
    reader?.releaseLock()
  }
  if (isLate) return E.left(late(bodyTimeout))
  if (length === 0 && announced > 0) {
    return E.left(notRaw(`already read: nothing is left of ${plural(announced, 'byte')}`))
  }
  return E.right(bytes.subarray(0, length))
}
