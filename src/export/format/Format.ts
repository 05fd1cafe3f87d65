import type { Misfit } from '../column/Misfit.js'
import type { Bytes } from '../file/ByteFile.js'
import type { Mark } from '../file/RowFile.js'

// model

/** All formats, by name. */
export const formatNames = ['ndjson', 'json', 'csv', 'parquet'] as const

/** The name of a format. */
export type FormatName = (typeof formatNames)[number]

/** All compressions, by name; `zstd` needs Node 22.15. */
export const compressions = ['none', 'gzip', 'zstd'] as const

/** The name of a compression. */
export type Compression = (typeof compressions)[number]

/** What is in a file when it is gone on with. */
export interface Kept {
  readonly path: string
  readonly mark: Mark
  readonly read: (position: number, length: number) => Promise<Uint8Array>
}

/** Turns rows into bytes; it may keep rows back until it is flushed. */
export interface Encoder<in A> {
  readonly rows: (rows: ReadonlyArray<A>) => Promise<void>
  /** Everything is handed on, so that what follows can be cut off here. */
  readonly flush: () => Promise<void>
  readonly end: () => Promise<void>
}

/** How rows become bytes: a value, made once by `formatOf` and used for as many files as there are. */
export interface Format<in A> {
  readonly name: FormatName
  readonly compress: Compression
  /** Such as `ndjson.zst`: what a file is called by. */
  readonly extension: string
  /** Which columns, as they are named in the file; none where rows are written whole. */
  readonly columns: ReadonlyArray<string>
  /** Why a row cannot be written without a change to what it says; see `sift`. */
  readonly misfit: (row: A) => Misfit | undefined
  readonly encoder: (to: Bytes, kept?: Kept) => Promise<Encoder<A>>
}
