/** Encoder for text formats, plain or compressed. */
import { type Allocate, reusable } from '../../stream/bytes.js'
import { noFindings, type TextFindings } from '../column/text.js'
import type { Bytes } from '../storage/Files.js'
import { type Compression, compressor, type Encoder, type Kept } from './Format.js'

/** Chunks of text or, for text that is already UTF-8, a function that copies the text into bytes that it allocates. */
export type Text = Iterable<string> | ((allocate: Allocate) => Uint8Array)

/** The text before, between and after the rows of a file. */
export interface TextFormat<A> {
  readonly start: string
  /** Returns the text of one or more rows, which follow `before` other rows. */
  readonly rows: (rows: ReadonlyArray<A>, before: number, findings: TextFindings) => Text
  readonly end: (rows: number) => string
}

/** Size of a compressed frame, in bytes before compression. */
const FRAME_BYTES = 1 << 20

/** Number of rows encoded at a time. The text of a whole page would stay in memory for too long. */
const ENCODED_ROWS = 250

/** Writes rows as UTF-8, in frames if the file is compressed. */
export const textEncoder =
  <A>(format: TextFormat<A>, compress: Compression) =>
  async (to: Bytes, kept?: Kept, findings = noFindings()): Promise<Encoder<A>> => {
    let count = kept?.mark.rows ?? 0
    const out: Out = compress === 'none' ? { append: to.append } : framed(to, compress)
    const utf8 = utf8Encoder()
    let start = to.size() === 0 ? format.start : ''
    const put = async (text: Text): Promise<void> => {
      const before = start
      start = ''
      for (const some of before === '' ? [text] : [[before], text]) {
        const bytes = utf8(some)
        if (bytes.length > 0) await out.append(bytes)
      }
    }
    return {
      rows: async (rows) => {
        if (rows.length === 0) return
        const text = format.rows(rows, count, findings)
        count += rows.length
        await put(text)
      },
      flush: async () => {
        await put([])
        await out.flush?.()
      },
      end: async () => {
        await put([format.end(count)])
        await out.end?.()
      },
    }
  }

export function* joined<A>(
  rows: ReadonlyArray<A>,
  textOf: (row: A) => string,
  { before = '', between = '', after = '' },
): Iterable<string> {
  for (let at = 0; at < rows.length; at += ENCODED_ROWS) {
    yield at === 0 ? before : between
    yield rows
      .slice(at, at + ENCODED_ROWS)
      .map(textOf)
      .join(between)
  }
  yield after
}

/** Accepts bytes before compression. */
interface Out {
  readonly append: (bytes: Uint8Array) => Promise<void>
  readonly flush?: () => Promise<void>
  readonly end?: () => Promise<void>
}

const framed = (to: Bytes, compress: Exclude<Compression, 'none'>): Out => {
  const compressed = compressor(compress)
  const allocate = reusable()
  let length = 0
  const writeFrame = async (): Promise<void> => {
    const bytes = allocate(length, length)
    length = 0
    await to.append(await compressed(bytes))
  }
  const flush = async (): Promise<void> => {
    if (length > 0) await writeFrame()
  }
  return {
    append: async (bytes) => {
      allocate(length + bytes.length, length).set(bytes, length)
      length += bytes.length
      if (length >= FRAME_BYTES) await flush()
    },
    flush,
    end: async () => {
      if (length > 0 || to.size() === 0) await writeFrame() // a file without any frame is neither gzip nor zstd
    },
  }
}

/** Returns a function that encodes text in a reused buffer. */
const utf8Encoder = (): ((text: Text) => Uint8Array) => {
  const encoder = new TextEncoder()
  const allocate = reusable()
  return (text) => {
    if (typeof text === 'function') return text(allocate)
    let length = 0
    for (const some of text) {
      const all = allocate(length + 3 * some.length, length)
      length += encoder.encodeInto(some, all.subarray(length)).written
    }
    return allocate(length, length)
  }
}
