/**
 * A folder to which each run added what was new, and what may have changed: with the last version of each row, and
 * nothing else.
 *
 *     run 1     part-00001-001     a b c d          stays, without b and d: part-00001-002
 *     run 2     run-0002-00001-001     b' d'  e     stays as it is
 *
 * Runs are looked at from the last to the first: a row is of no use any more if a later run has its id. Only the files
 * that have such rows are written anew, so memory is that of the ids of all runs but the first. New files have names of
 * their own. The manifest that lists them is replaced in one step, and then the old files go: a compaction that is
 * killed leaves files that no manifest lists, and the next one removes them.
 */
import { basename, join } from 'node:path'
import {
  asyncScheduler,
  catchError,
  from,
  type Observable,
  of,
  type SchedulerLike,
  throwError,
} from 'rxjs'
import { defined, E } from '../../fp.js'
import { checkArgument, checkOptions, is, type OptionsTable } from '../../options/index.js'
import {
  disk,
  type FileSystem,
  filesNamed,
  isSystemError,
  syncFolder,
  unfinishedName,
} from '../../store/FileSystem.js'
import type { Millis } from '../../stream/index.js'
import { type ExportError, exportError, isExportError } from '../ExportError.js'
import { openBytes } from '../file/ByteFile.js'
import { checkEnded } from '../file/integrity.js'
import { sortable } from '../file/parts.js'
import { byExtension } from '../format/Format.js'
import * as rule from '../rules.js'
import { bracket } from '../run/bracket.js'
import { filesOf, type ManifestFile, type ManifestRun, manifestOf } from '../run/Manifest.js'
import { isOfRun, pathsOf } from '../run/paths.js'
import { type Records, takeRecords } from '../run/records.js'
import { linePart } from './linePart.js'
import type { PartFormat } from './PartFormat.js'

// model

/** Options of `compact`. */
export interface CompactOptions {
  /** How long the folder stays reserved for a run that was killed, in ms. Default 15,000. */
  readonly lease?: Millis
  /** Clock and timers. Default `asyncScheduler`. */
  readonly timer?: SchedulerLike
  /** Default: the disk. */
  readonly files?: FileSystem
}

/** How far a compaction is. */
export interface CompactProgress {
  /** Files that were looked at. */
  readonly files: number
  /** Rows of these that are current. */
  readonly rows: number
  /** Rows of these that later runs have in a newer version: they are removed. */
  readonly removed: number
  /** True if it has come to its end. */
  readonly ended: boolean
}

const rules: OptionsTable<CompactOptions> = {
  lease: is.positiveFinite,
  timer: is.rxScheduler(),
  files: rule.files,
}

// constructors

/**
 * Leaves one current row for each id in the folder of an export, NDJSON or Parquet. Emits after each file; an expected
 * failure is a `Left`, and the last value: the folder is then as it was. Cold. Throws an `InvalidOption` for an option
 * that cannot work.
 */
export const compact = (
  folder: string,
  given: CompactOptions = {},
): Observable<E.Either<ExportError, CompactProgress>> => {
  checkArgument('folder', folder, is.nonEmptyString)
  const { lease: length, timer = asyncScheduler, files = disk } = checkOptions(given, rules)
  const paths = pathsOf(join(folder, '/'))
  return bracket(
    async () => takeRecords({ files, paths, timer, length }),
    (records: Records) => records.release(),
  )((records) => from(compacted(files, folder, paths.manifest, records))).pipe(
    catchError((error: unknown) => {
      const expected = expectedError(folder, error)
      return expected === undefined ? throwError(() => error) : of(E.left(expected))
    }),
  )
}

const expectedError = (folder: string, error: unknown): ExportError | undefined => {
  if (isExportError(error)) return error
  if (!isSystemError(error)) return undefined
  const details = { path: folder, code: error.code }
  return exportError('WriteFailed', `cannot write ${folder}: ${error.message}`, details, error)
}

/** A new file in the place of some that are there. */
interface Rewritten {
  readonly unfinished: string
  readonly final: string
}

async function* compacted(
  files: FileSystem,
  folder: string,
  manifest: string,
  records: Records,
): AsyncGenerator<E.Either<ExportError, CompactProgress>> {
  const runs = await runsOf(folder, manifest, records)
  await removeUnlisted(files, folder, runs)
  const names = new Set(runs.flatMap(filesOf).map(({ path }) => path))
  const rewritten: Array<Rewritten> = []
  const old: Array<string> = []
  const newer = new Set<string>()
  const next: Array<ManifestRun> = []
  let progress: CompactProgress = { files: 0, rows: 0, removed: 0, ended: false }

  for (const [at, run] of [...runs.entries()].reverse()) {
    const own = new Set<string>()
    const kept: Array<ManifestFile> = []
    for (const file of run.files) {
      const path = join(folder, file.path)
      const part = await partOf(path)
      let superseded = 0
      for await (const ids of part.ids(files, path)) {
        for (const id of ids) {
          if (id === undefined) continue
          if (newer.has(id)) superseded++
          if (at > 0) own.add(id)
        }
      }
      if (superseded === 0) {
        kept.push(file)
      } else {
        old.push(file.path)
        if (superseded < file.rows) {
          const { sha256 } = file
          if (sha256 !== undefined) await checkEnded(path, { bytes: file.bytes, sha256 }, files)
          const final = nextName(file.path, names)
          names.add(final)
          const unfinished = unfinishedName(final)
          rewritten.push({ unfinished, final })
          const to = await openBytes(join(folder, unfinished), undefined, files, { isNew: true })
          const rows = await part.copy(files, path, to, (id) => id === undefined || !newer.has(id))
          await to.sync()
          const [bytes, hash] = [to.size(), to.digest()]
          await to.close()
          kept.push({ path: final, rows, bytes, sha256: hash })
        }
      }
      progress = {
        ...progress,
        files: progress.files + 1,
        rows: progress.rows + file.rows - superseded,
        removed: progress.removed + superseded,
      }
      yield E.right(progress)
    }
    for (const id of own) newer.add(id)
    const rows = kept.reduce((sum, file) => sum + file.rows, 0)
    const { totals, ...others } = run // of the rows that were there
    const same = rows === run.rows ? defined({ totals }) : {}
    next.unshift({ ...others, ...same, rows, files: kept })
  }

  if (old.length > 0) {
    await records.checkOwner()
    for (const { unfinished, final } of rewritten) {
      await files.rename(join(folder, unfinished), join(folder, final))
    }
    await syncFolder(files, folder)
    await records.saveManifest(manifestOf(next))
    for (const name of old) await files.rm(join(folder, name), { force: true })
    await syncFolder(files, folder)
  }
  yield E.right({ ...progress, ended: true })
}

/** The runs in a folder. Rejects when there are none, or one that has not come to its end. */
const runsOf = async (
  folder: string,
  path: string,
  { hasCheckpoint, loadManifest }: Records,
): Promise<ReadonlyArray<ManifestRun>> => {
  const found = await loadManifest()
  if (found === undefined) {
    throw exportError('NoManifest', `there is no manifest ${path}`, { path })
  }
  if (hasCheckpoint() || found.runs.some(({ ended }) => !ended)) {
    const why = `${folder} has an export that was not finished: end it first, with --resume`
    throw exportError('CheckpointExists', why, { path })
  }
  return found.runs
}

/** Removes what a compaction or an export that was killed has left. */
const removeUnlisted = async (
  files: FileSystem,
  folder: string,
  runs: ReadonlyArray<ManifestRun>,
): Promise<void> => {
  const listed = new Set(runs.flatMap(filesOf).map(({ path }) => path))
  const isLeft = (name: string): boolean => isOfRun(name) && !listed.has(name)
  for (const name of await filesNamed(files, folder, isLeft)) {
    await files.rm(join(folder, name), { force: true })
  }
}

/** How a file is read, by its name. Throws an `UnusablePath` for another format. */
const partOf = async (path: string): Promise<PartFormat> => {
  const { format, compress = 'none' } = byExtension(path)
  if (format === 'ndjson') return linePart(compress)
  if (format === 'parquet') {
    const { parquetPart } = await import('./parquetPart.js') // or not, to start fast
    return parquetPart
  }
  const why = `${path} is neither NDJSON nor Parquet: only these can be compacted`
  throw exportError('UnusablePath', why, { path })
}

/** The next name of the same slice: `part-00001-002.ndjson` after `part-00001-001.ndjson`. */
const nextName = (name: string, taken: ReadonlySet<string>): string => {
  const [, slice = '', piece = '', extension = ''] =
    /^(.+-)[a-m]?(\d{3,})(\.[^/]+)$/.exec(basename(name)) ?? []
  for (let next = Number(piece) + 1; ; next++) {
    const free = `${slice}${sortable(next, 3)}${extension}`
    if (!taken.has(free)) return free
  }
}
