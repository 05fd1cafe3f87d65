import type { UnrepresentableRow } from '../column/UnrepresentableRow.js'
import type { Bytes } from '../file/ByteFile.js'
import type { Mark } from '../file/integrity.js'

// model

/** All formats, by name. */
export const formatNames = Object.freeze(['ndjson', 'json', 'csv', 'parquet'] as const)

/** The name of a format. */
export type FormatName = (typeof formatNames)[number]

/** All compressions, by name; `zstd` needs Node 22.15. */
export const compressions = Object.freeze(['none', 'gzip', 'zstd'] as const)

/** The name of a compression. */
export type Compression = (typeof compressions)[number]

/** What is in a file when it is gone on with. */
export interface Kept {
  /** The file, for messages. */
  readonly path: string
  /** Up to where it is gone on with. */
  readonly mark: Mark
  /** Some of its bytes, from a position on. */
  readonly read: (position: number, length: number) => Promise<Uint8Array>
}

/** Turns rows into bytes; it may keep rows back until it is flushed. */
export interface Encoder<in A> {
  /** Writes them. Rejects with an `UnrepresentableRow`, and writes none, when one cannot be said exactly. */
  readonly rows: (rows: ReadonlyArray<A>) => Promise<void>
  /** Everything is handed on, so that what follows can be cut off here. */
  readonly flush: () => Promise<void>
  /** Ends the file: closing bracket, footer. */
  readonly end: () => Promise<void>
}

/** How rows become bytes: a value, made once by `formatOf` and used for as many files as there are. */
export interface Format<in A> {
  /** The name of the format. */
  readonly name: FormatName
  /** How its files are compressed. */
  readonly compress: Compression
  /** What names of its files end with, after a dot: `ndjson.zst`. */
  readonly extension: string
  /** Which columns, as they are named in the file; none where rows are written whole. */
  readonly columns: ReadonlyArray<string>
  /**
   * Returns the reason why a row cannot be written without a change to its values. `isExact`: the page of the row
   * carries its text, which a format that writes rows whole copies.
   */
  readonly misfit: (row: A, isExact?: boolean) => UnrepresentableRow | undefined
  /** Begins a file, or goes on with one. */
  readonly encoder: (to: Bytes, kept?: Kept) => Promise<Encoder<A>>
}
