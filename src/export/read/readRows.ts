/** Reads files written by an export, as rows of a codec. */
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
import type { OnWait } from '../../store/Waits.js'
import { type Shape, shapeOf } from '../column/Shape.js'
import { type ExportError, exportError, isExportError } from '../ExportError.js'
import { manifestIn } from '../file/manifestIn.js'
import { OF_FOLDER } from '../file/paths.js'
import {
  byExtension,
  type Compression,
  compressions,
  type FormatName,
  formatNames,
} from '../format/Format.js'
import { FILES, type FilesLocation, folderAt, locationOf } from '../location/Location.js'
import * as rule from '../rules.js'
import { openFiles, type ReachOptions, type WatchedReach } from '../storage/openFiles.js'
import { recordsOf } from './csvRecords.js'
import { damagedAt, rowGroupsOf } from './parquetGroups.js'
import { fileColumns, jsonTextOf, storedTextOf } from './rowText.js'
import { linesOf, openedToRead, type TextFile, textsOf, tooLong } from './textLines.js'

/** Options of `readRows`. */
export interface ReadRowsOptions<A> extends ReachOptions {
  /** Codec of the rows, such as `Charge`. For a file with selected columns: a codec of those columns. */
  readonly codec: Codec<A>
  /** The format. Default: by file extension; NDJSON without one. */
  readonly format?: FormatName | undefined
  /** The compression. Default: by file extension. */
  readonly compress?: Compression | undefined
  /** Called with a message for each long wait, as in `verify`. Default: `console.warn`. */
  readonly onWait?: OnWait | undefined
}

const optionsTable = <A>(): OptionsTable<ReadRowsOptions<A>> => ({
  codec: required({
    ...is.withMethods<Codec<A>>('', 'decode'),
    expected: 'a codec of rows, such as Charge',
  }),
  format: is.oneOf(...formatNames),
  compress: is.oneOf(...compressions),
  ...rule.reach,
  onWait: rule.onWait,
})

/**
 * Reads the rows of a file written by an export, or of all files in its folder, in order: `.ndjson`, `.json`, `.csv` or
 * `.parquet`, compressed or not, on disk or at `s3://`. Numbers keep their digits, as with a client with `numbers: 'exact'`.
 * Lazy, as a stream and as an async iterable; each use reads the files again. A row that does not decode is a `Left` and does not
 * end the stream; an unreadable file is a `Left` that does. Throws an `InvalidOption` for an invalid option.
 */
export const readRows = <A>(
  path: string,
  options: ReadRowsOptions<A>,
): Observable<E.Either<ExportError, A>> & AsyncIterable<E.Either<ExportError, A>> => {
  checkArgument('path', path, is.nonEmptyString)
  const checked = checkOptions(options, optionsTable<A>(), { context: 'readRows: ' })
  return rowsAt(locationOf('path', path, FILES), checked)
}

/** Works like `readRows`, with validated options. */
export const rowsAt = <A>(
  at: FilesLocation,
  options: ReadRowsOptions<A> & WatchedReach,
): ReturnType<typeof readRows<A>> => {
  const batches = () => rowsOf(at, options)
  const rows = defer(() => from(batches())).pipe(concatMap((batch) => batch))
  return Object.assign(rows, {
    [Symbol.asyncIterator]: async function* () {
      for await (const batch of batches()) yield* batch
    },
  })
}

type Batch<A> = ReadonlyArray<E.Either<ExportError, A>>

async function* rowsOf<A>(
  given: FilesLocation,
  { codec, format, compress, ...reach }: ReadRowsOptions<A> & WatchedReach,
): AsyncGenerator<Batch<A>> {
  const decode = compile(codec)
  const shape = shapeOf(codec)
  let path = given.name
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

/** Returns the files to read; for a folder, the files in its manifest. */
const partsOf = async (
  at: FilesLocation,
  reach: WatchedReach,
): Promise<ReadonlyArray<Omit<TextFile, 'compress'>>> => {
  const { kind, file } = at
  const beside = await openFiles(at, reach)
  const isOne = kind === 'object' || (file !== '' && !(await beside.isFolder(file)))
  if (isOne) return [{ files: beside, name: file, path: beside.nameOf(file) }]
  const files = file === '' ? beside : await openFiles(folderAt(at), reach)
  const { manifest } = OF_FOLDER
  const found = await manifestIn(files, manifest)
  if (found === undefined) {
    const path = files.nameOf(manifest)
    throw exportError('NoManifest', `${path} does not exist`, { path })
  }
  return found.run.files
    .filter(({ bytes }) => bytes > 0)
    .map(({ path: name, bytes }) => ({ files, name, path: files.nameOf(name), bytes }))
}

// rows as JSON texts

type Texts = (file: TextFile, shape: Shape) => AsyncIterable<ReadonlyArray<string>>

const unknownName = (path: string, extension: string): ExportError =>
  exportError(
    'UnusablePath',
    `${path}: set the option format, because the extension ${extension} is unknown`,
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

/** Maximum number of columns in a file, and of characters and levels in a name: far more than an export writes. */
const MOST = { columns: 1_000, name: 1_000, levels: 32 }

const columnsAt = (
  path: string,
  shape: Shape,
  names: ReadonlyArray<string>,
): ReturnType<typeof fileColumns> => {
  if (names.length > MOST.columns) throw damaged(path, `has more than ${MOST.columns} columns`)
  for (const name of names) {
    if (typeof name !== 'string') throw damaged(path, 'has a column without a name') // the footer may lack it
    if (name.length <= MOST.name && name.split('.', MOST.levels + 1).length <= MOST.levels) continue
    throw damaged(path, 'has a column with a longer name than any export writes')
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
    (cause) => `${cause.path || 'it'} should be ${cause.expected}, but is ${cause.actual}`,
  )
  const message = `${path}: row ${row} does not match: ${why.join('; ')}`
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
    : exportError(
        'Damaged',
        `${path} is damaged, or is not in the expected format`,
        { path },
        error,
      )
}
