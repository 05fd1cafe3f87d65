/** Current rows in Parquet. Stored values are copied from file to file without being converted to numbers. */
import { parseWithDigits } from '../../decode/digits.js'
import type { Column } from '../column/Column.js'
import { type Stored, storedColumn } from '../column/storedValue.js'
import { noFindings } from '../column/text.js'
import { type ParquetOptions, valueEncoder } from '../format/parquet.js'
import { damagedAt, rowGroupsOf } from '../read/parquetGroups.js'
import type { ReadableFile } from '../storage/Files.js'
import { GONE, PARENT } from '../transfer/Destination.js'
import { type BaseFormat, MemoryBytes, readTextPiece } from './BaseFormat.js'
import type { Batches } from './mergeRows.js'
import { type PieceRow, placeOf, secondAt } from './PieceRow.js'

type Values = ReadonlyArray<Stored>

/** Number of rows in a row group. A file is read and written one group at a time. */
const ROW_GROUP = 10_000

/** Creates the Parquet format with the columns of a list. */
export const parquetBase = (columns: ReadonlyArray<Column>): BaseFormat<Values> => {
  const options: ParquetOptions = {
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
      created:
        isTimed || textAt(parent) === '' ? secondAt(microsAt(created)) : placeOf(textAt(parent)),
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
    path: string,
  ): Batches<Values> & AsyncGenerator<ReadonlyArray<PieceRow<Values>>> {
    const stored = storedOf(path)
    for await (const { rows } of rowGroupsOf(inMemory(bytes), path)) {
      yield rows.map((row) => placed(columns.map(({ name }) => stored(row[name]))))
    }
  }

  return {
    extension: 'parquet',
    read,
    marked: (values, micros) => values.map((value, i) => (i === gone ? BigInt(micros) : value)),
    readIncoming: (bytes) =>
      readTextPiece(bytes, parseWithDigits, (_, row) =>
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

const inMemory = (bytes: Uint8Array<ArrayBuffer>): ReadableFile => ({
  ...{ size: bytes.length, id: '', isFile: true, close: async () => {} },
  read: async (position, length) => bytes.subarray(position, position + length),
})

const storedOf =
  (path: string) =>
  (value: unknown): Stored => {
    if (value === null || value === undefined) return null
    const isStored = typeof value === 'string' || typeof value === 'bigint'
    return isStored || typeof value === 'boolean' ? value : damagedAt(path)(undefined)
  }
