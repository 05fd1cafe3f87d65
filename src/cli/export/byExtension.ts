/** What the name of a file says of how it is written. */
import { basename, extname } from 'node:path'
import type { Compression, FormatName } from '../../export/index.js'
import { defined } from '../../fp.js'

// model

export interface ByExtension {
  readonly format?: FormatName
  readonly compress?: Compression
  /** An extension that is none of ours: `.xlsx`. */
  readonly unknown?: string
}

const COMPRESSED: Readonly<Record<string, Compression>> = { '.gz': 'gzip', '.zst': 'zstd' }

const FORMATS: Readonly<Record<string, FormatName>> = {
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.json': 'json',
  '.csv': 'csv',
  '.parquet': 'parquet',
}

/** The names there are, in words. */
export const EXTENSIONS = `${Object.keys(FORMATS).join(', ')}, and after them ${Object.keys(COMPRESSED).join(' or ')}`

// constructors

/** `charges.csv.gz` is CSV in gzip; a name without an extension says nothing. */
export const byExtension = (path: string): ByExtension => {
  const name = basename(path).toLowerCase()
  const compress = COMPRESSED[extname(name)]
  const extension = extname(compress === undefined ? name : basename(name, extname(name)))
  const format = FORMATS[extension]
  return {
    ...defined({ compress, format }),
    ...(format === undefined && extension !== '' ? { unknown: extension } : {}),
  }
}
