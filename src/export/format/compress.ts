/** Frames of compressed bytes. They can stand one after the other, and a file be cut between two. */
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import type { Compression } from './Format.js'

/** A frame of these bytes. */
export type Compress = (bytes: Uint8Array) => Promise<Uint8Array>

/** What this version of Node cannot do. */
export class Unsupported extends Error {
  override readonly name = 'Unsupported'
  readonly _tag = 'Unsupported'
}

/** Whether this version of Node has zstd. */
export const hasZstd = (): boolean => typeof zlib.zstdCompress === 'function'

/** Throws `Unsupported` if that is needed and not there: to be asked before a file is opened. */
export const needZstd = (compress: Compression = 'zstd'): void => {
  if (compress === 'zstd' && !hasZstd())
    throw new Unsupported('zstd needs Node 22.15 or later: choose gzip')
}

/** In another thread. Throws `Unsupported`. */
export const compressor = (compress: Exclude<Compression, 'none'>): Compress => {
  if (compress === 'gzip') return promisify<Uint8Array, Uint8Array>(zlib.gzip)
  needZstd()
  return promisify<Uint8Array, Uint8Array>(zlib.zstdCompress)
}

const EXTENSIONS: Readonly<Record<Compression, string>> = { none: '', gzip: '.gz', zstd: '.zst' }

/** What files are called by: `csv.gz`. */
export const extensionOf = (name: string, compress: Compression): string =>
  `${name}${EXTENSIONS[compress]}`
