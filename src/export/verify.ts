/** Compares the files of an export with its manifest. */
import { createHash } from 'node:crypto'
import { catchError, defer, map, type Observable, of } from 'rxjs'
import { plural } from '../decode/plural.js'
import { E } from '../fp.js'
import { checkOptions, is, type OptionsTable } from '../options/index.js'
import { codeOf } from '../store/FileSystem.js'
import type { OnWait } from '../store/Waits.js'
import { type ExportError, isExportError } from './ExportError.js'
import { type FoundText, isOfFolder, manifestFor } from './file/manifestIn.js'
import { isOfRun, namesOf } from './file/paths.js'
import * as rule from './rules.js'
import { blocksOf, type Files, INCOMING, type ReadableFile, reading } from './storage/Files.js'
import type { ReachOptions } from './storage/openFiles.js'
import { filesOf, type ManifestFile, type ManifestRun } from './transfer/Manifest.js'

// model

/** One file, or one run, and how it differs from the manifest. */
export interface FileCheck {
  /** The file; of a run that is not complete, its manifest. */
  readonly path: string
  /** True if it is a file of rows. */
  readonly isFile: boolean
  /** Empty when all is well. */
  readonly differences: ReadonlyArray<Difference>
}

/** One thing that is not as the manifest says. */
export interface Difference {
  readonly _tag: 'Incomplete' | 'Missing' | 'Unreadable' | 'Unknown' | 'Bytes' | 'Hash' | 'Rows'
  /** The difference in words, without the path. */
  readonly message: string
}

/** Options of `verify`. */
export interface VerifyOptions extends ReachOptions {
  /**
   * Called with each wait of more than five seconds, in words: a bucket that refuses for a while, or does not answer; and when
   * it is over. Default: `console.warn`.
   */
  readonly onWait?: OnWait | undefined
}

// constructors

const rules: OptionsTable<VerifyOptions> = {
  files: rule.files,
  env: is.object('variables by their names'),
  timer: is.rxScheduler(),
  onWait: rule.onWait,
}

/**
 * Compares all files of an export with its manifest, one after the other, and emits what it found of each. `path` is
 * that of its file, its folder, or its manifest (whose name ends with `manifest.json`). Size and hash are compared,
 * and rows where each is a line. It also reports a file whose manifest is of other files, and files in a folder that
 * look like those of a run and are not in the manifest. Emits a `Left` and ends when there is no manifest, or it cannot
 * be read. Throws an `InvalidOption` for an option that cannot work.
 */
export const verify = (
  path: string,
  options: VerifyOptions = {},
): Observable<E.Either<ExportError, FileCheck>> => {
  const checked = checkOptions(options, rules)
  return defer(() => checkedAll(path, checked)).pipe(
    map((check): E.Either<ExportError, FileCheck> => E.right(check)),
    catchError((error: unknown) => {
      if (isExportError(error)) return of(E.left(error))
      throw error
    }),
  )
}

// a generator: a run without files answers at once, and thousands of these would nest in a `concatMap`
async function* checkedAll(given: string, options: VerifyOptions): AsyncGenerator<FileCheck> {
  const { files, name, path, manifest } = await manifestFor(given, options)
  const { runs } = manifest
  yield* await stranger({ files, name }, given, runs)
  for (const run of runs) {
    yield checkedRun(path, run)
    for (const expected of expectedOf(run)) {
      yield await check(files, expected)
    }
  }
  yield* await unknownFiles({ files, name }, runs)
}

/** A file, as the manifest has it. */
interface Expected {
  readonly file: ManifestFile
  /** True if each of its rows is a line. */
  readonly lines: boolean
}

/** Returns the differences of a run that is not complete, as the manifest has it. */
const checkedRun = (path: string, { complete, missing, started }: ManifestRun): FileCheck => {
  const all = complete ? missing : [missing.join(', ') || 'rows that it does not name']
  return {
    path,
    isFile: false,
    differences: all.map((what) => ({
      _tag: 'Incomplete',
      message: `the run of ${started} is not complete: missing are ${what}`,
    })),
  }
}

/** The files of a run; rejected rows are lines in any format. */
const expectedOf = (run: ManifestRun): ReadonlyArray<Expected> => {
  const { name, compress } = run.spec.format
  const lines = name === 'ndjson' && (compress === undefined || compress === 'none')
  return filesOf(run).map((file) => ({ file, lines: lines || file === run.rejected }))
}

/** Checks a given file whose manifest is of other files: copied, perhaps, or renamed. */
const stranger = async (
  { files, name }: FoundText,
  given: string,
  runs: ReadonlyArray<ManifestRun>,
): Promise<ReadonlyArray<FileCheck>> => {
  const { file, manifest } = namesOf(given)
  if (file === undefined || name !== manifest) return []
  const names = runs.flatMap((run) => run.files.map((one) => one.path))
  if (names.includes(file)) return []
  const id = await idOf(files, file)
  for (const other of names) if (id !== undefined && id === (await idOf(files, other))) return []
  const message = `is not in its manifest, which is of ${names.join(', ') || 'no file'}`
  const path = files.nameOf(file)
  return [{ path, isFile: true, differences: [{ _tag: 'Unknown', message }] }]
}

/** Undefined where it cannot be opened. */
const idOf = (files: Files, name: string): Promise<string | undefined> =>
  reading(files, name, async ({ id }) => id).catch(() => undefined)

/** Checks for files in the folder that are named as those of a run, and that no run lists. */
const unknownFiles = async (
  { files, name }: FoundText,
  runs: ReadonlyArray<ManifestRun>,
): Promise<ReadonlyArray<FileCheck>> => {
  if (!isOfFolder(name)) return []
  const known = new Set(runs.flatMap(filesOf).map(({ path }) => path))
  const isUnknown = (one: string): boolean =>
    isOfRun(one) && !known.has(one) && !one.startsWith(INCOMING)
  const found = await files.list(isUnknown)
  return [...found.map((one) => one.name), ...(await files.foreign(isUnknown))]
    .sort()
    .map((one) => ({
      path: files.nameOf(one),
      isFile: true,
      differences: [
        { _tag: 'Unknown', message: 'is not in the manifest: no run that ended wrote it' },
      ],
    }))
}

/** Compares a file with what the manifest says of it. */
const check = async (files: Files, { file, lines }: Expected): Promise<FileCheck> => {
  const path = files.nameOf(file.path)
  const found = await contentOf(files, file.path)
  if ('_tag' in found) return { path, isFile: true, differences: [found] }
  const differences: Array<Difference> = []
  const compare = <A>(_tag: Difference['_tag'], is: A, should: A, show: (a: A) => string): void => {
    if (is === should) return
    differences.push({ _tag, message: `has ${show(is)}, and should have ${show(should)}` })
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
        file.isFile ? content(file) : { _tag: 'Unreadable', message: 'is no regular file' },
    )
    return found ?? { _tag: 'Missing', message: 'is not there' }
  } catch (error) {
    return { _tag: 'Unreadable', message: unreadable(error) }
  }
}

/** Returns the words of the system; throws other errors. */
const unreadable = (error: unknown): string => {
  const code = codeOf(error)
  if (code === undefined) throw error
  return `cannot be read: ${code}`
}

/** The content of a file. */
interface Content {
  readonly bytes: number
  /** Hash of all bytes, in hex. */
  readonly sha256: string
  /** How many line feeds are among them. */
  readonly lines: number
}

const LINE_FEED = 10

/** Reads all of it, once. */
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
