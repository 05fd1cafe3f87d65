/** Files of payments: CSV or NDJSON. They are read row by row, possibly several times. */
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import { NewBatchItem } from '../../codec/NewBatchItem.js'
import { type Causes, parameterCauses } from '../../decode/causes.js'
import { digitsOf, parseExact } from '../../decode/index.js'
import { fieldsOf, isRecord } from '../../decode/unknown.js'
import { E, O, withoutUndefined } from '../../fp.js'
import { requestIdOf } from '../../http/retry/Outcome.js'
import { plural } from '../../report/text.js'
import { codeOf, isError } from '../../store/FileSystem.js'
import { UsageError } from '../output.js'
import { whyUnread } from '../whyUnread.js'
import { isAmount, kindOf, put, WHY } from './itemFields.js'
import { checkField, type PayMap } from './payMap.js'
import { rowProblems } from './rowRules.js'

export const payFormats = ['csv', 'ndjson'] as const

export type PayFormat = (typeof payFormats)[number]

export interface PayFileOptions {
  readonly path: string
  /** Name of the file, as given by the user. */
  readonly name: string
  readonly format: PayFormat
  /** Delimiter of CSV cells. If absent, it is the most frequent of comma, semicolon and tab in the first line. */
  readonly delimiter: string | undefined
  readonly run: string
  readonly map: PayMap | undefined
}

/** A row that is not a payment. */
export interface UnreadableRow {
  readonly _tag: 'UnreadableRow'
  /** Its `request_id`, if that is readable. */
  readonly requestId?: string
  readonly causes: Causes
}

export interface PayRow {
  /** The texts of its cells, by column name. */
  readonly cells: ReadonlyMap<string, string>
  readonly item: E.Either<UnreadableRow, NewBatchItem>
}

// reading

/** Maximum length of a line, cell or open quote, in characters: 1 MiB of ASCII text. */
const MAX_LENGTH = 1 << 20

/** Returns the most frequent delimiter in the first line, outside quotes. */
const delimiterOf = async (path: string): Promise<string> => {
  let start = ''
  for await (const text of textsOf(path)) {
    start += text
    if (text.includes('\n')) break
  }
  const [header = ''] = start.replace(/"[^"]*"/g, '').split('\n', 1)
  const counts = DELIMITERS.map((delimiter) => header.split(delimiter).length)
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ','
}

const DELIMITERS = [',', ';', '\t']

export const formatOfName = (name: string): PayFormat | undefined => {
  if (/\.(csv|tsv|txt)$/i.test(name)) return 'csv'
  return /\.(ndjson|jsonl)$/i.test(name) ? 'ndjson' : undefined
}

/** Reads the rows from the beginning. Throws a `UsageError` for a file that is unreadable or has the wrong columns. */
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
      const [first, ...others] = [
        ...(E.isLeft(decoded) ? parameterCauses(decoded.left) : []),
        ...rowProblems(item),
      ]
      const requestId = requestIdOf(item)
      yield {
        cells,
        item:
          first === undefined && E.isRight(decoded)
            ? decoded
            : E.left({
                _tag: 'UnreadableRow',
                ...withoutUndefined({ requestId }),
                causes: [first, ...others],
              }),
      }
    }
  } catch (error) {
    throw error instanceof UsageError
      ? error
      : new UsageError(unreadable(options.path, name, row, error))
  }
}

const isNone = (u: unknown): boolean => u === undefined || u === null || u === ''

const unreadable = (path: string, name: string, row: number, error: unknown): string => {
  const code = codeOf(error) ?? ''
  if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return `${name} is not UTF-8: save it as UTF-8`
  const place = row === 0 ? '' : ` after row ${row}`
  if (code === 'CSV_MAX_RECORD_SIZE') return `${name} cannot be read${place}: ${TOO_LONG}`
  if (error instanceof CsvError || code === '') {
    return `${name} cannot be read${place}: ${isError(error) ? error.message : 'unknown format'}`
  }
  return name === path ? whyUnread(path, error) : `cannot read ${name} (${code})`
}

const TOO_LONG = 'a row is longer than 1 MiB; is a closing quote or a line break missing?'

interface ReadRow {
  readonly cells: ReadonlyMap<string, string>
  /** The row itself, if it is an object. */
  readonly value?: unknown
}

const READERS: Readonly<Record<PayFormat, (options: PayFileOptions) => AsyncIterable<ReadRow>>> = {
  csv: async function* ({ path, name, map, delimiter }) {
    let header: ReadonlyArray<string> | undefined
    let row = 0
    const parser = parse({
      bom: true,
      delimiter: delimiter ?? (await delimiterOf(path)),
      skip_empty_lines: true,
      skip_records_with_empty_values: true, // a line that consists of delimiters only
      relax_column_count: true,
      max_record_size: MAX_LENGTH,
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
      row++
      if (record.length !== header.length) {
        const advice =
          record.length > header.length
            ? 'put quotes around values that contain a comma'
            : 'a value or a delimiter is missing, or --delimiter is wrong'
        throw new UsageError(
          `${name}: row ${row} has ${plural(record.length, 'cell')}, but there are ${plural(header.length, 'column')}: ${advice}`,
        )
      }
      yield { cells: new Map(header.map((column, at) => [column, record[at] ?? ''])) }
    }
    if (header === undefined)
      throw new UsageError(`${name} is empty: its first line should name the columns`)
  },

  ndjson: async function* ({ path, name, map }) {
    const known = new Set([WHY])
    let row = 0
    const read = (line: string): ReadRow => {
      const value = parseExact(line)
      row++
      if (map === undefined) {
        for (const field of namesIn(value)) {
          if (!known.has(field)) checkField(`${name}: row ${row}`, field)
          known.add(field)
        }
      }
      return { cells: flattened(value), value }
    }
    for await (const line of linesOf(path)) if (line.trim() !== '') yield read(line)
  },
}

/** Reads the lines of a file. Throws if a line is too long. */
async function* linesOf(path: string): AsyncGenerator<string> {
  let rest = ''
  for await (const text of textsOf(path)) {
    const lines = text.split('\n')
    lines[0] = rest + (lines[0] ?? '')
    rest = lines.pop() ?? ''
    if (rest.length > MAX_LENGTH) throw new SyntaxError(TOO_LONG)
    yield* lines
  }
  yield rest
}

/** Reads a file as UTF-8. Rejects other encodings, which would garble names, and lines that are too long. */
async function* textsOf(path: string): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let length = 0 // length of the line so far
  for await (const chunk of createReadStream(path)) {
    const text = decoder.decode(chunk, { stream: true })
    const end = Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r'))
    length = end < 0 ? length + text.length : text.length - end - 1
    if (length > MAX_LENGTH) throw new SyntaxError(TOO_LONG)
    yield text
  }
  yield decoder.decode()
}

/** Throws for a column that is not a field, and for a column that is in the map but not in the file. */
const checkColumns = (
  name: string,
  columns: ReadonlyArray<string>,
  map: PayMap | undefined,
): void => {
  const twice = columns.find((column, at) => columns.indexOf(column) !== at)
  if (twice !== undefined)
    throw new UsageError(`${name}: two columns are named ${JSON.stringify(twice)}`)
  if (map === undefined) {
    for (const column of columns) if (column !== WHY) checkField(name, column)
    return
  }
  for (const source of map.values()) {
    if ('column' in source && !columns.includes(source.column)) {
      throw new UsageError(
        `${name} has no column ${JSON.stringify(source.column)}, which --map refers to`,
      )
    }
  }
}

// items

/** Builds an item from the cells of a row. An empty cell has no value. */
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

/**
 * Returns the path of a field. Keys of open objects may contain dots: `metadata.cost.centre` is the key `cost.centre` of
 * `metadata`.
 */
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

/** Converts amounts that are numbers in the file to text that has all digits. */
const withTextAmounts = (value: unknown): unknown => {
  if (!isRecord(value)) return value
  const { [WHY]: _, ...item } = value
  const amounts = Object.keys(item)
    .filter(isAmount)
    .map((name) => [name, O.getOrElse(() => value[name])(digitsOf(name)(value))])
  return { ...item, ...Object.fromEntries(amounts) }
}

/** Returns the dotted names of an object's fields. */
const namesIn = (value: unknown, path = ''): ReadonlyArray<string> =>
  Object.entries(fieldsOf(value)).flatMap(([key, inner]) => {
    const name = path === '' ? key : `${path}.${key}`
    const within = kindOf(name) === undefined && isRecord(inner) ? namesIn(inner, name) : []
    return within.length > 0 ? within : [name]
  })

/** Returns the texts of an object's values, by dotted name. */
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

/** Returns the `request_id` for a row that has none. `row`: number of the row, from 1. */
export const idOfRow = (run: string, row: number): string => `${run}-${row}`
