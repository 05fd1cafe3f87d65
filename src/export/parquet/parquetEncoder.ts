import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import type { Column } from '../column/Column.js'
import { type Stored, type StoreOptions, storeOf } from '../column/store.js'
import { checksumMismatch } from '../ExportError.js'
import type { Bytes } from '../file/ByteFile.js'
import type { Compression, Encoder, Kept } from '../format/Format.js'
import { pageCodec } from './codec.js'
import { typeEmptyGroups } from './emptyGroups.js'
import { type Groups, groupsUpTo, recordOf } from './record.js'
import { schemaOf } from './schema.js'

// model

/** How values, pages and row groups are written. */
export interface ParquetOptions extends StoreOptions {
  readonly compress: Compression
  /** Rows that are kept back for a row group; a flush ends one with fewer. */
  readonly rowGroup: number
}

const CREATED_BY = 'payments-rx'

// combinators

/** As a message says it. */
const described = ({ name, type }: Column, { amounts }: StoreOptions): string =>
  `${name} (${type === 'decimal' && amounts === 'text' ? 'decimal as text' : type})`

/** Throws a `ChecksumMismatch`: one footer would say of all groups what is true of the new ones. */
const sameColumns = (path: string, was: Groups['columns'], is: Groups['columns']): void => {
  const at = is.findIndex((column, i) => column !== was[i])
  if (at < 0 && is.length === was.length) return
  const differs = at < 0 ? is.length : at
  const begun = was[differs] ?? 'none'
  const now = is[differs] ?? 'none'
  throw checksumMismatch(
    path,
    `was begun with other columns: column ${differs + 1} was ${begun}, and now it is ${now}`,
  )
}

// constructors

/** Rows as a Parquet file, a row group at a time: memory is that of one. */
export const parquetEncoder =
  (columns: ReadonlyArray<Column>, options: ParquetOptions) =>
  async (to: Bytes, kept?: Kept): Promise<Encoder<unknown>> => {
    const stores = columns.map((column) => storeOf(column, options).of)
    const bytes = new ByteWriter()
    const writer = new ParquetWriter({
      ...pageCodec(options.compress),
      writer: bytes,
      schema: schemaOf(columns, options, 'the writer'),
      createdBy: CREATED_BY,
    })
    const named = columns.map((column) => described(column, options))
    let recorded = 0
    let before = 0
    if (kept !== undefined && kept.mark.bytes > 0) {
      const records = await groupsUpTo(kept)
      if (records === undefined) throw checksumMismatch(kept.path, 'is not Parquet up to its mark')
      for (const { columns } of records) sameColumns(kept.path, columns, named)
      const groups = records.flatMap(({ groups }) => groups)
      writer.row_groups = groups
      writer.num_rows = groups.reduce((sum, { num_rows }) => sum + num_rows, 0n)
      recorded = groups.length
      before = kept.mark.bytes
      bytes.index = 0 // its opening bytes are there
      bytes.offset = before
    }

    let waiting = columns.map((): Array<Stored> => [])
    let count = 0

    const handOn = async (): Promise<void> => {
      const chunk = bytes.getBytes()
      bytes.index = 0
      await to.append(chunk)
    }

    const endGroup = async (): Promise<void> => {
      if (count === 0) return
      const columnData = columns.map(({ name, type }, at) => ({
        name,
        data: waiting[at] ?? [],
        offsetIndex: false,
        statistics: type !== 'json', // of use to nobody, and as long as the longest text
      }))
      await writer.write({ columnData, rowGroupSize: count })
      writer.pendingIndexes = [] // of the indexes that are not written
      waiting = columns.map(() => [])
      count = 0
      await handOn()
    }

    const add = (row: unknown): void => {
      for (const [at, store] of stores.entries()) waiting[at]?.push(store(row) ?? null)
      count++
    }

    return {
      rows: async (rows) => {
        for (const row of rows) {
          add(row)
          if (count === options.rowGroup) await endGroup()
        }
      },
      flush: async () => {
        await endGroup()
        if (to.size() === before && before > 0) return // nothing came since
        const record = recordOf(
          { columns: named, groups: writer.row_groups.slice(recorded) },
          before,
        )
        bytes.appendBytes(record)
        await handOn()
        recorded = writer.row_groups.length
        before = to.size()
      },
      end: async () => {
        await endGroup()
        writer.schema = schemaOf(columns, options, 'readers')
        await writer.finish()
        if (writer.row_groups.length === 0) typeEmptyGroups(bytes.getBytes(), CREATED_BY)
        await handOn()
      },
    }
  }
