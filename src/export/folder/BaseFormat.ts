/** Formats in which a folder keeps its current rows. */
import { isoMicros } from '../column/time.js'
import { GONE } from '../transfer/Destination.js'
import type { Batches } from './mergeRows.js'
import type { PieceRow } from './PieceRow.js'
import { readTextPiece, TextPieceWriter } from './textPieces.js'

/** Writes a file of rows; all of it is in memory. */
export interface PieceWriter<C> {
  /** Bytes so far, without rows that wait for more. */
  readonly size: () => number
  readonly add: (rows: ReadonlyArray<PieceRow<C>>) => Promise<void>
  readonly end: () => Promise<Uint8Array<ArrayBuffer>>
}

export interface BaseFormat<C> {
  /** Ends the names of files: `ndjson.zst`. */
  readonly extension: string
  readonly read: (bytes: Uint8Array<ArrayBuffer>) => Batches<C>
  /** Reads a file of a run under way. */
  readonly readIncoming: (bytes: Uint8Array<ArrayBuffer>) => Batches<C>
  readonly writer: () => PieceWriter<C>
  /** Marks a row as gone, at a time in µs since 1970. */
  readonly marked: (content: C, at: number) => C
}

const readLines = (bytes: Uint8Array): Batches<string> =>
  readTextPiece(bytes, JSON.parse, (line) => line)

/** NDJSON in zstd frames: lines stay as they came. */
export const textBase: BaseFormat<string> = {
  extension: 'ndjson.zst',
  read: readLines,
  readIncoming: readLines,
  writer: () => new TextPieceWriter(),
  marked: (line, at) =>
    `${line.slice(0, line.lastIndexOf('}'))},"${GONE}":"${isoMicros(BigInt(at))}"}`,
}
