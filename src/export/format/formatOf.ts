import type { Decodes } from '../../codec/Codec.js'
import { checkOptions, is, type OptionsTable, required } from '../../options/index.js'
import { beyondJson } from '../column/beyondJson.js'
import { type Column, chosenColumns, columnsOf } from '../column/Column.js'
import { exactMoney, exactNumbers } from '../column/exactMoney.js'
import type { Numbers } from '../column/Numbers.js'
import { type ColumnType, type Shape, shapeOf } from '../column/Shape.js'
import { storable } from '../column/store.js'
import type { Fitting } from '../column/UnrepresentableRow.js'
import { extensionOf, hasZstd, needZstd } from './compress.js'
import { csvText } from './csv.js'
import {
  type Compression,
  compressions,
  type Format,
  type FormatName,
  formatNames,
} from './Format.js'
import { jsonText, jsonTexts, ndjsonText } from './json.js'
import { textEncoder } from './text.js'

// model

/** A format, and what may be said of how it writes. */
export interface FormatOptions {
  /** How rows are written: one of `formatNames`. */
  readonly format: FormatName
  /**
   * Default `none`. In Parquet it is the pages that are compressed: by default with zstd, or with gzip where
   * this version of Node has no zstd.
   */
  readonly compress?: Compression
  /**
   * Fields and their order, those of nested objects under dotted names; `NAME:TYPE` for a field that the
   * codec does not name. Default: all that the codec names; in NDJSON and JSON, all that came.
   */
  readonly columns?: ReadonlyArray<string>
  /**
   * `exact` writes the digits of numbers as they came: for a client with `numbers: 'exact'`, which keeps them.
   * Default `fast`.
   */
  readonly numbers?: Numbers
  /** CSV: `escape` keeps spreadsheets from running texts as formulas. Default `keep`. */
  readonly formulas?: 'escape' | 'keep'
  /** Parquet: numbers with decimals as `DECIMAL(18, 4)`, or as text. Default `decimal`. */
  readonly amounts?: 'decimal' | 'text'
  /** Parquet: rows in a row group, which are kept in memory until it is written. Default 20,000. */
  readonly rowGroup?: number
}

/** A column that a file has, unless others are chosen. */
export interface KnownColumn {
  /** Its name, such as `amount` or `quote_summary.expires_at`. */
  readonly name: string
  /** What a file keeps it as. */
  readonly type: ColumnType
}

/** Rows in a row group by default. */
const ROW_GROUP = 20_000

// constructors

const rules: OptionsTable<FormatOptions> = {
  format: required(is.oneOf(...formatNames)),
  compress: is.oneOf(...compressions),
  columns: is.arrayOf(is.string, 'a list of names of columns'),
  numbers: is.oneOf('exact', 'fast'),
  formulas: is.oneOf('escape', 'keep'),
  amounts: is.oneOf('decimal', 'text'),
  rowGroup: is.int(1),
}

/**
 * Makes a format for rows of a codec. Throws an `InvalidOption` for an option that cannot work, such as a column that
 * the codec does not have, or zstd where this version of Node has none.
 */
export const formatOf = <A>(codec: Decodes<A>): ((options: FormatOptions) => Format<A>) =>
  formatOfShape(shapeOf(codec))

/** The same, of a shape. */
export const formatOfShape =
  <A>(shape: Shape) =>
  (given: FormatOptions): Format<A> => {
    const options = checkOptions(given, rules)
    const { columns, compress } = options
    if (compress !== undefined) needZstd(compress)
    const chosen = columns === undefined ? undefined : chosenColumns(shape)(columns)
    return withColumns(shape, chosen, options)
  }

/** Returns the columns of a file of rows of this codec, unless others are chosen. */
export const knownColumns = <A>(codec: Decodes<A>): ReadonlyArray<KnownColumn> =>
  columnsOf(shapeOf(codec)).map(({ name, type }) => ({ name, type }))

const withColumns = (
  shape: Shape,
  chosen: ReadonlyArray<Column> | undefined,
  { format: name, formulas = 'keep', numbers = 'fast', ...options }: FormatOptions,
): Format<unknown> => {
  const all = chosen ?? columnsOf(shape)
  const isWhole = chosen === undefined && (name === 'ndjson' || name === 'json')
  const exact = both(beyondJson, exactMoney(all, { numbers, anywhere: !isWhole }))
  const anew = isWhole ? both(exact, exactNumbers(numbers)) : exact
  const named = all.map((column) => column.name)

  if (name === 'parquet') {
    const { amounts = 'decimal', rowGroup = ROW_GROUP } = options
    const compress = options.compress ?? (hasZstd() ? 'zstd' : 'gzip')
    const stored = { numbers, amounts, rowGroup, compress }
    return {
      name,
      compress,
      extension: name,
      columns: named,
      misfit: both(exact, storable(all, stored)),
      encoder: async (to, kept) => {
        const { parquetEncoder } = await import('../parquet/parquetEncoder.js') // or not, to start fast
        return parquetEncoder(all, stored)(to, kept)
      },
    }
  }

  const { compress = 'none' } = options
  const json = jsonTexts(numbers, chosen)
  const texts = {
    ndjson: () => ndjsonText(json),
    json: () => jsonText(json),
    csv: () => csvText(all, { numbers, formulas }),
  }
  return {
    name,
    compress,
    extension: extensionOf(name, compress),
    columns: name === 'csv' || chosen !== undefined ? named : [],
    misfit: (row, isExact = false) => (isExact ? exact : anew)(row),
    encoder: textEncoder(texts[name](), compress),
  }
}

/** The first reason of the two, if there is one. */
const both =
  (one: Fitting, other: Fitting): Fitting =>
  (row) =>
    one(row) ?? other(row)
