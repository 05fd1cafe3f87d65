/** A file of rows that can be cut back to where it was durable, and resumed. */
import { checkOptions, is, type OptionsTable, required } from '../../options/index.js'
import { disk, type FileSystem } from '../../store/FileSystem.js'
import { checkRows } from '../column/UnrepresentableRow.js'
import { checkCompression, checkName, type Format } from '../format/Format.js'
import * as rule from '../rules.js'
import type { TakeRows } from '../source/exportList.js'
import { openBytes } from '../storage/ByteFile.js'
import type { ByteFile, Mark } from '../storage/Files.js'
import { untilFailure } from './untilFailure.js'

// model

/** A file that is complete. */
export interface FileSummary {
  /** The path, as it was given. */
  readonly path: string
  /** Rows in the file. */
  readonly rows: number
  /** Bytes of the file, as they are there: compressed, if it is. */
  readonly bytes: number
  /** SHA-256 of the whole file, in hex. */
  readonly sha256: string
}

/**
 * Its methods run one at a time, in the order of their calls. After a failure nothing more is
 * written, and everything fails alike; what was committed stays.
 */
export interface RowFile<in A> {
  /**
   * Resolves when the rows are taken, which is before they are on the disk: a failure after that is reported by the next
   * call. Rejects with an `UnrepresentableRow`, and writes nothing of the page, when a row of it cannot be written exactly.
   */
  readonly write: TakeRows<A>
  /**
   * Resolves when all that was given to `write` so far is on the disk. The file can be cut back to the mark. Ends a
   * compressed frame, and a row group.
   */
  readonly commit: () => Promise<Mark>
  /** How many bytes it has so far; rows that wait for their frame or row group come on top. */
  readonly size: () => number
  /** Ends it (closing bracket, footer), durable. Nothing can be written any more: all but `abandon` rejects. */
  readonly finish: () => Promise<FileSummary>
  /** Leaves it as it stands and closes it. May be called again, and after `finish`. */
  readonly abandon: () => Promise<void>
}

/** Which file, and how rows are written to it. */
export interface FileOptions<A> {
  /** Made if it is not there; its folder must be. */
  readonly path: string
  /** How rows are written: what is in the `Right` of `formatOf`. */
  readonly format: Format<A>
  /** Cuts the file back to where it was committed, and goes on there; else it is begun anew. */
  readonly from?: Mark | undefined
  /** Default: the disk. */
  readonly files?: FileSystem | undefined
}

// constructors

/** Rules of the options of a file. */
const fileRules: OptionsTable<FileOptions<never>> = {
  path: required(is.nonEmptyString),
  format: required(rule.format),
  from: rule.mark,
  files: rule.files,
}

/**
 * Opens a file for rows. Throws the error of the system (ENOSPC, EACCES, EISDIR, ...), with its `code` and `path`;
 * a `ChecksumMismatch` when the file is not the one of the mark, by its hash; an `InvalidOption` for an option that cannot
 * work, and for a path whose name says another format.
 */
export const openFile = async <A>(given: FileOptions<A>): Promise<RowFile<A>> => {
  const { path, format, from, files = disk } = checkOptions(given, fileRules)
  checkName('path', path, format)
  checkCompression(format.compress) // before what was there is gone
  const file = await rowsInto(path, format, await openBytes(path, from, files), from)
  return {
    ...file,
    write: async (rows) => {
      checkRows(format, rows)
      return file.write(rows)
    },
  }
}

/** Writes rows in a format to the end of a file that is open; `path` names it. Closes it if the format refuses it. */
export const rowsInto = async <A>(
  path: string,
  format: Format<A>,
  bytes: ByteFile,
  from: Mark | undefined,
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
  from: Mark | undefined,
): Promise<RowFile<A>> => {
  const kept = from && { path, mark: from, read: bytes.read }
  const encoder = await format.encoder(bytes, kept) // which may refuse it
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
