/** What the name of a file says of how it is written. */
import { basename, extname } from 'node:path'
import { defined } from '../../fp.js'
import { InvalidOption } from '../../options/index.js'
import type { Compression, Format, FormatName } from './Format.js'

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

/** Throws an `InvalidOption` where the name of a file says another format than it is written in, or another compression. */
export const checkName = (
  option: string,
  path: string,
  { name, compress, extension }: Pick<Format<never>, 'name' | 'compress' | 'extension'>,
): void => {
  const said = byExtension(path)
  const within = name === 'parquet' ? undefined : compress // Parquet is compressed within
  const isOther = said.format !== undefined && said.format !== name
  if (!isOther && (said.compress === undefined || said.compress === within)) return
  const words = [said.format, said.compress].filter((word) => word !== undefined).join(' in ')
  throw new InvalidOption(
    option,
    `a name that goes with the format, such as NAME.${extension}, and says ${words}`,
  )
}
