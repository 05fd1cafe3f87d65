/** Reads the row groups of a Parquet file one at a time. Values are as stored, without being converted to numbers. */
import zlib from 'node:zlib'
import {
  type AsyncBuffer,
  type FileMetaData,
  parquetMetadataAsync,
  parquetReadObjects,
} from 'hyparquet'
import { codeOf } from '../../store/FileSystem.js'
import { isStoreError, storeError } from '../../store/StoreError.js'
import type { ReadableFile } from '../storage/Files.js'

export type StoredRow = Readonly<Record<string, unknown>>

export interface RowGroup {
  readonly metadata: FileMetaData
  readonly rows: ReadonlyArray<StoredRow>
}

/** Maximum size of a page and of a single read, in bytes; far more than an export writes. */
const MOST_BYTES = 1 << 29

/** Maximum number of columns, and of rows per group. */
const MOST = { columns: 1_000, rows: 10_000_000 }

const within = (bytes: number) => ({ maxOutputLength: Math.max(1, Math.min(bytes, MOST_BYTES)) })

const decompressors = {
  GZIP: (page: Uint8Array, bytes: number) => zlib.gunzipSync(page, within(bytes)),
  ZSTD: (page: Uint8Array, bytes: number) => zlib.zstdDecompressSync(page, within(bytes)),
}

/** Reads an open file, and closes it. `path` names the file in messages. */
export async function* rowGroupsOf(opened: ReadableFile, path: string): AsyncGenerator<RowGroup> {
  try {
    const damaged = damagedAt(path)
    const file = bufferOf(path, opened)
    const metadata = await parquetMetadataAsync(file).catch(damaged)
    const { schema, row_groups: groups } = metadata
    const isBounded =
      schema.length <= MOST.columns + 1 &&
      groups.every(({ num_rows }) => num_rows >= 0 && num_rows <= MOST.rows)
    if (!isBounded) damaged(undefined)
    let rowStart = 0
    for (const { num_rows } of metadata.row_groups) {
      const rowEnd = rowStart + Number(num_rows)
      const rows = await parquetReadObjects({
        ...{ file, metadata: plain(metadata), rowStart, rowEnd, compressors: decompressors },
      }).catch(damaged)
      rowStart = rowEnd
      yield { metadata, rows }
    }
  } finally {
    await opened.close()
  }
}

/** Throws system errors unchanged, and others as `Damaged`: the library throws any error for wrong lengths and counts. */
export const damagedAt =
  (path: string) =>
  (cause: unknown): never => {
    const code = codeOf(cause) ?? ''
    if (isStoreError(cause) || /^E[A-Z]+$/.test(code)) throw cause
    throw storeError('Damaged', `${path} is damaged, or is not a Parquet file`, { path }, cause)
  }

/** Removes the columns' logical types, so that values are returned as stored. */
const plain = (metadata: FileMetaData): FileMetaData => ({
  ...metadata,
  schema: metadata.schema.map(({ converted_type: _, logical_type: __, ...element }) => element),
})

const bufferOf = (path: string, { size, read }: ReadableFile): AsyncBuffer => {
  const slice = async (from: number, to: number): Promise<ArrayBuffer> => {
    if (!(from >= 0 && to >= from && to <= size && to - from <= MOST_BYTES)) {
      return damagedAt(path)(undefined)
    }
    return Uint8Array.from(await read(from, to - from)).buffer
  }
  return {
    byteLength: size,
    slice: (from, to = size) => {
      const bytes = slice(from, to)
      bytes.catch(() => {}) // the library starts several reads at once, and may drop the others if one of them fails
      return bytes
    },
  }
}
