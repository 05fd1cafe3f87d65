import { E } from '../fp.js'
import { concat } from './bytes.js'
import {
  type Interrupted,
  interrupted,
  type NotRaw,
  notRaw,
  type TooLarge,
  tooLarge,
} from './WebhookFailure.js'

/** The whole body of a request, up to so many bytes: not a byte more is kept. */
export const readBody = async (
  request: Request,
  maxBytes: number,
): Promise<E.Either<NotRaw | TooLarge | Interrupted, Uint8Array>> => {
  if (request.bodyUsed || request.body?.locked) return E.left(notRaw('read already'))
  const sent = Number(request.headers.get('content-length'))
  if (sent > maxBytes) return E.left(tooLarge(maxBytes))
  const stream: AsyncIterable<Uint8Array> | null = request.body
  const parts: Array<Uint8Array> = []
  let length = 0
  try {
    for await (const part of stream ?? []) {
      length += part.length
      if (length > maxBytes) return E.left(tooLarge(maxBytes))
      parts.push(part)
    }
  } catch {
    return E.left(interrupted)
  }
  if (length === 0 && sent > 0)
    return E.left(notRaw(`read already: nothing is left of ${sent} bytes`))
  return E.right(concat(parts))
}
