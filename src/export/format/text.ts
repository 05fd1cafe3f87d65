/** Formats that are text, as it is or compressed. */
import type { Bytes } from '../file/ByteFile.js'
import { type Compress, compressor } from './compress.js'
import type { Compression, Encoder, Kept } from './Format.js'

// model

export interface TextFormat<A> {
  readonly start: string
  /** Rows that follow `before` others. */
  readonly rows: (rows: ReadonlyArray<A>, before: number) => string
  readonly end: (rows: number) => string
}

/** Text is compressed in frames of about this many letters. */
const FRAME = 1 << 20

// constructors

export const textEncoder =
  <A>(format: TextFormat<A>, compress: Compression) =>
  async (to: Bytes, kept?: Kept): Promise<Encoder<A>> => {
    let count = kept?.mark.rows ?? 0
    const out = compress === 'none' ? plain(to) : framed(to, compressor(compress))
    let start = to.size() === 0 ? format.start : ''
    const put = (text: string): Promise<void> => {
      const all = start === '' ? text : start + text
      start = ''
      return out.put(all)
    }
    return {
      rows: (rows) => {
        const text = format.rows(rows, count)
        count += rows.length
        return put(text)
      },
      flush: async () => {
        await put('')
        await out.flush()
      },
      end: async () => {
        await put(format.end(count))
        await out.end()
      },
    }
  }

interface TextOut {
  readonly put: (text: string) => Promise<void>
  readonly flush: () => Promise<void>
  readonly end: () => Promise<void>
}

const plain = (to: Bytes): TextOut => {
  const encode = reusing()
  return {
    put: (text) => (text === '' ? Promise.resolve() : to.append(encode(text))),
    flush: () => Promise.resolve(),
    end: () => Promise.resolve(),
  }
}

const framed = (to: Bytes, compress: Compress): TextOut => {
  const encode = reusing()
  let waiting = ''
  const frame = async (): Promise<void> => {
    const text = waiting
    waiting = ''
    await to.append(await compress(encode(text)))
  }
  const flush = async (): Promise<void> => {
    if (waiting !== '') await frame()
  }
  return {
    put: async (text) => {
      waiting += text
      if (waiting.length >= FRAME) await flush()
    },
    flush,
    end: async () => {
      if (waiting !== '' || to.size() === 0) await frame() // no frame at all is not gzip, nor zstd
    },
  }
}

/** UTF-8 in a place that is used again: a buffer for each page would live until the next full collection. */
const reusing = (): ((text: string) => Uint8Array) => {
  const encoder = new TextEncoder()
  let place = new Uint8Array(0)
  return (text) => {
    const most = text.length * 3
    if (place.length < most) place = new Uint8Array(most)
    return place.subarray(0, encoder.encodeInto(text, place).written)
  }
}
