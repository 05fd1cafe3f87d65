import zlib from 'node:zlib'
import type { RowDecoder } from '../../codec/Codec.js'
import {
  is,
  type OptionsOf,
  type Resolved,
  required,
  resolveOptions,
  withDefault,
} from '../../options/index.js'
import { chosenColumns, columnsOf } from '../column/Column.js'
import { exactColumns, exactRow } from '../column/exactNumbers.js'
import { serializable } from '../column/json.js'
import { type ColumnType, type Shape, shapeOf } from '../column/Shape.js'
import { storable } from '../column/storedValue.js'
import type { RowCheck } from '../column/UnrepresentableRow.js'
import { csvText } from './csv.js'
import { checkCompression, compressions, extensionOf, type Format, formatNames } from './Format.js'
import { jsonText, jsonTexts, ndjsonText } from './json.js'
import { textEncoder } from './textEncoder.js'

const formatTable = {
  /** Format of the rows: one of `formatNames`. */
  format: required(is.oneOf(...formatNames)),
  /**
   * The compression. Default `none`. Parquet compresses its pages, by default with zstd, or with gzip if this version of Node
   * lacks zstd.
   */
  compress: is.oneOf(...compressions),
  /**
   * Fields in order, with dotted names for nested ones; `NAME:TYPE` for a field that the codec lacks. Default: all fields of
   * the codec; in NDJSON and JSON, all received fields.
   */
  columns: is.arrayOf(is.string, 'a list of column names'),
  /** CSV: `mask` adds the prefix `'` to texts that a spreadsheet would run as formulas. Default `keep`. */
  formulas: withDefault(is.oneOf('mask', 'keep'), 'keep'),
  /** Parquet: numbers with decimals as `DECIMAL(18, 4)`, or as text. Default `decimal`. */
  amounts: withDefault(is.oneOf('decimal', 'text'), 'decimal'),
  /** Parquet: rows per row group, buffered in memory until written. Default 20,000. */
  rowGroup: withDefault(is.int(1), 20_000),
}

/** A format and its options. */
export interface FormatOptions extends OptionsOf<typeof formatTable> {}

/** A default column of a file. */
export interface KnownColumn {
  /** The name of the column, such as `amount` or `quote_summary.expires_at`. */
  readonly name: string
  /** The type in which a file stores it. */
  readonly type: ColumnType
}

/**
 * Creates a format for rows of a codec. Throws an `InvalidOption` for an invalid option, such as a column that the codec lacks,
 * or zstd if this version of Node lacks it.
 */
export const formatOf = <A>(codec: RowDecoder<A>): ((options: FormatOptions) => Format<A>) =>
  formatOfShape(shapeOf(codec))

/** Returns the default columns of a file for rows of this codec. */
export const knownColumns = <A>(codec: RowDecoder<A>): ReadonlyArray<KnownColumn> =>
  columnsOf(shapeOf(codec)).map(({ name, type }) => ({ name, type }))

export const formatOfShape =
  <A>(shape: Shape) =>
  (given: FormatOptions): Format<A> => {
    const options = resolveOptions(given, formatTable)
    return options.format === 'parquet'
      ? parquetFormat(shape, options)
      : textFormat(shape, options.format, options)
  }

type Options = Resolved<typeof formatTable>

const parquetFormat = (shape: Shape, options: Options): Format<unknown> => {
  const { compress = typeof zlib.zstdCompress === 'function' ? 'zstd' : 'gzip' } = options
  checkCompression(compress)
  const columns = options.columns ? chosenColumns(shape)(options.columns) : columnsOf(shape)
  return {
    name: 'parquet',
    compress,
    extension: 'parquet',
    columns: columns.map(({ name }) => name),
    check: all(serializable(), exactColumns(columns), storable(columns, options)),
    encoder: async (to, kept, findings) => {
      const { parquetEncoder } = await import('./parquet.js') // loaded on demand, for a fast start
      return parquetEncoder(columns, { ...options, compress })(to, kept, findings)
    },
  }
}

const textFormat = (
  shape: Shape,
  name: 'ndjson' | 'json' | 'csv',
  { compress = 'none', columns: names, formulas }: Options,
): Format<unknown> => {
  checkCompression(compress)
  const chosen = names && chosenColumns(shape)(names)
  const columns = chosen ?? (name === 'csv' ? columnsOf(shape) : undefined)
  const json = jsonTexts(columns)
  const texts = {
    ndjson: () => ndjsonText(json),
    json: () => jsonText(json),
    csv: () => csvText(columns ?? [], { formulas }),
  }
  const amounts = columnsOf(shape).filter(({ type }) => type === 'decimal')
  const copied = all(serializable(), exactColumns(amounts))
  const written = columns
    ? all(serializable(), exactColumns(columns))
    : all(serializable(), exactColumns(amounts), exactRow)
  return {
    name,
    compress,
    extension: extensionOf(name, compress),
    columns: columns?.map((column) => column.name) ?? [],
    check: (row, isRaw = false) => (isRaw && columns === undefined ? copied : written)(row),
    encoder: textEncoder(texts[name](), compress),
  }
}

/** Combines checks. The combined check returns the first reason found. */
const all =
  (...checks: ReadonlyArray<RowCheck>): RowCheck =>
  (row) => {
    for (const check of checks) {
      const found = check(row)
      if (found !== undefined) return found
    }
    return undefined
  }
