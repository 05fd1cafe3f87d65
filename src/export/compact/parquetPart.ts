/** Files of Parquet. Values are copied as they are stored, a row group at a time. */
import zlib from 'node:zlib'
import type { SchemaElement } from 'hyparquet'
import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import { defined } from '../../fp.js'
import type { FileSystem } from '../../store/FileSystem.js'
import { exportError } from '../ExportError.js'
import { plain, type RowGroup, rowGroupsOf, type StoredRow } from '../read/parquetGroups.js'
import type { PartFormat, RowId } from './PartFormat.js'

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

const idOf = ({ id }: StoredRow): RowId => (typeof id === 'string' ? id : undefined)

const groupsOf = (
  files: FileSystem,
  path: string,
  columns?: ReadonlyArray<string>,
): AsyncGenerator<RowGroup> =>
  rowGroupsOf(files, path, {
    ...defined({ columns }),
    check: ({ schema }) => {
      if (schema.some(({ name }) => name === 'id')) return
      throw exportError('UnusablePath', `${path} has no column id`, { path })
    },
  })
