/** Formats that are text, as it is or compressed. */
import type { Allocate } from '../../stream/reusable.js'
import { reusable } from '../../stream/reusable.js'
import type { Bytes } from '../file/ByteFile.js'
import { type Compress, compressor } from './compress.js'
import type { Compression, Encoder, Kept } from './Format.js'

// model

/** In parts; or, where it is UTF-8 already, what puts it into bytes that it asks for. */
export type Text = Iterable<string> | ((allocate: Allocate) => Uint8Array)

/** A format that is text: what comes before, of and after the rows. */
export interface TextFormat<A> {
  readonly start: string
  /** Rows that follow `before` others. */
  readonly rows: (rows: ReadonlyArray<A>, before: number) => Text
  readonly end: (rows: number) => string
}

/** Text is compressed in frames of about this many bytes. */
const FRAME = 1 << 20

// constructors

/** Writes rows as UTF-8, in frames where it is compressed. */
export const textEncoder =
  <A>(format: TextFormat<A>, compress: Compression) =>
  async (to: Bytes, kept?: Kept): Promise<Encoder<A>> => {
    let count = kept?.mark.rows ?? 0
    const out = compress === 'none' ? plain(to) : framed(to, compressor(compress))
    const utf8 = encoder()
    let start = to.size() === 0 ? format.start : ''
    const put = async (text: Text): Promise<void> => {
      const before = start
      start = ''
      if (before !== '') await out.put(utf8([before]))
      await out.put(utf8(text))
    }
    return {
      rows: (rows) => {
        const text = format.rows(rows, count)
        count += rows.length
        return put(text)
      },
      flush: async () => {
        await put([])
        await out.flush()
      },
      end: async () => {
        await put([format.end(count)])
        await out.end()
      },
    }
  }

/** Where bytes go, as they are or compressed. */
interface Out {
  readonly put: Bytes['append']
  readonly flush: () => Promise<void>
  readonly end: () => Promise<void>
}

const plain = (to: Bytes): Out => ({
  put: (bytes) => (bytes.length === 0 ? Promise.resolve() : to.append(bytes)),
  flush: () => Promise.resolve(),
  end: () => Promise.resolve(),
})

const framed = (to: Bytes, compress: Compress): Out => {
  const allocate = reusable()
  let length = 0
  const frame = async (): Promise<void> => {
    const bytes = allocate(length, length)
    length = 0
    await to.append(await compress(bytes))
  }
  const flush = async (): Promise<void> => {
    if (length > 0) await frame()
  }
  return {
    put: async (bytes) => {
      allocate(length + bytes.length, length).set(bytes, length)
      length += bytes.length
      if (length >= FRAME) await flush()
    },
    flush,
    end: async () => {
      if (length > 0 || to.size() === 0) await frame() // no frame at all is not gzip, nor zstd
    },
  }
}

/** UTF-8, in a place that is used again. */
const encoder = (): ((text: Text) => Uint8Array) => {
  const encoder = new TextEncoder()
  const allocate = reusable()
  return (text) => {
    if (typeof text === 'function') return text(allocate)
    let length = 0
    for (const part of text) {
      const all = allocate(length + 3 * part.length, length)
      length += encoder.encodeInto(part, all.subarray(length)).written
    }
    return allocate(length, length)
  }
}
