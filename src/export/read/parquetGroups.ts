/** The row groups of a Parquet file, one at a time, with values as they are stored: without a detour by numbers. */
import zlib from 'node:zlib'
import {
  type AsyncBuffer,
  type FileMetaData,
  parquetMetadataAsync,
  parquetReadObjects,
} from 'hyparquet'
import { type FileHandle, type FileSystem, readFully } from '../../store/FileSystem.js'

// model

export type StoredRow = Readonly<Record<string, unknown>>

export interface RowGroup {
  readonly metadata: FileMetaData
  readonly rows: ReadonlyArray<StoredRow>
}

export interface GroupOptions {
  /** Default: all. */
  readonly columns?: ReadonlyArray<string>
  /** Throws where the file is not fit to be read. */
  readonly check?: (metadata: FileMetaData) => void
}

const decompressors = {
  GZIP: (page: Uint8Array) => zlib.gunzipSync(page),
  ZSTD: (page: Uint8Array) => zlib.zstdDecompressSync(page),
}

// constructors

export async function* rowGroupsOf(
  files: Pick<FileSystem, 'open'>,
  path: string,
  { columns, check }: GroupOptions = {},
): AsyncGenerator<RowGroup> {
  const handle = await files.open(path, 'r')
  try {
    const file = await bufferOf(path, handle)
    const metadata = await parquetMetadataAsync(file)
    check?.(metadata)
    let rowStart = 0
    for (const { num_rows } of metadata.row_groups) {
      const rowEnd = rowStart + Number(num_rows)
      const rows = await parquetReadObjects({
        ...{ file, metadata: plain(metadata), rowStart, rowEnd, compressors: decompressors },
        ...(columns === undefined ? {} : { columns: [...columns] }),
      })
      rowStart = rowEnd
      yield { metadata, rows }
    }
  } finally {
    await handle.close()
  }
}

/** Without what the columns mean: values then come, and go, as they are stored. */
export const plain = (metadata: FileMetaData): FileMetaData => ({
  ...metadata,
  schema: metadata.schema.map(({ converted_type: _, logical_type: __, ...element }) => element),
})

const bufferOf = async (path: string, handle: FileHandle): Promise<AsyncBuffer> => {
  const { size } = await handle.stat()
  return {
    byteLength: size,
    slice: async (from, to = size) => {
      const bytes = await readFully(path, handle, from, to - from)
      return Uint8Array.from(bytes).buffer
    },
  }
}
