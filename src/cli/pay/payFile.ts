/** Files of payments: CSV, NDJSON or Parquet, read a row at a time, as often as it takes. */
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import { NewBatchItem } from '../../codec/NewBatchItem.js'
import { type Causes, causes } from '../../decode/causes.js'
import { digitsOf, parseExact } from '../../decode/index.js'
import { fieldsOf, isRecord } from '../../decode/unknown.js'
import { rowGroupsOf } from '../../export/read/parquetGroups.js'
import { storedTextOf } from '../../export/read/rowText.js'
import { openedToRead } from '../../export/read/textLines.js'
import { locationOf, openFiles } from '../../export/storage/openFiles.js'
import { E, O, withoutUndefined } from '../../fp.js'
import { requestIdOf } from '../../http/retry/Outcome.js'
import { codeOf, isError } from '../../store/FileSystem.js'
import { UsageError } from '../output.js'
import { isAmount, kindOf, put, WHY } from './itemFields.js'
import { checkField, type PayMap } from './payMap.js'

// model

export const payFormats = ['csv', 'ndjson', 'parquet'] as const

export type PayFormat = (typeof payFormats)[number]

export interface PayFileOptions {
  readonly path: string
  /** The file as the user named it. */
  readonly name: string
  readonly format: PayFormat
  readonly run: string
  readonly map: PayMap | undefined
}

/** A row that is no payment. */
export interface UnreadableRow {
  readonly _tag: 'UnreadableRow'
  /** Its `request_id`, if that can be read. */
  readonly requestId?: string
  readonly causes: Causes
}

/** A row of a file. */
export interface PayRow {
  /** The texts of its columns, by their names. */
  readonly cells: ReadonlyMap<string, string>
  readonly item: E.Either<UnreadableRow, NewBatchItem>
}

// reading

/** Returns what separates the cells: the most frequent of these in the first line. */
const delimiterOf = async (path: string): Promise<string> => {
  let start = ''
  for await (const text of textsOf(path)) {
    start += text
    if (start.includes('\n')) break
  }
  const [header = ''] = start.split('\n', 1)
  const counts = DELIMITERS.map((delimiter) => header.split(delimiter).length)
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ','
}

const DELIMITERS = [',', ';', '\t']

/** Returns the format that the name of a file says. */
export const formatOfName = (name: string): PayFormat | undefined => {
  if (/\.(csv|tsv|txt)$/i.test(name)) return 'csv'
  if (/\.(ndjson|jsonl)$/i.test(name)) return 'ndjson'
  return /\.parquet$/i.test(name) ? 'parquet' : undefined
}

/** Reads the rows from the beginning. Throws a `UsageError` for a file that cannot be read, or has wrong columns. */
export async function* rowsOf(options: PayFileOptions): AsyncGenerator<PayRow> {
  const { run, map, name } = options
  let row = 0
  try {
    for await (const { cells, value } of READERS[options.format](options)) {
      row++
      const given =
        value === undefined || map !== undefined ? itemOf(cells, map) : withTextAmounts(value)
      const item =
        isRecord(given) && isNone(given.request_id)
          ? { ...given, request_id: idOfRow(run, row) }
          : given
      const decoded = NewBatchItem.decode(item)
      const requestId = requestIdOf(item)
      yield {
        cells,
        item: E.mapLeft(
          (errors: Parameters<typeof causes>[0]): UnreadableRow => ({
            _tag: 'UnreadableRow',
            ...withoutUndefined({ requestId }),
            causes: causes(errors),
          }),
        )(decoded),
      }
    }
  } catch (error) {
    throw error instanceof UsageError ? error : new UsageError(unreadable(name, row, error))
  }
}

const isNone = (u: unknown): boolean => u === undefined || u === null || u === ''

const unreadable = (name: string, row: number, error: unknown): string => {
  const code = codeOf(error) ?? ''
  if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return `${name} is not UTF-8: save it as such`
  const place = row === 0 ? '' : ` after row ${row}`
  if (error instanceof CsvError || code === '') {
    return `${name} cannot be read${place}: ${isError(error) ? error.message : 'it is of another format'}`
  }
  return `cannot read ${name} (${code})`
}

interface ReadRow {
  readonly cells: ReadonlyMap<string, string>
  /** The row itself, where it is an object. */
  readonly value?: unknown
}

const READERS: Readonly<Record<PayFormat, (options: PayFileOptions) => AsyncIterable<ReadRow>>> = {
  csv: async function* ({ path, name, map }) {
    let header: ReadonlyArray<string> | undefined
    const parser = parse({
      bom: true,
      delimiter: await delimiterOf(path),
      skip_empty_lines: true,
      relax_column_count: true,
      trim: true,
    })
    const source = Readable.from(textsOf(path))
    source.on('error', (error) => parser.destroy(error))
    const records: AsyncIterable<ReadonlyArray<string>> = source.pipe(parser)
    for await (const record of records) {
      if (header === undefined) {
        header = record
        checkColumns(name, header, map)
        continue
      }
      if (record.length > header.length) {
        throw new UsageError(
          `${name}: a row has ${record.length} cells, and there are ${header.length} columns: put quotes around a value that has a comma`,
        )
      }
      yield { cells: new Map(header.map((column, at) => [column, record[at] ?? ''])) }
    }
    if (header === undefined)
      throw new UsageError(`${name} is empty: its first line should name the columns`)
  },

  ndjson: async function* ({ path }) {
    let rest = ''
    const read = (line: string): ReadRow => {
      const value = parseExact(line)
      return { cells: flattened(value), value }
    }
    for await (const text of textsOf(path)) {
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) if (line.trim() !== '') yield read(line)
    }
    if (rest.trim() !== '') yield read(rest)
  },

  parquet: async function* ({ path, name, map }) {
    let isFirst = true
    const location = locationOf(path)
    const files = await openFiles(location.folder, {})
    const file = await openedToRead({ files, name: location.name, path })
    for await (const { metadata, rows } of rowGroupsOf(file, path)) {
      const columns = metadata.schema.slice(1).map((element) => ({
        name: element.name,
        textOf: storedTextOf('text', element),
      }))
      if (isFirst)
        checkColumns(
          name,
          columns.map((column) => column.name),
          map,
        )
      isFirst = false
      for (const row of rows) {
        const cells = columns.map((column): readonly [string, string] => {
          const json = column.textOf(row[column.name])
          return [column.name, json === undefined ? '' : plain(json)]
        })
        yield { cells: new Map(cells) }
      }
    }
  },
}

/** A JSON string without its quotes; a number as it is. */
const plain = (json: string): string => (json.startsWith('"') ? String(JSON.parse(json)) : json)

/** Reads a file as UTF-8; rejects other encodings, in which names would be spelt wrong. */
async function* textsOf(path: string): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  for await (const chunk of createReadStream(path)) yield decoder.decode(chunk, { stream: true })
  yield decoder.decode()
}

/** Throws for a column that is no field, or that the map names and the file does not have. */
const checkColumns = (
  name: string,
  columns: ReadonlyArray<string>,
  map: PayMap | undefined,
): void => {
  const twice = columns.find((column, at) => columns.indexOf(column) !== at)
  if (twice !== undefined)
    throw new UsageError(`${name}: two columns are called ${JSON.stringify(twice)}`)
  if (map === undefined) {
    for (const column of columns) if (column !== WHY) checkField(name, column)
    return
  }
  for (const source of map.values()) {
    if ('column' in source && !columns.includes(source.column)) {
      throw new UsageError(
        `${name} has no column ${JSON.stringify(source.column)}, which --map names`,
      )
    }
  }
}

// items

/** Makes an item of the cells of a row; an empty cell is no value. */
const itemOf = (
  cells: ReadonlyMap<string, string>,
  map: PayMap | undefined,
): Record<string, unknown> => {
  const item: Record<string, unknown> = {}
  const texts: ReadonlyArray<readonly [string, string]> =
    map === undefined
      ? [...cells]
      : Array.from(map, ([field, source]) => [
          field,
          'column' in source ? (cells.get(source.column) ?? '') : source.value,
        ])
  for (const [name, text] of texts) {
    if (text === '' || name === WHY) continue
    put(item, pathOf(name), kindOf(name) === 'open' ? jsonOr(text) : text)
  }
  return item
}

/** Keys of open objects may have dots: `metadata.cost.centre` is `cost.centre` of `metadata`. */
const pathOf = (name: string): ReadonlyArray<string> => {
  const keys = name.split('.')
  const openAt = keys.findIndex((_, at) => kindOf(keys.slice(0, at + 1).join('.')) === 'open')
  return openAt < 0 || openAt === keys.length - 1
    ? keys
    : [...keys.slice(0, openAt + 1), keys.slice(openAt + 1).join('.')]
}

const jsonOr = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Keeps the digits of amounts that are numbers in the file. */
const withTextAmounts = (value: unknown): unknown => {
  if (!isRecord(value)) return value
  const amounts = Object.keys(value)
    .filter(isAmount)
    .map((name) => [name, O.getOrElse(() => value[name])(digitsOf(name)(value))])
  return { ...value, ...Object.fromEntries(amounts) }
}

/** The texts of an object's values, by dotted names. */
const flattened = (value: unknown, path = ''): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(fieldsOf(value)).flatMap(([key, inner]): Array<[string, string]> => {
      const name = path === '' ? key : `${path}.${key}`
      if (isRecord(inner)) return [...flattened(inner, name)]
      const digits = O.toUndefined(digitsOf(key)(fieldsOf(value)))
      const text = typeof inner === 'string' ? inner : (digits ?? JSON.stringify(inner) ?? '')
      return inner === null ? [] : [[name, text]]
    }),
  )

/** The `request_id` of a row that has none of its own; `row`: from 1. */
export const idOfRow = (run: string, row: number): string => `${run}-${row}`
