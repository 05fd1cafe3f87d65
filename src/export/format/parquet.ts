/** Writes rows as a Parquet file, one row group at a time, so that memory holds only one group. */
import zlib from 'node:zlib'
import type { CompressionCodec, SchemaElement } from 'hyparquet'
import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import { checksumMismatch } from '../../store/StoreError.js'
import type { Column } from '../column/Column.js'
import { PRECISION, SCALE } from '../column/decimal.js'
import { type Stored, type StoreOptions, storedColumn } from '../column/storedValue.js'
import { noFindings } from '../column/text.js'
import type { Bytes } from '../storage/Files.js'
import type { Compression, Encoder, Kept } from './Format.js'
import { groupsUpTo, type RowGroups, recordOf } from './parquetRecord.js'

export interface ParquetOptions extends StoreOptions {
  readonly compress: Compression
  /** Number of rows buffered for a row group. A flush ends a group early. */
  readonly rowGroup: number
}

const CREATED_BY = 'payments-rx'

export const parquetEncoder =
  (columns: ReadonlyArray<Column>, options: ParquetOptions) =>
  async (to: Bytes, kept?: Kept, findings = noFindings()): Promise<Encoder<unknown>> => {
    const stored = columns.map((column) => storedColumn(column, options, findings))
    const collect = (row: unknown, values: ReadonlyArray<Array<Stored>>): void => {
      for (const [at, { store }] of stored.entries()) values[at]?.push(store(row) ?? null)
    }
    return valueEncoder(columns, options, collect)(to, kept)
  }

/** Encodes rows of any kind: `collect` adds the values of a row to its columns. */
export const valueEncoder =
  <A>(
    columns: ReadonlyArray<Column>,
    options: ParquetOptions,
    collect: (row: A, values: ReadonlyArray<Array<Stored>>) => void,
  ) =>
  async (to: Bytes, kept?: Kept): Promise<Encoder<A>> => {
    const bytes = new ByteWriter()
    const writer = new ParquetWriter({
      ...pageCodecs[options.compress],
      writer: bytes,
      schema: schemaOf(columns, options, 'the writer'),
      createdBy: CREATED_BY,
    })
    const described = columns.map(({ name, type }) =>
      type === 'decimal' && options.amounts === 'text'
        ? `${name} (decimal as text)`
        : `${name} (${type})`,
    )
    let recorded = 0
    let before = 0
    if (kept !== undefined && kept.mark.bytes > 0) {
      writer.row_groups = [...(await groupsOf(kept, described))]
      writer.num_rows = writer.row_groups.reduce((sum, { num_rows }) => sum + num_rows, 0n)
      recorded = writer.row_groups.length
      before = kept.mark.bytes
      bytes.index = 0 // its first bytes have already been written
      bytes.offset = before
    }

    let waiting = columns.map((): Array<Stored> => [])
    let count = 0

    const handOn = async (): Promise<void> => {
      const encoded = bytes.getBytes()
      bytes.index = 0
      await to.append(encoded)
    }

    const endGroup = async (): Promise<void> => {
      if (count === 0) return
      const columnData = columns.map(({ name, type }, at) => ({
        name,
        data: waiting[at] ?? [],
        offsetIndex: false,
        statistics: type !== 'json', // useless, and as long as the longest text
      }))
      await writer.write({ columnData, rowGroupSize: count })
      writer.pendingIndexes = [] // for indexes, which are not written
      waiting = columns.map(() => [])
      count = 0
      await handOn()
    }

    return {
      rows: async (rows) => {
        for (const row of rows) {
          collect(row, waiting)
          count++
          if (count === options.rowGroup) await endGroup()
        }
      },
      flush: async () => {
        await endGroup()
        if (to.size() === before && before > 0) return // nothing has been added since
        const groups = writer.row_groups.slice(recorded)
        bytes.appendBytes(recordOf({ columns: described, groups }, before))
        await handOn()
        recorded = writer.row_groups.length
        before = to.size()
      },
      end: async () => {
        await endGroup()
        writer.schema = schemaOf(columns, options, 'readers')
        await writer.finish()
        if (writer.row_groups.length === 0) typeEmptyGroups(bytes.getBytes())
        await handOn()
      },
    }
  }

// resuming

/** Returns a resumed file's row groups. Throws `ChecksumMismatch` if columns differ: one footer describes all groups. */
const groupsOf = async (
  kept: Kept,
  described: RowGroups['columns'],
): Promise<RowGroups['groups']> => {
  const records = await groupsUpTo(kept)
  if (records === undefined)
    throw checksumMismatch(kept.path, 'is not valid Parquet up to the last saved position')
  for (const { columns } of records) {
    const at = Array.from({ length: Math.max(columns.length, described.length) }).findIndex(
      (_, i) => columns[i] !== described[i],
    )
    if (at < 0) continue
    const [begun = 'none', now = 'none'] = [columns[at], described[at]]
    throw checksumMismatch(
      kept.path,
      `was started with other columns (column ${at + 1} was ${begun}, but is now ${now})`,
    )
  }
  return records.flatMap(({ groups }) => groups)
}

// compression

interface PageCodec {
  readonly codec: CompressionCodec
  readonly compressors: { readonly [K in CompressionCodec]?: (page: Uint8Array) => Uint8Array }
}

const pageCodecs: Readonly<Record<Compression, PageCodec>> = {
  none: { codec: 'UNCOMPRESSED', compressors: {} },
  gzip: { codec: 'GZIP', compressors: { GZIP: (page) => zlib.gzipSync(page) } },
  zstd: { codec: 'ZSTD', compressors: { ZSTD: (page) => zlib.zstdCompressSync(page) } },
}

// schema

/**
 * Returns the root and an element for each column. Every column is nullable. The types of text columns are only for readers; if
 * the writer had them, it would encode JSON twice, and encode all texts of a row group before writing the first one.
 */
const schemaOf = (
  columns: ReadonlyArray<Column>,
  { amounts }: Pick<StoreOptions, 'amounts'>,
  audience: 'the writer' | 'readers',
): Array<SchemaElement> => [
  { name: 'rows', num_children: columns.length },
  ...columns.map(({ name, type }): SchemaElement => {
    const element = { name, repetition_type: 'OPTIONAL' } as const
    if (isBytes(type, amounts)) {
      const bytes: SchemaElement = { ...element, type: 'BYTE_ARRAY' }
      if (audience === 'the writer') return bytes
      return type === 'json'
        ? { ...bytes, converted_type: 'JSON', logical_type: { type: 'JSON' } }
        : { ...bytes, converted_type: 'UTF8' }
    }
    switch (type) {
      case 'boolean':
        return { ...element, type: 'BOOLEAN' }
      case 'time':
        return {
          ...element,
          type: 'INT64',
          converted_type: 'TIMESTAMP_MICROS',
          logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
        }
      case 'decimal':
        return {
          ...element,
          type: 'INT64',
          converted_type: 'DECIMAL',
          precision: PRECISION,
          scale: SCALE,
        }
      default:
        return { ...element, type: 'INT64' }
    }
  }),
]

const isBytes = (type: Column['type'], amounts: StoreOptions['amounts']): boolean =>
  type === 'text' || type === 'json' || (type === 'decimal' && amounts === 'text')

// the file has no rows

/**
 * Sets the element type of a footer's empty list of row groups, in place. In Thrift, a list includes the type of its elements.
 * The writer omits that type for an empty list, and strict readers (arrow-rs) then reject the file.
 *
 *     16 00      19     00 -> 0c               28 0b payments-rx
 *     no rows    list   none, of a structure   created by
 */
const typeEmptyGroups = (footer: Uint8Array): void => {
  const text = Buffer.from(footer.buffer, footer.byteOffset, footer.length).lastIndexOf(CREATED_BY)
  const list = text - 3
  if (footer[list - 1] === 0x19 && footer[list] === 0) footer[list] = 0x0c
}
