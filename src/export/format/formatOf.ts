import zlib from 'node:zlib'
import type { Decodes } from '../../codec/Codec.js'
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

// model

const formatTable = {
  /** How rows are written: one of `formatNames`. */
  format: required(is.oneOf(...formatNames)),
  /**
   * Default `none`. In Parquet it is the pages that are compressed: by default with zstd, or with gzip where this
   * version of Node has no zstd.
   */
  compress: is.oneOf(...compressions),
  /**
   * Fields and their order, those of nested objects under dotted names; `NAME:TYPE` for a field that the codec does
   * not name. Default: all that the codec names; in NDJSON and JSON, all that came.
   */
  columns: is.arrayOf(is.string, 'a list of names of columns'),
  /**
   * `exact` writes the digits of numbers as they came: for a client with `numbers: 'exact'`, which keeps them.
   * Default `fast`.
   */
  numbers: withDefault(is.oneOf('exact', 'fast'), 'fast'),
  /** CSV: `mask` puts `'` before texts that a spreadsheet would run as formulas. Default `keep`. */
  formulas: withDefault(is.oneOf('mask', 'keep'), 'keep'),
  /** Parquet: numbers with decimals as `DECIMAL(18, 4)`, or as text. Default `decimal`. */
  amounts: withDefault(is.oneOf('decimal', 'text'), 'decimal'),
  /** Parquet: rows in a row group, which are kept in memory until it is written. Default 20,000. */
  rowGroup: withDefault(is.int(1), 20_000),
}

/** A format, and options of how it writes. */
export interface FormatOptions extends OptionsOf<typeof formatTable> {}

/** A column that a file has, unless others are chosen. */
export interface KnownColumn {
  /** Its name, such as `amount` or `quote_summary.expires_at`. */
  readonly name: string
  /** The type that a file stores it as. */
  readonly type: ColumnType
}

// constructors

/**
 * Makes a format for rows of a codec. Throws an `InvalidOption` for an option that cannot work, such as a column that
 * the codec does not have, or zstd where this version of Node has none.
 */
export const formatOf = <A>(codec: Decodes<A>): ((options: FormatOptions) => Format<A>) =>
  formatOfShape(shapeOf(codec))

/** Returns the columns of a file of rows of this codec, unless others are chosen. */
export const knownColumns = <A>(codec: Decodes<A>): ReadonlyArray<KnownColumn> =>
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
  const { numbers, compress = typeof zlib.zstdCompress === 'function' ? 'zstd' : 'gzip' } = options
  checkCompression(compress)
  const columns = options.columns ? chosenColumns(shape)(options.columns) : columnsOf(shape)
  return {
    name: 'parquet',
    compress,
    extension: 'parquet',
    columns: columns.map(({ name }) => name),
    check: all(serializable(), exactColumns(columns, numbers), storable(columns, options)),
    encoder: async (to, kept, findings) => {
      const { parquetEncoder } = await import('./parquet.js') // or not, to start fast
      return parquetEncoder(columns, { ...options, compress })(to, kept, findings)
    },
  }
}

const textFormat = (
  shape: Shape,
  name: 'ndjson' | 'json' | 'csv',
  { compress = 'none', columns: names, numbers, formulas }: Options,
): Format<unknown> => {
  checkCompression(compress)
  const chosen = names && chosenColumns(shape)(names)
  const columns = chosen ?? (name === 'csv' ? columnsOf(shape) : undefined)
  const json = jsonTexts(numbers, columns)
  const texts = {
    ndjson: () => ndjsonText(json),
    json: () => jsonText(json),
    csv: () => csvText(columns ?? [], { numbers, formulas }),
  }
  const amounts = columnsOf(shape).filter(({ type }) => type === 'decimal')
  const copied = all(serializable(), exactColumns(amounts, 'exact'))
  const written = columns
    ? all(serializable(), exactColumns(columns, numbers))
    : all(serializable(), exactColumns(amounts, numbers, numbers), exactRow(numbers))
  return {
    name,
    compress,
    extension: extensionOf(name, compress),
    columns: columns?.map((column) => column.name) ?? [],
    check: (row, isRaw = false) => (isRaw && columns === undefined ? copied : written)(row),
    encoder: textEncoder(texts[name](), compress),
  }
}

/** Returns the first reason. */
const all =
  (...checks: ReadonlyArray<RowCheck>): RowCheck =>
  (row) => {
    for (const check of checks) {
      const found = check(row)
      if (found !== undefined) return found
    }
    return undefined
  }
