/** A file of rows that can be truncated to the last commit and then resumed. */
import { checkOptions, is, type OptionsTable, required } from '../../options/index.js'
import { disk, type FileSystem } from '../../store/FileSystem.js'
import { checkRows } from '../column/UnrepresentableRow.js'
import { checkCompression, checkName, type Format } from '../format/Format.js'
import * as rule from '../rules.js'
import type { WriteRows } from '../source/exportList.js'
import { openBytes } from '../storage/ByteFile.js'
import type { ByteFile, FilePosition } from '../storage/Files.js'
import { untilFailure } from './untilFailure.js'

/** A complete file. */
export interface FileSummary {
  /** The path, as given. */
  readonly path: string
  /** Rows in the file. */
  readonly rows: number
  /** Size of the file, after any compression. */
  readonly bytes: number
  /** SHA-256 of the whole file, in hex. */
  readonly sha256: string
}

/**
 * A file of rows. Methods run one at a time, in call order. After a failure nothing more is written and every call fails with the
 * same error; committed rows are kept.
 */
export interface RowFile<in A> {
  /**
   * Resolves once the rows are accepted, before they are on disk; the next call reports a later failure. Rejects with an
   * `UnrepresentableRow`, without writing any row of the page, if one cannot be written exactly.
   */
  readonly write: WriteRows<A>
  /**
   * Resolves once everything passed to `write` is on disk, with a position to which the file can be truncated. Ends a
   * compressed frame and a row group.
   */
  readonly commit: () => Promise<FilePosition>
  /** Size in bytes so far, without rows still buffered for a frame or row group. */
  readonly size: () => number
  /** Completes the file durably (closing bracket, footer). Afterwards every method except `abandon` rejects. */
  readonly finish: () => Promise<FileSummary>
  /** Closes the file and leaves its content unchanged. May be called again, and after `finish`. */
  readonly abandon: () => Promise<void>
}

/** The file, and how rows are written to it. */
export interface FileOptions<A> {
  /** Created if missing; its folder must exist. */
  readonly path: string
  /** How rows are written: the value in the `Right` of `formatOf`. */
  readonly format: Format<A>
  /** Truncates the file to this position and continues there. Default: starts over. */
  readonly from?: FilePosition | undefined
  /** The file system. Default: the disk. */
  readonly files?: FileSystem | undefined
}

const fileRules: OptionsTable<FileOptions<never>> = {
  path: required(is.nonEmptyString),
  format: required(rule.format),
  from: rule.mark,
  files: rule.files,
}

/**
 * Opens a file for rows. Throws the system error (ENOSPC, EACCES, EISDIR, ...) with its `code` and `path`; a `ChecksumMismatch`
 * if the file does not match `from`; an `InvalidOption` for an invalid option, or for a path whose extension belongs to another
 * format.
 */
export const openFile = async <A>(given: FileOptions<A>): Promise<RowFile<A>> => {
  const { path, format, from, files = disk } = checkOptions(given, fileRules)
  checkName('path', path, format)
  checkCompression(format.compress) // before the existing content is lost
  const file = await rowsInto(path, format, await openBytes(path, from, files), from)
  return {
    ...file,
    write: async (rows) => {
      checkRows(format, rows)
      return file.write(rows)
    },
  }
}

/** Appends rows to an open file; `path` names the file. Closes the file if the format rejects it. */
export const rowsInto = async <A>(
  path: string,
  format: Format<A>,
  bytes: ByteFile,
  from: FilePosition | undefined,
): Promise<RowFile<A>> => {
  try {
    return await rowFile(path, format, bytes, from)
  } catch (error) {
    await bytes.close()
    throw error
  }
}

const rowFile = async <A>(
  path: string,
  format: Format<A>,
  bytes: ByteFile,
  from: FilePosition | undefined,
): Promise<RowFile<A>> => {
  const kept = from && { path, mark: from, read: bytes.read }
  const encoder = await format.encoder(bytes, kept) // the format may reject the file
  await bytes.cut()
  const { run, end, last } = untilFailure(path)
  let count = from?.rows ?? 0

  return {
    write: (rows) =>
      run(async () => {
        await encoder.rows(rows)
        count += rows.length
      }),
    commit: () =>
      run(async () => {
        await encoder.flush()
        await bytes.sync()
        return { bytes: bytes.size(), rows: count, sha256: bytes.digest() }
      }),
    size: bytes.size,
    finish: () =>
      end(async () => {
        await encoder.end()
        await bytes.sync()
        await bytes.close()
        return { path, rows: count, bytes: bytes.size(), sha256: bytes.digest() }
      }),
    abandon: () => last(bytes.close),
  }
}
