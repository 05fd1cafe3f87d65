/** Frames of compressed bytes. They can stand one after the other, and a file be cut between two. */
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import { InvalidOption } from '../../options/index.js'
import type { Compression } from './Format.js'

/** A frame of these bytes. */
export type Compress = (bytes: Uint8Array) => Promise<Uint8Array>

/** Whether this version of Node has zstd. */
export const hasZstd = (): boolean => typeof zlib.zstdCompress === 'function'

/** Throws an `InvalidOption` for zstd where this version of Node has none. To be called before a file is opened. */
export const needZstd = (compress: Compression = 'zstd'): void => {
  if (compress === 'zstd' && !hasZstd()) {
    throw new InvalidOption('compress', "'gzip' or 'none': zstd needs Node 22.15 or later")
  }
}

/** In another thread. Throws an `InvalidOption`. */
export const compressor = (compress: Exclude<Compression, 'none'>): Compress => {
  if (compress === 'gzip') return promisify<Uint8Array, Uint8Array>(zlib.gzip)
  needZstd()
  return promisify<Uint8Array, Uint8Array>(zlib.zstdCompress)
}

const EXTENSIONS: Readonly<Record<Compression, string>> = { none: '', gzip: '.gz', zstd: '.zst' }

/** What files are called by: `csv.gz`. */
export const extensionOf = (name: string, compress: Compression): string =>
  `${name}${EXTENSIONS[compress]}`
