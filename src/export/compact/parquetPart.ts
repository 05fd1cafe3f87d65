/** Files of Parquet. Values are copied as they are stored, a row group at a time. */
import zlib from 'node:zlib'
import {
  type AsyncBuffer,
  type FileMetaData,
  parquetMetadataAsync,
  parquetReadObjects,
  type SchemaElement,
} from 'hyparquet'
import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import { exportError } from '../ExportError.js'
import { type FileHandle, type FileSystem, readFully } from '../file/FileSystem.js'
import type { PartFormat, RowId } from './PartFormat.js'

const decompressors = {
  GZIP: (page: Uint8Array) => zlib.gunzipSync(page),
  ZSTD: (page: Uint8Array) => zlib.zstdDecompressSync(page),
}

const compressors = {
  GZIP: (page: Uint8Array) => zlib.gzipSync(page),
  ZSTD: (page: Uint8Array) => zlib.zstdCompressSync(page),
}

export const parquetPart: PartFormat = {
  ids: async function* (files, path) {
    for await (const { rows } of groupsOf(files, path, ['id'])) yield rows.map(idOf)
  },
  copy: async (files, path, to, isKept) => {
    const bytes = new ByteWriter()
    let writer: ParquetWriter | undefined
    let schema: ReadonlyArray<SchemaElement> = []
    let count = 0
    const handOn = async (): Promise<void> => {
      await to.append(bytes.getBytes())
      bytes.index = 0
    }
    for await (const { metadata, rows } of groupsOf(files, path)) {
      const codec = metadata.row_groups[0]?.columns[0]?.meta_data?.codec ?? 'UNCOMPRESSED'
      schema = metadata.schema
      writer ??= new ParquetWriter({
        writer: bytes,
        schema: plain(metadata).schema,
        codec,
        compressors,
        ...(metadata.created_by === undefined ? {} : { createdBy: metadata.created_by }),
      })
      const kept = rows.filter((row) => isKept(idOf(row)))
      if (kept.length === 0) continue
      count += kept.length
      const columnData = schema.slice(1).map(({ name, converted_type }) => ({
        name,
        data: kept.map((row) => row[name] ?? null),
        offsetIndex: false,
        statistics: converted_type !== 'JSON',
      }))
      await writer.write({ columnData, rowGroupSize: kept.length })
      writer.pendingIndexes = []
      await handOn()
    }
    if (writer === undefined) return 0
    writer.schema = [...schema] // readers are told what the bytes are
    await writer.finish()
    await handOn()
    return count
  },
}

type Row = Readonly<Record<string, unknown>>

interface Group {
  readonly metadata: FileMetaData
  readonly rows: ReadonlyArray<Row>
}

const idOf = ({ id }: Row): RowId => (typeof id === 'string' ? id : undefined)

async function* groupsOf(
  files: FileSystem,
  path: string,
  columns?: ReadonlyArray<string>,
): AsyncGenerator<Group> {
  const handle = await files.open(path, 'r')
  try {
    const file = await bufferOf(path, handle)
    const metadata = await parquetMetadataAsync(file)
    if (!metadata.schema.some(({ name }) => name === 'id')) {
      throw exportError('UnusablePath', `${path} has no column id`, { path })
    }
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
const plain = (metadata: FileMetaData): FileMetaData => ({
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
