/** Formats in which a folder stores its current rows; and NDJSON, in which it stores the rows of a run in progress. */
import { isoMicros } from '../column/time.js'
import { compressor, type Format } from '../format/Format.js'
import { unzstd } from '../read/zstdFrames.js'
import type { Bytes } from '../storage/Files.js'
import { GONE } from '../transfer/Destination.js'
import type { Batches } from './mergeRows.js'
import { type PieceRow, pieceRow } from './PieceRow.js'

/** Writes a file of rows, in memory. */
export interface PieceWriter<C> {
  /** Number of bytes so far, excluding buffered rows. */
  readonly size: () => number
  readonly add: (rows: ReadonlyArray<PieceRow<C>>) => Promise<void>
  readonly end: () => Promise<Uint8Array<ArrayBuffer>>
}

export interface BaseFormat<C> {
  /** File extension, such as `ndjson.zst`. */
  readonly extension: string
  /** Reads a file; `path` names it in messages. */
  readonly read: (bytes: Uint8Array<ArrayBuffer>, path: string) => Batches<C>
  /** Reads a file of a run in progress. */
  readonly readIncoming: (bytes: Uint8Array<ArrayBuffer>) => Batches<C>
  readonly writer: () => PieceWriter<C>
  /** Marks a row as gone, at a time in µs since 1970. */
  readonly marked: (content: C, at: number) => C
}

const readLines = (bytes: Uint8Array): Batches<string> =>
  readTextPiece(bytes, JSON.parse, (line) => line)

/** NDJSON in zstd frames, with the lines as received. */
export const textBase: BaseFormat<string> = {
  extension: 'ndjson.zst',
  read: readLines,
  readIncoming: readLines,
  writer: () => new TextPieceWriter(),
  marked: (line, at) =>
    `${line.slice(0, line.lastIndexOf('}'))},"${GONE}":"${isoMicros(BigInt(at))}"}`,
}

// NDJSON in zstd frames

/** Bytes in memory, as written by an encoder. */
export class MemoryBytes implements Bytes {
  readonly #written: Array<Uint8Array> = []
  #size = 0

  size = (): number => this.#size

  append = async (bytes: Uint8Array): Promise<void> => {
    this.#written.push(Uint8Array.from(bytes)) // encoders reuse their buffers, so bytes are copied
    this.#size += bytes.length
  }

  all(): Uint8Array<ArrayBuffer> {
    const all = new Uint8Array(this.#size)
    let at = 0
    for (const bytes of this.#written) {
      all.set(bytes, at)
      at += bytes.length
    }
    return all
  }
}

/** Number of rows in a frame. Many files are merged at a time, and memory holds one frame of each. */
const FRAME_ROWS = 500

export const encodeFile = async <A>(
  format: Format<A>,
  rows: ReadonlyArray<A>,
): Promise<Uint8Array<ArrayBuffer>> => {
  const bytes = new MemoryBytes()
  const encoder = await format.encoder(bytes)
  for (let at = 0; at < rows.length; at += FRAME_ROWS) {
    await encoder.rows(rows.slice(at, at + FRAME_ROWS))
    await encoder.flush() // ends the frame
  }
  await encoder.end()
  return bytes.all()
}

/** Reads a piece, one frame of rows at a time. `parse` parses a line; `content` returns the stored part of a row. */
export async function* readTextPiece<C>(
  bytes: Uint8Array,
  parse: (line: string) => unknown,
  content: (line: string, row: unknown) => C,
): AsyncGenerator<ReadonlyArray<PieceRow<C>>> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const frame of unzstd(whole(bytes))) {
    const lines = (rest + decoder.decode(frame, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield lines.map((line) => {
      const row = parse(line)
      return pieceRow(row, content(line, row))
    })
  }
}

async function* whole(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** Number of characters in a frame. */
const FRAME = 1 << 18

/** Writes a piece from lines that were read from other pieces. */
class TextPieceWriter {
  readonly #bytes = new MemoryBytes()
  #lines: Array<string> = []
  #characters = 0

  size = (): number => this.#bytes.size()

  add = async (rows: ReadonlyArray<PieceRow<string>>): Promise<void> => {
    for (const { content } of rows) {
      this.#lines.push(content)
      this.#characters += content.length
      if (this.#characters >= FRAME) await this.#endFrame()
    }
  }

  end = async (): Promise<Uint8Array<ArrayBuffer>> => {
    await this.#endFrame()
    return this.#bytes.all()
  }

  async #endFrame(): Promise<void> {
    if (this.#lines.length === 0) return
    const text = `${this.#lines.join('\n')}\n`
    this.#lines = []
    this.#characters = 0
    await this.#bytes.append(await compressor('zstd')(new TextEncoder().encode(text)))
  }
}
