/** Whether the files of an export are what its manifest says. */
import { createHash } from 'node:crypto'
import { dirname, resolve } from 'node:path'
import { concatMap, from, type Observable, of } from 'rxjs'
import type { Handle } from '../file/Files.js'
import { CannotRun } from './CannotRun.js'
import { type ManifestFile, type ManifestRun, readManifest } from './Manifest.js'
import { codeOf, readText, type SmallFiles, wholeDisk } from './SmallFiles.js'

// model

/** One file, or one run, with all that is not as it should be: nothing, when all is well. */
export interface Checked {
  /** Of the file; of the manifest, where the run is not complete. */
  readonly path: string
  readonly isFile: boolean
  readonly differences: ReadonlyArray<Difference>
}

export interface Difference {
  readonly _tag: 'Incomplete' | 'Missing' | 'Bytes' | 'Hash' | 'Rows'
  readonly message: string
}

// constructors

/**
 * Reads all files of a manifest, one after the other, and tells of each what it found. Rows are counted
 * where they are lines. Fails with a `CannotRun` when there is no manifest.
 */
export const verify = (path: string, files: SmallFiles = wholeDisk): Observable<Checked> =>
  from(manifestAt(files, path)).pipe(
    concatMap(({ runs }) => runs),
    concatMap((run) => from([checkedRun(path, run), ...filesOf(run)])),
    concatMap((one) =>
      'differences' in one
        ? of(one)
        : from(check(files, resolve(dirname(path), one.file.path), one)),
    ),
  )

interface Told {
  readonly file: ManifestFile
  /** Whether each of its rows is a line. */
  readonly lines: boolean
}

const manifestAt = async (files: SmallFiles, path: string) => {
  const text = await readText(files, path)
  if (text === undefined) throw new CannotRun('missing', path, 'is not there')
  return readManifest(path)(text)
}

const checkedRun = (path: string, { missing, started }: ManifestRun): Checked => ({
  path,
  isFile: false,
  differences: missing.map((what) => ({
    _tag: 'Incomplete',
    message: `the run of ${started} is not complete: missing are ${what}`,
  })),
})

const filesOf = ({ files, rejected, purpose }: ManifestRun): ReadonlyArray<Told> => {
  const { name, compress } = purpose.format
  const lines = name === 'ndjson' && (compress === undefined || compress === 'none')
  return [
    ...files.map((file) => ({ file, lines })),
    ...(rejected === undefined ? [] : [{ file: rejected, lines: true }]),
  ]
}

const check = async (files: SmallFiles, path: string, { file, lines }: Told): Promise<Checked> => {
  const found = await contentOf(files, path)
  if (found === undefined) {
    return { path, isFile: true, differences: [{ _tag: 'Missing', message: 'is not there' }] }
  }
  const differences: Array<Difference> = []
  const compare = (_tag: Difference['_tag'], what: string, is: unknown, should: unknown): void => {
    if (is !== should) differences.push({ _tag, message: `${what} ${is}, and should be ${should}` })
  }
  compare('Bytes', 'has bytes:', found.bytes, file.bytes)
  compare('Hash', 'SHA-256 is', found.sha256, file.sha256 ?? 'that of a complete file')
  if (lines) compare('Rows', 'has rows:', found.lines, file.rows)
  return { path, isFile: true, differences }
}

interface Content {
  readonly bytes: number
  readonly sha256: string
  readonly lines: number
}

/** How much is read at a time. */
const CHUNK = 1 << 20

const LINE_FEED = 10

const contentOf = async (files: SmallFiles, path: string): Promise<Content | undefined> => {
  const handle = await files.open(path, 'r').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  })
  return handle && readThrough(handle).finally(handle.close)
}

const readThrough = async (handle: Handle): Promise<Content> => {
  const hash = createHash('sha256')
  const chunk = Buffer.alloc(CHUNK)
  let bytes = 0
  let lines = 0
  for (;;) {
    const { bytesRead } = await handle.read(chunk, 0, CHUNK, bytes)
    if (bytesRead === 0) return { bytes, sha256: hash.digest('hex'), lines }
    const part = chunk.subarray(0, bytesRead)
    hash.update(part)
    for (let at = part.indexOf(LINE_FEED); at !== -1; at = part.indexOf(LINE_FEED, at + 1)) lines++
    bytes += bytesRead
  }
}
