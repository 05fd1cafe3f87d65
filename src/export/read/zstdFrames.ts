/** Decompresses zstd files with several frames. Node's stream ends after the first frame, without an error. */
import { pipeline, Readable } from 'node:stream'
import zlib from 'node:zlib'

/** The first bytes of each frame; little-endian. */
const MAGIC = 0xfd2fb528

/** Length of the longest frame header: magic, descriptor, window, dictionary and content size. */
const LONGEST_HEADER = 4 + 1 + 1 + 4 + 8

const cutOff = (): Error =>
  Object.assign(new Error('unexpected end of file'), { errno: -5, code: 'Z_BUF_ERROR' })

/** Finds the end of a frame from its block headers (RFC 8878, 3.1.1), in bytes that arrive in chunks. Keeps no bytes. */
class FrameEnd {
  #header = new Uint8Array()
  /** Bytes until the next header. */
  #skip = 0
  #next: 'frame' | 'block' | 'end' = 'frame'
  #hasChecksum = false

  /** Returns the number of bytes that belong to the frame, or `undefined` if all of them do and the frame continues. */
  find(bytes: Uint8Array): number | undefined {
    for (let at = 0; ; ) {
      const skipped = Math.min(this.#skip, bytes.length - at)
      this.#skip -= skipped
      at += skipped
      if (this.#skip > 0) return undefined
      if (this.#next === 'end') return at
      if (at === bytes.length) return undefined
      at += this.#read(bytes.subarray(at, at + LONGEST_HEADER))
    }
  }

  /** Reads the available part of a header, and returns its length. */
  #read(bytes: Uint8Array): number {
    const before = this.#header.length
    const all = new Uint8Array(before + bytes.length)
    all.set(this.#header)
    all.set(bytes, before)
    const length = this.#next === 'frame' ? this.#frame(all) : this.#block(all)
    this.#header = length === undefined ? all : new Uint8Array()
    return length === undefined ? bytes.length : length - before
  }

  #frame(bytes: Uint8Array): number | undefined {
    if (bytes.length < 5) return undefined
    const view = new DataView(bytes.buffer)
    if (view.getUint32(0, true) !== MAGIC) {
      this.#skip = Number.POSITIVE_INFINITY // not our format; zlib reports the problem
      return 5
    }
    const descriptor = view.getUint8(4)
    const isSingleSegment = (descriptor & 0b10_0000) !== 0
    const dictionary = [0, 1, 2, 4][descriptor & 0b11] ?? 0
    const contentSize = [isSingleSegment ? 1 : 0, 2, 4, 8][descriptor >> 6] ?? 0
    this.#hasChecksum = (descriptor & 0b100) !== 0
    this.#skip = (isSingleSegment ? 0 : 1) + dictionary + contentSize
    this.#next = 'block'
    return 5
  }

  #block(bytes: Uint8Array): number | undefined {
    if (bytes.length < 3) return undefined
    const view = new DataView(bytes.buffer)
    const block = view.getUint16(0, true) | (view.getUint8(2) << 16)
    const isLast = (block & 1) !== 0
    const isRepeated = ((block >> 1) & 0b11) === 1
    this.#skip = (isRepeated ? 1 : block >> 3) + (isLast && this.#hasChecksum ? 4 : 0)
    if (isLast) this.#next = 'end'
    return 3
  }
}

/** Maximum compressed size of a frame that is decompressed in one step. Longer frames are streamed. */
const SMALL = 1 << 20

/** Maximum decompressed size of a small frame. A frame that exceeds it is streamed as well. */
const MOST_AT_ONCE = 16 << 20

/** Decompresses frame by frame. Memory holds at most one small frame. */
export async function* unzstd(compressed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const source = compressed[Symbol.asyncIterator]()
  let rest: Uint8Array = new Uint8Array()
  const more = async (): Promise<boolean> => {
    const { done, value } = await source.next()
    rest = done === true ? new Uint8Array() : value
    return done !== true
  }
  /** Yields the rest of the frame, chunk by chunk. */
  const frame = async function* (): AsyncGenerator<Uint8Array> {
    const scan = new FrameEnd()
    while (rest.length > 0 || (await more())) {
      const end = scan.find(rest)
      const part = rest.subarray(0, end)
      rest = rest.subarray(part.length)
      if (part.length > 0) yield part
      if (end !== undefined) return
    }
    throw cutOff() // Node 22.15 reads such a frame as empty, without an error
  }
  try {
    while (rest.length > 0 || (await more())) yield* decompressed(frame())
  } finally {
    await source.return?.()
  }
}

async function* decompressed(frame: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  const parts: Array<Uint8Array> = []
  let size = 0
  let isWhole = false
  while (size <= SMALL && !isWhole) {
    const { done, value } = await frame.next()
    if (done === true) isWhole = true
    else {
      parts.push(value)
      size += value.length
    }
  }
  const small = isWhole ? atOnce(Buffer.concat(parts)) : undefined
  if (small !== undefined) {
    yield small
    return
  }
  const all = async function* (): AsyncGenerator<Uint8Array> {
    yield* parts
    yield* frame
  }
  const text = zlib.createZstdDecompress()
  pipeline(Readable.from(all()), text, () => {}) // the text stream reports its error
  yield* text
}

/** Decompresses a frame; `undefined` if the result is too large. */
const atOnce = (frame: Uint8Array): Uint8Array | undefined => {
  try {
    return zlib.zstdDecompressSync(frame, { maxOutputLength: MOST_AT_ONCE })
  } catch (error) {
    if (Object(error).code === 'ERR_BUFFER_TOO_LARGE') return undefined
    throw error
  }
}
