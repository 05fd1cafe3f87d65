/** Reads the files that an export wrote, as rows of a codec. */
import { concatMap, defer, from, type Observable } from 'rxjs'
import type { Codec } from '../../codec/Codec.js'
import { type Cause, causes } from '../../decode/causes.js'
import { compile, type Decoder, parseExact } from '../../decode/index.js'
import { E } from '../../fp.js'
import {
  checkArgument,
  checkOptions,
  is,
  type OptionsTable,
  required,
} from '../../options/index.js'
import { codeOf, finalName, isError } from '../../store/FileSystem.js'
import { adviceOn } from '../../store/remedies.js'
import { isS3 } from '../../store/S3Location.js'
import type { OnWait } from '../../store/Waits.js'
import { type Shape, shapeOf } from '../column/Shape.js'
import { type ExportError, exportError, isExportError } from '../ExportError.js'
import { manifestIn } from '../file/manifestIn.js'
import { namesOf } from '../file/paths.js'
import {
  byExtension,
  type Compression,
  compressions,
  type FormatName,
  formatNames,
} from '../format/Format.js'
import * as rule from '../rules.js'
import {
  locationOf,
  openFiles,
  type ReachOptions,
  type WatchedReach,
} from '../storage/openFiles.js'
import { recordsOf } from './csvRecords.js'
import { damagedAt, rowGroupsOf } from './parquetGroups.js'
import { fileColumns, jsonTextOf, storedTextOf } from './rowText.js'
import { linesOf, openedToRead, type TextFile, textsOf, tooLong } from './textLines.js'

// model

/** Options of `readRows`. */
export interface ReadRowsOptions<A> extends ReachOptions {
  /** The codec of the rows, such as `Charge`. For a file with some columns: a codec of these. */
  readonly codec: Codec<A>
  /** Default: by the name of the file; NDJSON for one without an extension. */
  readonly format?: FormatName | undefined
  /** Default: by the name of the file. */
  readonly compress?: Compression | undefined
  /** Called with each long wait, in words, as in `verify`. Default: `console.warn`. */
  readonly onWait?: OnWait | undefined
}

// constructors

const optionsTable = <A>(): OptionsTable<ReadRowsOptions<A>> => ({
  codec: required({
    ...is.withMethods<Codec<A>>('', 'decode'),
    expected: 'a codec of rows, such as Charge',
  }),
  format: is.oneOf(...formatNames),
  compress: is.oneOf(...compressions),
  files: rule.files,
  env: is.object('variables by their names'),
  timer: is.rxScheduler(),
  onWait: rule.onWait,
})

/**
 * Reads the rows of a file that an export wrote, or of all files of its folder, in their order: `.ndjson`, `.json`,
 * `.csv` or `.parquet`, compressed or not, on the disk or at `s3://`. Numbers keep their digits, as those of a client
 * with `numbers: 'exact'`. Lazy, as a stream and as an async iterable: each reads the files anew. A row that does not decode is a `Left` and ends nothing; a file that cannot be read is one,
 * and the end. Throws an `InvalidOption` for an option that cannot work.
 */
export const readRows = <A>(
  path: string,
  options: ReadRowsOptions<A>,
): Observable<E.Either<ExportError, A>> & AsyncIterable<E.Either<ExportError, A>> => {
  checkArgument('path', path, is.nonEmptyString)
  return rowsAt(path, checkOptions(options, optionsTable<A>(), { context: 'readRows: ' }))
}

/** As `readRows`, with options that were checked. */
export const rowsAt = <A>(
  path: string,
  options: ReadRowsOptions<A> & WatchedReach,
): ReturnType<typeof readRows<A>> => {
  const batches = () => rowsOf(path, options)
  const rows = defer(() => from(batches())).pipe(concatMap((batch) => batch))
  return Object.assign(rows, {
    [Symbol.asyncIterator]: async function* () {
      for await (const batch of batches()) yield* batch
    },
  })
}

type Batch<A> = ReadonlyArray<E.Either<ExportError, A>>

async function* rowsOf<A>(
  given: string,
  { codec, format, compress, ...reach }: ReadRowsOptions<A> & WatchedReach,
): AsyncGenerator<Batch<A>> {
  const decode = compile(codec)
  const shape = shapeOf(codec)
  let path = given
  try {
    for (const part of await partsOf(given, reach)) {
      path = part.path
      const said = byExtension(finalName(path))
      if (format === undefined && said.unknown !== undefined) throw unknownName(path, said.unknown)
      const kind = format ?? said.format ?? 'ndjson'
      const file = { ...part, compress: compress ?? said.compress ?? 'none' }
      let count = 0
      for await (const texts of TEXTS[kind](file, shape)) {
        yield texts.map((text) => decodedRow(decode, path, ++count, text))
      }
    }
  } catch (error) {
    const expected = expectedError(path, error)
    if (expected === undefined) throw error
    yield [E.left(expected)]
  }
}

/** The files of a folder are those of its manifest. */
const partsOf = async (
  given: string,
  reach: WatchedReach,
): Promise<ReadonlyArray<Omit<TextFile, 'compress'>>> => {
  const { folder, name } = locationOf(given)
  const beside = await openFiles(folder, reach)
  const isOne = name !== '' && (isS3(given) || !(await beside.isFolder(name)))
  if (isOne) return [{ files: beside, name, path: beside.nameOf(name) }]
  const files = name === '' ? beside : await openFiles(`${given}/`, reach)
  const { manifest } = namesOf('/')
  const found = await manifestIn(files, manifest)
  if (found === undefined) {
    const path = files.nameOf(manifest)
    throw exportError('NoManifest', `${path} is not there`, { path })
  }
  return found.runs
    .flatMap((run) => run.files)
    .filter(({ bytes }) => bytes > 0)
    .map(({ path: name, bytes }) => ({ files, name, path: files.nameOf(name), bytes }))
}

// rows as JSON texts

type Texts = (file: TextFile, shape: Shape) => AsyncIterable<ReadonlyArray<string>>

const unknownName = (path: string, extension: string): ExportError =>
  exportError(
    'UnusablePath',
    `${path}: format should be given for a name that ends with ${extension}`,
    {
      path,
      option: 'format',
    },
  )

const damaged = (path: string, why: string): ExportError =>
  exportError('Damaged', `${path} ${why}`, { path })

const tornAt = (path: string) => (): never => {
  throw damaged(path, 'ends within a row')
}

const TEXTS: Readonly<Record<FormatName, Texts>> = {
  ndjson: (file) => linesOf(file, tornAt(file.path)),

  json: async function* (file) {
    let last: string | undefined
    for await (const lines of linesOf(file, tornAt(file.path))) {
      last = lines.at(-1)
      yield lines
        .filter((line) => !BRACKETS.includes(line))
        .map((line) => (line.endsWith(',') ? line.slice(0, -1) : line))
    }
    if (last !== ']' && last !== '[]') throw damaged(file.path, 'ends before its closing bracket')
  },

  csv: async function* (file, shape) {
    let columns: ReturnType<typeof fileColumns> | undefined
    const given = { torn: tornAt(file.path), tooLong: () => tooLong(file.path) }
    for await (const records of recordsOf(textsOf(file), given)) {
      let rows = records
      if (columns === undefined) {
        columns = columnsAt(file.path, shape, (records[0] ?? []).map(String))
        rows = records.slice(1)
      }
      const { types, rowText } = columns
      yield rows.map((cells) =>
        rowText(
          types.map((type, at) => {
            const cell = cells[at]
            const isNone = cell === undefined || (cell === '' && type !== 'text')
            return isNone ? undefined : jsonTextOf(type, cell)
          }),
        ),
      )
    }
    if (columns === undefined) throw damaged(file.path, 'has no header')
  },

  parquet: async function* (file, shape) {
    const { path } = file
    try {
      for await (const { metadata, rows } of rowGroupsOf(await openedToRead(file), path)) {
        const elements = metadata.schema.slice(1)
        const { types, rowText } = columnsAt(
          path,
          shape,
          elements.map(({ name }) => name),
        )
        const columns = elements.map((element, at) => ({
          name: element.name,
          textOf: storedTextOf(types[at] ?? 'text', element),
        }))
        yield rows.map((row) => rowText(columns.map(({ name, textOf }) => textOf(row[name]))))
      }
    } catch (error) {
      damagedAt(path)(error) // values that do not have the type of their column
    }
  },
}

/** The most columns of a file, and characters and levels of a name: many more than an export writes. */
const MOST = { columns: 1_000, name: 1_000, levels: 32 }

const columnsAt = (
  path: string,
  shape: Shape,
  names: ReadonlyArray<string>,
): ReturnType<typeof fileColumns> => {
  if (names.length > MOST.columns) throw damaged(path, `has more than ${MOST.columns} columns`)
  for (const name of names) {
    if (typeof name !== 'string') throw damaged(path, 'has a column without a name') // a footer may lack it
    if (name.length <= MOST.name && name.split('.', MOST.levels + 1).length <= MOST.levels) continue
    throw damaged(path, 'has a column of too long a name, which no export writes')
  }
  return fileColumns(shape, names)
}

/** Lines of a JSON file around its rows. */
const BRACKETS: ReadonlyArray<string> = ['[', ']', '[]']

// decoding

const decodedRow = <A>(
  decode: Decoder<A>,
  path: string,
  row: number,
  text: string,
): E.Either<ExportError, A> => {
  const json = E.tryCatch(
    () => parseExact(text),
    () => NO_JSON,
  )
  if (E.isLeft(json)) return E.left(unreadable(path, row, json.left))
  const decoded = decode(json.right)
  return E.isRight(decoded) ? decoded : E.left(unreadable(path, row, causes(decoded.left)))
}

const NO_JSON: ReadonlyArray<Cause> = [{ path: '', expected: 'JSON', actual: 'text' }]

const unreadable = (path: string, row: number, causes: ReadonlyArray<Cause>): ExportError => {
  const why = causes.map(
    (cause) => `${cause.path || 'it'} should be ${cause.expected}, and is ${cause.actual}`,
  )
  const message = `${path}: row ${row} is no such row: ${why.join('; ')}`
  return exportError('UnreadableRow', message, { path, row, causes })
}

// errors

const expectedError = (path: string, error: unknown): ExportError | undefined => {
  if (isExportError(error)) return error
  const code = codeOf(error)
  if (code !== undefined && !/^(?:Z_|ZSTD_)/.test(code)) {
    const message = isError(error) ? error.message : code
    return exportError(
      'ReadFailed',
      `cannot read ${path}: ${message}${adviceOn(code)}`,
      { path, code },
      error,
    )
  }
  return code === undefined
    ? undefined
    : exportError('Damaged', `${path} is damaged, or of another format`, { path }, error)
}
