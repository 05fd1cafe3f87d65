import { checkOptions, is, type OptionsTable, required } from '../../options/index.js'
import { allFit } from '../column/Misfit.js'
import { checkName } from '../format/byExtension.js'
import { needZstd } from '../format/compress.js'
import type { Format } from '../format/Format.js'
import * as rule from '../rules.js'
import { type ByteFile, openBytes } from './ByteFile.js'
import { disk, type Files } from './Files.js'
import type { Mark, RowFile } from './RowFile.js'
import { untilFailure } from './untilFailure.js'

// model

/** Which file, and how rows are written to it. */
export interface FileOptions<A> {
  /** Made if it is not there; its folder must be. */
  readonly path: string
  /** How rows are written: what is in the `Right` of `formatOf`. */
  readonly format: Format<A>
  /** Cuts the file back to where it was committed, and goes on there; else it is begun anew. */
  readonly from?: Mark
  /** Default: the disk. */
  readonly files?: Files
}

// constructors

/** What each option must be, for whatever writes one file. */
export const fileRules: OptionsTable<FileOptions<never>> = {
  path: required(is.nonEmptyString),
  format: required(rule.format),
  from: rule.mark,
  files: rule.files,
}

/**
 * Opens a file for rows. What the system refuses is thrown as it says it, with its `code` and `path`
 * (ENOSPC, EACCES, EISDIR, ...); `NotTheSame` when the file is not the one of the mark, by its hash;
 * an `InvalidOption` for an option that cannot work, and for a path whose name says another format.
 */
export const openFile = async <A>(given: FileOptions<A>): Promise<RowFile<A>> => {
  const options = checkOptions(given, fileRules)
  checkName('path', options.path, options.format)
  const file = await openUnchecked(options)
  return {
    ...file,
    write: async (rows) => {
      allFit(options.format, rows)
      return file.write(rows)
    },
  }
}

/** The same, for rows that are known to fit. */
export const openUnchecked = async <A>({
  path,
  format,
  from,
  files = disk,
}: FileOptions<A>): Promise<RowFile<A>> => {
  needZstd(format.compress) // before what was there is gone
  const bytes = await openBytes(path, from, files)
  try {
    return await rowFile(path, format, bytes, from)
  } catch (error) {
    await bytes.close()
    throw error
  }
}

/** Rows in the format, as bytes at the end of the file. */
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
