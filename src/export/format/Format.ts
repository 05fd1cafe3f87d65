/** How rows become bytes: a value, made once and used for as many files as there are. */

import type { Bytes } from '../file/ByteFile.js'
import type { Mark } from '../file/RowFile.js'

// model

export type FormatName = 'ndjson' | 'json'

export type Compression = 'none' | 'gzip' | 'zstd'

/** Why a row cannot be written without a change to what it says. */
export interface Misfit {
  readonly _tag: 'Misfit'
  /** Such as `amount`, `quote_summary.quotes[].client_rate`. */
  readonly field: string
  readonly expected: string
  readonly message: string
}

/** What is in a file when it is gone on with. */
export interface Kept {
  readonly mark: Mark
  readonly read: (position: number, length: number) => Promise<Uint8Array>
}

/** Turns rows into bytes; it may keep rows back until it is flushed. */
export interface Encoder<A> {
  readonly rows: (rows: ReadonlyArray<A>) => Promise<void>
  /** Everything is handed on, so that what follows can be cut off here. */
  readonly flush: () => Promise<void>
  readonly end: () => Promise<void>
}

export interface Format<in A> {
  readonly name: FormatName
  readonly compress: Compression
  /** Such as `ndjson.zst`: what a file is called by. */
  readonly extension: string
  /** Asked before a row is written: whoever writes one that does not fit gets an error. */
  readonly misfit: (row: A) => Misfit | undefined
  readonly encoder: (to: Bytes, kept?: Kept) => Promise<Encoder<A>>
}
