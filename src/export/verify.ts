/** Compares the files of an export with its manifest. */
import { createHash } from 'node:crypto'
import { catchError, defer, map, type Observable, of } from 'rxjs'
import { plural } from '../decode/plural.js'
import { E } from '../fp.js'
import { checkOptions, type OptionsTable } from '../options/index.js'
import { codeOf } from '../store/FileSystem.js'
import type { OnWait } from '../store/Waits.js'
import { type ExportError, isExportError } from './ExportError.js'
import { type FoundText, isOfFolder, manifestFor } from './file/manifestIn.js'
import { isOfRun, namesOf } from './file/paths.js'
import { FILES, type FilesLocation, locationOf } from './location/Location.js'
import * as rule from './rules.js'
import { blocksOf, type Files, INCOMING, type ReadableFile, reading } from './storage/Files.js'
import type { ReachOptions } from './storage/openFiles.js'
import { filesOf, type ManifestFile, type ManifestRun } from './transfer/Manifest.js'

/** A file or a run, and how it differs from the manifest. */
export interface FileCheck {
  /** The file; for an incomplete run, its manifest. */
  readonly path: string
  /** True if it is a file with rows. */
  readonly isFile: boolean
  /** Empty if there are no differences. */
  readonly differences: ReadonlyArray<Difference>
}

/** A difference from the manifest. */
export interface Difference {
  readonly _tag: 'Incomplete' | 'Missing' | 'Unreadable' | 'Unknown' | 'Bytes' | 'Hash' | 'Rows'
  /** A description of the difference, without the path. */
  readonly message: string
}

/** Options of `verify`. */
export interface VerifyOptions extends ReachOptions {
  /**
   * Called with a message for each wait of more than five seconds, for example for a bucket that refuses or does not respond, and
   * again when the wait is over. Default: `console.warn`.
   */
  readonly onWait?: OnWait | undefined
}

const rules: OptionsTable<VerifyOptions> = { ...rule.reach, onWait: rule.onWait }

/**
 * Compares all files of an export with its manifest, one after the other, and emits the result for each. `path` is the file,
 * the folder, or the manifest (a name that ends with `manifest.json`). Compares size and hash, and the number of rows in
 * formats with one row per line. Also reports a file whose manifest lists other files, and files in a folder that look like
 * those of a run but are not in the manifest. Emits a `Left` and ends if there is no readable manifest. Throws an
 * `InvalidOption` for an invalid option.
 */
export const verify = (
  path: string,
  options: VerifyOptions = {},
): Observable<E.Either<ExportError, FileCheck>> => {
  const at = locationOf('path', path, FILES)
  const checked = checkOptions(options, rules)
  return defer(() => checkedAll(at, checked)).pipe(
    map((check): E.Either<ExportError, FileCheck> => E.right(check)),
    catchError((error: unknown) => {
      if (isExportError(error)) return of(E.left(error))
      throw error
    }),
  )
}

async function* checkedAll(at: FilesLocation, options: VerifyOptions): AsyncGenerator<FileCheck> {
  const found = await manifestFor(at, options)
  const { files, path, manifest } = found
  const { run } = manifest
  yield* await stranger(found, at, run)
  yield checkedRun(path, run)
  for (const expected of expectedOf(run)) yield await check(files, expected)
  yield* await unknownFiles(found, run)
}

/** A file's entry in the manifest. */
interface Expected {
  readonly file: ManifestFile
  /** True if each of its rows is one line. */
  readonly lines: boolean
}

/** Returns the differences of a run that is incomplete according to the manifest. */
const checkedRun = (path: string, { complete, missing, started }: ManifestRun): FileCheck => {
  const all = complete ? missing : [missing.join(', ') || 'rows that the manifest does not name']
  return {
    path,
    isFile: false,
    differences: all.map((what) => ({
      _tag: 'Incomplete',
      message: `the run of ${started} is not complete; missing: ${what}`,
    })),
  }
}

/** Returns the files of a run. In any format, each rejected row is one line. */
const expectedOf = (run: ManifestRun): ReadonlyArray<Expected> => {
  const { name, compress } = run.spec.format
  const lines = name === 'ndjson' && (compress === undefined || compress === 'none')
  return filesOf(run).map((file) => ({ file, lines: lines || file === run.rejected }))
}

/** Checks a file whose manifest lists other files, because it may have been copied or renamed. */
const stranger = async (
  { files, name }: FoundText,
  at: FilesLocation,
  run: ManifestRun,
): Promise<ReadonlyArray<FileCheck>> => {
  const { file } = at
  if (file === '' || name !== namesOf(at).manifest) return []
  const names = run.files.map((one) => one.path)
  if (names.includes(file)) return []
  const id = await idOf(files, file)
  for (const other of names) if (id !== undefined && id === (await idOf(files, other))) return []
  const message = `is not in its manifest, which lists ${names.join(', ') || 'no file'}`
  const path = files.nameOf(file)
  return [{ path, isFile: true, differences: [{ _tag: 'Unknown', message }] }]
}

/** Returns the id of a file; `undefined` if it cannot be opened. */
const idOf = (files: Files, name: string): Promise<string | undefined> =>
  reading(files, name, async ({ id }) => id).catch(() => undefined)

/** Finds files in the folder that are named like the files of a run, but that no run lists. */
const unknownFiles = async (
  { files, name }: FoundText,
  run: ManifestRun,
): Promise<ReadonlyArray<FileCheck>> => {
  if (!isOfFolder(name)) return []
  const known = new Set(filesOf(run).map(({ path }) => path))
  const isUnknown = (one: string): boolean =>
    isOfRun(one) && !known.has(one) && !one.startsWith(INCOMING)
  const found = await files.list(isUnknown)
  return [...found.map((one) => one.name), ...(await files.foreign(isUnknown))]
    .sort()
    .map((one) => ({
      path: files.nameOf(one),
      isFile: true,
      differences: [{ _tag: 'Unknown', message: 'is not in the manifest' }],
    }))
}

const check = async (files: Files, { file, lines }: Expected): Promise<FileCheck> => {
  const path = files.nameOf(file.path)
  const found = await contentOf(files, file.path)
  if ('_tag' in found) return { path, isFile: true, differences: [found] }
  const differences: Array<Difference> = []
  const compare = <A>(_tag: Difference['_tag'], is: A, should: A, show: (a: A) => string): void => {
    if (is === should) return
    differences.push({ _tag, message: `has ${show(is)}, but should have ${show(should)}` })
  }
  const hash = file.sha256 ?? 'of a complete file'
  compare('Bytes', found.bytes, file.bytes, (n) => plural(n, 'byte'))
  compare('Hash', found.sha256, hash, (sha256) => `the SHA-256 ${sha256}`)
  if (lines) compare('Rows', found.lines, file.rows, (n) => plural(n, 'row'))
  return { path, isFile: true, differences }
}

/** Returns the content of a file, or why it cannot be read. */
const contentOf = async (files: Files, name: string): Promise<Content | Difference> => {
  try {
    const found = await reading(
      files,
      name,
      async (file): Promise<Content | Difference> =>
        file.isFile ? content(file) : { _tag: 'Unreadable', message: 'is not a regular file' },
    )
    return found ?? { _tag: 'Missing', message: 'does not exist' }
  } catch (error) {
    return { _tag: 'Unreadable', message: unreadable(error) }
  }
}

/** Returns the message of a system error; throws other errors. */
const unreadable = (error: unknown): string => {
  const code = codeOf(error)
  if (code === undefined) throw error
  return `cannot be read: ${code}`
}

interface Content {
  readonly bytes: number
  /** Hash of all bytes, in hex. */
  readonly sha256: string
  /** Number of line feeds. */
  readonly lines: number
}

const LINE_FEED = 10

/** Reads a file once, from start to end. */
const content = async (file: ReadableFile): Promise<Content> => {
  const hash = createHash('sha256')
  let bytes = 0
  let lines = 0
  for await (const block of blocksOf(file)) {
    hash.update(block)
    bytes += block.length
    for (let at = block.indexOf(LINE_FEED); at !== -1; at = block.indexOf(LINE_FEED, at + 1)) {
      lines++
    }
  }
  return { bytes, sha256: hash.digest('hex'), lines }
}
