/** Formats and compressions: their names, the names of their files, and the interface that writers of files use. */
import { basename, extname } from 'node:path'
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import { withoutUndefined } from '../../fp.js'
import { InvalidOption } from '../../options/index.js'
import type { TextFindings } from '../column/text.js'
import type { UnrepresentableRow } from '../column/UnrepresentableRow.js'
import type { Bytes, Mark } from '../storage/Files.js'

// model

/** All formats, by name. */
export const formatNames = Object.freeze(['ndjson', 'json', 'csv', 'parquet'] as const)

/** The name of a format. */
export type FormatName = (typeof formatNames)[number]

/** All compressions, by name; `zstd` needs Node 22.15. */
export const compressions = Object.freeze(['none', 'gzip', 'zstd'] as const)

/** The name of a compression. */
export type Compression = (typeof compressions)[number]

/** The part of a file that is kept when it is resumed. */
export interface Kept {
  /** The file, for messages. */
  readonly path: string
  /** The end of what is kept. */
  readonly mark: Mark
  readonly read: (position: number, length: number) => Promise<Uint8Array>
}

/** Turns rows into bytes; it may keep rows back until it is flushed. */
export interface Encoder<in A> {
  /** Writes rows that passed the `check` of the format. */
  readonly rows: (rows: ReadonlyArray<A>) => Promise<void>
  /** Hands on all rows, so that the file can be cut off here. */
  readonly flush: () => Promise<void>
  /** Ends the file: closing bracket, footer. */
  readonly end: () => Promise<void>
}

/** How rows become bytes: a value, made once by `formatOf` and used for any number of files. */
export interface Format<in A> {
  /** The name of the format. */
  readonly name: FormatName
  /** The compression of its files. */
  readonly compress: Compression
  /** The end of names of its files, after a dot: `ndjson.zst`. */
  readonly extension: string
  /** The names of its columns; empty where rows are written whole. */
  readonly columns: ReadonlyArray<string>
  /**
   * Returns why a row cannot be written without a change to its values. `isRaw`: the page of the row carries its text,
   * which a format that writes rows whole copies.
   */
  readonly check: (row: A, isRaw?: boolean) => UnrepresentableRow | undefined
  /** Begins a file, or continues one. Adds to `findings` what it finds in texts. */
  readonly encoder: (to: Bytes, kept?: Kept, findings?: TextFindings) => Promise<Encoder<A>>
}

// compression

/** Throws an `InvalidOption` for zstd where this version of Node has none. To be called before a file is opened. */
export const checkCompression = (compress: Compression): void => {
  if (compress === 'zstd' && typeof zlib.zstdCompress !== 'function') {
    throw new InvalidOption('compress', "'gzip' or 'none': zstd needs Node 22.15 or later")
  }
}

/** Compresses bytes to a frame, in another thread. Frames one after the other are a file, which can be cut between two. */
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

/** The known extensions, in words. */
export const EXTENSIONS = `${Object.keys(FORMATS).join(', ')}, and after them ${Object.keys(COMPRESSED).join(' or ')}`

/** Returns the extension of files: `csv.gz`. */
export const extensionOf = (name: FormatName, compress: Compression): string =>
  name + (Object.keys(COMPRESSED).find((extension) => COMPRESSED[extension] === compress) ?? '')

export interface ByExtension {
  readonly format?: FormatName
  readonly compress?: Compression
  /** An extension that is not known: `.xlsx`. */
  readonly unknown?: string
}

/** Reads format and compression off the name of a file: `charges.csv.gz` is CSV in gzip. */
export const byExtension = (path: string): ByExtension => {
  const name = basename(path).toLowerCase()
  const compress = COMPRESSED[extname(name)]
  const extension = extname(compress === undefined ? name : basename(name, extname(name)))
  const format = FORMATS[extension]
  const isUnknown = format === undefined && extension !== ''
  return withoutUndefined({ compress, format, unknown: isUnknown ? extension : undefined })
}

/** Throws an `InvalidOption` where the name of a file says another format or compression than it is written in. */
export const checkName = (
  option: string,
  path: string,
  { name, compress, extension }: Pick<Format<never>, 'name' | 'compress' | 'extension'>,
): void => {
  const said = byExtension(path)
  const outer = name === 'parquet' ? undefined : compress // Parquet is compressed inside
  const isOther = said.format !== undefined && said.format !== name
  if (!isOther && (said.compress === undefined || said.compress === outer)) return
  const words = Object.values(withoutUndefined({ format: said.format, compress: said.compress }))
  throw new InvalidOption(
    option,
    `a name that goes with the format, such as NAME.${extension}, and says ${words.join(' in ')}`,
  )
}
