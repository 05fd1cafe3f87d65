/** Formats and compressions: their names, file names, and the interface of file writers. */
import { basename, extname } from 'node:path'
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import { withoutUndefined } from '../../fp.js'
import { InvalidOption } from '../../options/index.js'
import type { TextFindings } from '../column/text.js'
import type { UnrepresentableRow } from '../column/UnrepresentableRow.js'
import type { Bytes, FilePosition } from '../storage/Files.js'

export const formatNames = Object.freeze(['ndjson', 'json', 'csv', 'parquet'] as const)

/** The name of a format. */
export type FormatName = (typeof formatNames)[number]

/** Names of all compressions; `zstd` needs Node 22.15. */
export const compressions = Object.freeze(['none', 'gzip', 'zstd'] as const)

/** The name of a compression. */
export type Compression = (typeof compressions)[number]

/** The part of a file that is kept when it is resumed. */
export interface Kept {
  /** The file, for messages. */
  readonly path: string
  /** The end of the kept part. */
  readonly mark: FilePosition
  readonly read: (position: number, length: number) => Promise<Uint8Array>
}

/** Turns rows into bytes. May buffer rows until flushed. */
export interface Encoder<in A> {
  /** Writes rows that passed the format's `check`. */
  readonly rows: (rows: ReadonlyArray<A>) => Promise<void>
  /** Writes all buffered rows, so that the file can later be truncated to this point. */
  readonly flush: () => Promise<void>
  /** Ends the file: closing bracket, footer. */
  readonly end: () => Promise<void>
}

/** Converts rows to bytes: created once by `formatOf` and used for any number of files. */
export interface Format<in A> {
  /** The name of the format. */
  readonly name: FormatName
  /** The compression of its files. */
  readonly compress: Compression
  /** File extension without the dot, such as `ndjson.zst`. */
  readonly extension: string
  /** Column names; empty if whole rows are written. */
  readonly columns: ReadonlyArray<string>
  /** Returns why a row cannot be written without changing its values. With `isRaw`, its original text is copied. */
  readonly check: (row: A, isRaw?: boolean) => UnrepresentableRow | undefined
  /** Starts or continues a file. Adds anomalies in texts to `findings`. */
  readonly encoder: (to: Bytes, kept?: Kept, findings?: TextFindings) => Promise<Encoder<A>>
}

// compression

/** Throws an `InvalidOption` for zstd if this version of Node lacks it. Must be called before a file is opened. */
export const checkCompression = (compress: Compression): void => {
  if (compress === 'zstd' && typeof zlib.zstdCompress !== 'function') {
    throw new InvalidOption('compress', "'gzip' or 'none': zstd needs Node 22.15 or later")
  }
}

/** Compresses bytes to one frame, in another thread. A file of frames can be truncated between any two. */
export type Compress = (bytes: Uint8Array) => Promise<Uint8Array>

export const compressor = (compress: Exclude<Compression, 'none'>): Compress => {
  checkCompression(compress)
  return promisify<Uint8Array, Uint8Array>(compress === 'gzip' ? zlib.gzip : zlib.zstdCompress)
}

// names of files

const COMPRESSED: Readonly<Record<string, Compression>> = { '.gz': 'gzip', '.zst': 'zstd' }

const FORMATS: Readonly<Record<string, FormatName>> = {
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.json': 'json',
  '.csv': 'csv',
  '.parquet': 'parquet',
}

export const EXTENSIONS = `${Object.keys(FORMATS).join(', ')}, optionally followed by ${Object.keys(COMPRESSED).join(' or ')}`

/** Returns the extension of files, such as `csv.gz`. */
export const extensionOf = (name: FormatName, compress: Compression): string =>
  name + (Object.keys(COMPRESSED).find((extension) => COMPRESSED[extension] === compress) ?? '')

export interface ByExtension {
  readonly format?: FormatName
  readonly compress?: Compression
  /** An unknown extension, such as `.xlsx`. */
  readonly unknown?: string
}

/** Derives format and compression from a file name: `charges.csv.gz` is CSV in gzip. */
export const byExtension = (path: string): ByExtension => {
  const name = basename(path).toLowerCase()
  const compress = COMPRESSED[extname(name)]
  const extension = extname(compress === undefined ? name : basename(name, extname(name)))
  const format = FORMATS[extension]
  const isUnknown = format === undefined && extension !== ''
  return withoutUndefined({ compress, format, unknown: isUnknown ? extension : undefined })
}

/** Throws an `InvalidOption` if the extension of a file belongs to another format or compression. */
export const checkName = (
  option: string,
  path: string,
  { name, compress, extension }: Pick<Format<never>, 'name' | 'compress' | 'extension'>,
): void => {
  const said = byExtension(path)
  const outer = name === 'parquet' ? undefined : compress // Parquet is compressed internally
  const isOther = said.format !== undefined && said.format !== name
  if (!isOther && (said.compress === undefined || said.compress === outer)) return
  const words = Object.values(withoutUndefined({ format: said.format, compress: said.compress }))
  throw new InvalidOption(
    option,
    `a name that matches the format, such as NAME.${extension}, but its extension means ${words.join(' in ')}`,
  )
}
