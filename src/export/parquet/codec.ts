import zlib from 'node:zlib'
import type { CompressionCodec } from 'hyparquet'
import { needZstd } from '../format/compress.js'
import type { Compression } from '../format/Format.js'

/** A compression, and what does it. */
export interface PageCodec {
  readonly codec: CompressionCodec
  readonly compressors: { readonly [K in CompressionCodec]?: (page: Uint8Array) => Uint8Array }
}

/** What the pages of a file are compressed with. Throws an `InvalidOption`. */
export const pageCodec = (compress: Compression): PageCodec => {
  switch (compress) {
    case 'none':
      return { codec: 'UNCOMPRESSED', compressors: {} }
    case 'gzip':
      return { codec: 'GZIP', compressors: { GZIP: (page) => zlib.gzipSync(page) } }
    case 'zstd':
      needZstd()
      return { codec: 'ZSTD', compressors: { ZSTD: (page) => zlib.zstdCompressSync(page) } }
  }
}
