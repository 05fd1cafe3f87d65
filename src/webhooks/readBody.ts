import { plural } from '../decode/plural.js'
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
  const parts: Array<Uint8Array> = []
  let length = 0
  try {
    for await (const part of partsOf(request.body)) {
      length += part.length
      if (length > maxBytes) return E.left(tooLarge(maxBytes))
      parts.push(part)
    }
  } catch {
    return E.left(interrupted)
  }
  if (length === 0 && sent > 0)
    return E.left(notRaw(`read already: nothing is left of ${plural(sent, 'byte')}`))
  return E.right(concat(parts))
}

/** A stream is iterated where it can be: Safari has streams that cannot. */
const partsOf = (
  stream: AsyncIterable<Uint8Array> | Readable | null,
): AsyncIterable<Uint8Array> | Iterable<Uint8Array> => {
  if (!stream) return []
  return Symbol.asyncIterator in stream ? stream : read(stream)
}

type Readable = Pick<ReadableStream<Uint8Array>, 'getReader'>

async function* read(stream: Readable): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader()
  try {
    for (;;) {
      const { value } = await reader.read()
      if (value === undefined) return
      yield value
    }
  } finally {
    const left = reader.cancel() // what is too long; of what broke off, it fails as that did
    reader.releaseLock()
    await left
  }
}
