/** Current rows in Parquet. Values are copied from file to file as they are stored, without a detour by numbers. */
import zlib from 'node:zlib'
import { type FileMetaData, parquetMetadata, parquetReadObjects } from 'hyparquet'
import { parseExact } from '../../decode/index.js'
import type { Column } from '../column/Column.js'
import type { Numbers } from '../column/decimal.js'
import { type Stored, storedColumn } from '../column/storedValue.js'
import { noFindings } from '../column/text.js'
import { exportError } from '../ExportError.js'
import { type ParquetOptions, valueEncoder } from '../format/parquet.js'
import { GONE, PARENT } from '../transfer/Destination.js'
import type { BaseFormat } from './BaseFormat.js'
import type { Batches } from './mergeRows.js'
import { type PieceRow, placeOf } from './PieceRow.js'
import { MemoryBytes, readTextPiece } from './textPieces.js'

type Values = ReadonlyArray<Stored>

/** Rows in a row group: a file is read and written one group at a time. */
const ROW_GROUP = 10_000

/** Parquet with the columns of a list; `numbers`: how incoming rows are read. */
export const parquetBase = (
  columns: ReadonlyArray<Column>,
  numbers: Numbers,
): BaseFormat<Values> => {
  const options: ParquetOptions = {
    numbers,
    amounts: 'decimal',
    compress: 'zstd',
    rowGroup: ROW_GROUP,
  }
  const stored = columns.map((column) => storedColumn(column, options, noFindings()))
  const at = (name: string): number => columns.findIndex((column) => column.name === name)
  const [id, created, updated, status] = ['id', 'created_at', 'updated_at', 'status'].map(at)
  const [gone, parent, parentUpdated] = [GONE, PARENT.id, PARENT.updated].map(at)

  const placed = (content: Values): PieceRow<Values> => {
    const textAt = (index = -1): string => textOf(content[index])
    const microsAt = (index = -1): number => microsOf(content[index])
    const isTimed = created !== undefined && created >= 0
    return {
      id: textAt(id),
      created: isTimed || textAt(parent) === '' ? microsAt(created) : placeOf(textAt(parent)),
      updated: microsAt(updated),
      status: textAt(status),
      gone: microsAt(gone),
      parent: textAt(parent),
      parentUpdated: microsAt(parentUpdated),
      content,
    }
  }

  async function* read(
    bytes: Uint8Array<ArrayBuffer>,
  ): Batches<Values> & AsyncGenerator<ReadonlyArray<PieceRow<Values>>> {
    const metadata = storedTypes(parquetMetadata(bytes.buffer))
    let rowStart = 0
    for (const { num_rows } of metadata.row_groups) {
      const rowEnd = rowStart + Number(num_rows)
      const rows = await parquetReadObjects({
        ...{ file: bytes.buffer, metadata, rowStart, rowEnd },
        compressors: { ZSTD: (page) => zlib.zstdDecompressSync(page) },
      })
      rowStart = rowEnd
      yield rows.map((row) => placed(columns.map(({ name }) => storedOf(row[name]))))
    }
  }

  return {
    extension: 'parquet',
    read,
    marked: (values, micros) => values.map((value, i) => (i === gone ? BigInt(micros) : value)),
    readIncoming: (bytes) =>
      readTextPiece(bytes, numbers === 'exact' ? parseExact : JSON.parse, (_, row) =>
        stored.map(({ store }) => store(row) ?? null),
      ),
    writer: () => {
      const bytes = new MemoryBytes()
      const encoder = valueEncoder<Values>(columns, options, (row, values) => {
        for (const [i, value] of row.entries()) values[i]?.push(value)
      })(bytes)
      return {
        size: bytes.size,
        add: async (rows) => (await encoder).rows(rows.map(({ content }) => content)),
        end: async () => {
          await (await encoder).end()
          return bytes.all()
        },
      }
    },
  }
}

const textOf = (value: Stored | undefined): string => (typeof value === 'string' ? value : '')

const microsOf = (value: Stored | undefined): number =>
  typeof value === 'bigint' ? Number(value) : 0

/** The metadata without what its columns mean: values then come as they are stored. */
const storedTypes = (metadata: FileMetaData): FileMetaData => ({
  ...metadata,
  schema: metadata.schema.map(({ converted_type, logical_type, ...element }) => element),
})

const storedOf = (value: unknown): Stored => {
  switch (typeof value) {
    case 'string':
    case 'bigint':
    case 'boolean':
      return value
    default:
      if (value === null || value === undefined) return null
      throw exportError('Damaged', 'a file of current rows has columns of other types', {
        path: 'parquet',
      })
  }
}
