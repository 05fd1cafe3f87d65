/** Whether the files of an export are what its manifest says. */
import { dirname, resolve } from 'node:path'
import { defer, type Observable } from 'rxjs'
import { plural } from '../../decode/plural.js'
import { checkOptions, type OptionsTable } from '../../options/index.js'
import { closing } from '../file/Files.js'
import { codeOf } from '../file/systemError.js'
import * as rule from '../rules.js'
import { CannotRun } from './CannotRun.js'
import { type Content, contentOf } from './Content.js'
import { isSame } from './isSame.js'
import { readManifest } from './Manifest.js'
import { filesOf, type ManifestFile, type ManifestRun } from './ManifestRun.js'
import { manifestPath } from './manifestPath.js'
import { isOfFolder, pathsOf } from './Paths.js'
import { isOfRun } from './runNames.js'
import { readText, type SmallFiles, wholeDisk } from './SmallFiles.js'

// model

/** One file, or one run, with all that is not as it should be: nothing, when all is well. */
export interface Checked {
  /** The file; of a run that is not complete, its manifest. */
  readonly path: string
  /** Whether it is a file of rows. */
  readonly isFile: boolean
  /** What is not as it should be. */
  readonly differences: ReadonlyArray<Difference>
}

/** One thing that is not as the manifest says. */
export interface Difference {
  readonly _tag: 'Incomplete' | 'Missing' | 'Unreadable' | 'Unknown' | 'Bytes' | 'Hash' | 'Rows'
  /** What differs, in words, without the path. */
  readonly message: string
}

/** What `verify` reads with. */
export interface VerifyOptions {
  /** Default: the disk. */
  readonly files?: SmallFiles
}

// constructors

const rules: OptionsTable<VerifyOptions> = { files: rule.files }

/**
 * Reads all files of an export, one after the other, and tells of each what it found. `path` is that of its
 * file, its folder, or its manifest (whose name ends with `manifest.json`). Rows are counted where they are lines.
 * A file whose manifest is of other files is told; in a folder, so are files that are called as those of a run are,
 * and that the manifest does not know: whoever reads the folder reads them. Fails with a `CannotRun` when there is
 * no manifest, or none that can be read; throws an `InvalidOption`.
 */
export const verify = (path: string, options: VerifyOptions = {}): Observable<Checked> => {
  const { files = wholeDisk } = checkOptions(options, rules)
  return defer(() => checkedAll(path, files))
}

// a generator: a run without files answers at once, and thousands of these would nest in a `concatMap`
async function* checkedAll(given: string, files: SmallFiles): AsyncGenerator<Checked> {
  const path = await manifestPath(files, given)
  const { runs } = await manifestAt(files, path)
  yield* await stranger(files, path, given, runs)
  for (const run of runs) {
    yield checkedRun(path, run)
    for (const expected of expectedOf(run)) {
      yield await check(files, resolve(dirname(path), expected.file.path), expected)
    }
  }
  yield* await unknownFiles(files, path, runs)
}

/** A file, as the manifest has it. */
interface Expected {
  readonly file: ManifestFile
  /** Whether each of its rows is a line. */
  readonly lines: boolean
}

/** Throws a `CannotRun` when it is not there, or cannot be read. */
const manifestAt = async (files: SmallFiles, path: string) => {
  const text = await readText(files, path).catch((error: unknown) => {
    throw new CannotRun('damaged', path, unreadable(error))
  })
  if (text === undefined) throw new CannotRun('missing', path, 'is not there')
  return readManifest(path)(text)
}

/** Whether a run is complete, as the manifest has it. */
const checkedRun = (path: string, { missing, started }: ManifestRun): Checked => ({
  path,
  isFile: false,
  differences: missing.map((what) => ({
    _tag: 'Incomplete',
    message: `the run of ${started} is not complete: missing are ${what}`,
  })),
})

/** The files of a run; rejected rows are lines in any format. */
const expectedOf = (run: ManifestRun): ReadonlyArray<Expected> => {
  const { name, compress } = run.purpose.format
  const lines = name === 'ndjson' && (compress === undefined || compress === 'none')
  return filesOf(run).map((file) => ({ file, lines: lines || file === run.rejected }))
}

/** What was given, where it is a file and the manifest beside it is of others: copied, perhaps, or renamed. */
const stranger = async (
  files: SmallFiles,
  path: string,
  given: string,
  runs: ReadonlyArray<ManifestRun>,
): Promise<ReadonlyArray<Checked>> => {
  if (isOfFolder(path) || path !== pathsOf(given).manifest) return []
  const names = runs.flatMap((run) => run.files.map((file) => file.path))
  for (const name of names) {
    if (await isSame(files, resolve(dirname(path), name), resolve(given))) return []
  }
  const message = `is not in its manifest, which is of ${names.join(', ') || 'no file'}`
  return [{ path: resolve(given), isFile: true, differences: [{ _tag: 'Unknown', message }] }]
}

/** Those in the folder that are called as files of a run, and that no run lists. */
const unknownFiles = async (
  files: SmallFiles,
  path: string,
  runs: ReadonlyArray<ManifestRun>,
): Promise<ReadonlyArray<Checked>> => {
  if (!isOfFolder(path)) return []
  const folder = dirname(path)
  const known = new Set(runs.flatMap(filesOf).map((file) => resolve(folder, file.path)))
  return (await files.readdir(folder))
    .filter((name) => isOfRun(name) && !known.has(resolve(folder, name)))
    .sort()
    .map((name) => ({
      path: resolve(folder, name),
      isFile: true,
      differences: [
        { _tag: 'Unknown', message: 'is not in the manifest: no run that ended wrote it' },
      ],
    }))
}

/** Compares a file with what the manifest says of it. */
const check = async (
  files: SmallFiles,
  path: string,
  { file, lines }: Expected,
): Promise<Checked> => {
  const found = await contentAt(files, path)
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

/** Or why it cannot be told. */
const contentAt = async (files: SmallFiles, path: string): Promise<Content | Difference> => {
  try {
    return await closing(files.open(path, 'r'), contentOf)
  } catch (error) {
    return codeOf(error) === 'ENOENT'
      ? { _tag: 'Missing', message: 'is not there' }
      : { _tag: 'Unreadable', message: unreadable(error) }
  }
}

/** What the system says of it; throws what it did not say. */
const unreadable = (error: unknown): string => {
  const code = codeOf(error)
  if (code === undefined) throw error
  return `cannot be read: ${code}`
}
