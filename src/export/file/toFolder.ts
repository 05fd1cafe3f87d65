import { join } from 'node:path'
import { checkRows } from '../column/UnrepresentableRow.js'
import type { Format } from '../format/Format.js'
import { abandonAll, type Destination, type DestinationMark } from './Destination.js'
import { disk, type FileSystem, syncFolder, syncName } from './FileSystem.js'
import { checkEnded, checkNoConflict } from './integrity.js'
import { isPartName, type Naming, type Parts, partName, partsOf, type Rotation } from './parts.js'
import { openUnchecked } from './RowFile.js'

// model

/** Which folder, how rows are written to it, and where it is resumed. */
export interface FolderOptions<A> {
  /** Made if it is not there. */
  readonly path: string
  readonly format: Format<A>
  /** Resumes where it was committed; without it, all files with names of its parts are removed. */
  readonly from?: DestinationMark | undefined
  /** When a part is ended and another begun. */
  readonly rotation?: Rotation
  /** What the names of parts begin with: `part`, as in `part-00001-001.ndjson`. */
  readonly prefix?: string
  readonly files?: FileSystem
}

// constructors

/** Begins the names of files of the first run of a folder; later runs add to files that are there. */
const FIRST_RUN = 'part'

/**
 * Opens a folder with a file for each slice that has rows, or several. Parts that are newer than the mark are
 * removed, those that were open are cut back to it; each is read once. Rejects with a `ChecksumMismatch` when a part
 * is not what it was.
 */
export const toFolder = async <A>({
  path,
  format,
  from,
  rotation = {},
  prefix = FIRST_RUN,
  files = disk,
}: FolderOptions<A>): Promise<Destination<A>> => {
  const naming: Naming = { prefix, extension: format.extension }
  const nameOf = partName(naming)
  const known = from?.parts ?? []

  await files.mkdir(path, { recursive: true })
  await syncName(files, path)
  for (const part of known) {
    if (part.ended) await checkEnded(join(path, nameOf(part)), part, files)
  }

  const slices = new Map<number, Parts<A>>()
  const slice = (number: number): Parts<A> => {
    const pathOf = (piece: number): string => join(path, nameOf({ slice: number, piece }))
    const parts =
      slices.get(number) ??
      partsOf<A>({
        slice: number,
        rotation,
        pathOf,
        open: (piece, mark) =>
          openUnchecked({ path: pathOf(piece), format, files, ...(mark && { from: mark }) }),
        from: known.filter((part) => part.slice === number),
      })
    slices.set(number, parts)
    return parts
  }
  const inOrder = (): ReadonlyArray<Parts<A>> =>
    [...slices].sort(([a], [b]) => a - b).map(([, parts]) => parts)
  const abandon = (): Promise<void> => abandonAll(slices.values())

  try {
    for (const part of known) await slice(part.slice).ready
    await removeOthers(files, path, naming, known.map(nameOf))
  } catch (error) {
    await abandon().catch(() => {}) // what was wrong before is told
    throw error
  }

  return {
    write: async (rows, number) => {
      checkRows(format, rows)
      if (rows.length > 0) await slice(number).write(rows)
    },
    commit: async () => {
      const marks = await Promise.all(inOrder().map((parts) => parts.commit()))
      return { parts: marks.flat() }
    },
    endSlice: async (number) => slices.get(number)?.end(),
    finish: async () => {
      if (prefix === FIRST_RUN && slices.size === 0) await slice(0).begin() // readers find the columns
      const parts = inOrder()
      await Promise.all(parts.map((part) => part.end()))
      const all = parts.flatMap((part) => part.ended())
      for (const part of all) await checkNoConflict(files, part.path, part.bytes)
      return all
    },
    abandon,
  }
}

/** Removes the parts that are in the folder, but for those of these names. */
const removeOthers = async (
  files: FileSystem,
  folder: string,
  naming: Naming,
  kept: ReadonlyArray<string>,
): Promise<void> => {
  const others = (await files.readdir(folder))
    .filter(isPartName(naming))
    .filter((name) => !kept.includes(name))
  for (const name of others) await files.rm(join(folder, name), { force: true })
  if (others.length > 0) await syncFolder(files, folder)
}
