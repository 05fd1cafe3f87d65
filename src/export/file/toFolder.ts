import { join } from 'node:path'
import { checkOptions, is, type OptionsTable, required } from '../../options/index.js'
import { allFit } from '../column/Misfit.js'
import { needZstd } from '../format/compress.js'
import type { Format } from '../format/Format.js'
import * as rule from '../rules.js'
import { abandonAll } from './abandonAll.js'
import type { Destination, DestinationMark } from './Destination.js'
import { checkUndisturbed } from './Disturbed.js'
import { disk, type Files, syncFolder, syncName } from './Files.js'
import { openUnchecked } from './openFile.js'
import { isPartName, type Naming, partName } from './partName.js'
import { type Parts, partsOf, type Rotation } from './partsOf.js'
import { sameFile } from './sameFile.js'

// model

/** Which folder, how rows are written to it, and where it is gone on with. */
export interface ToFolderOptions<A> {
  /** Made if it is not there. */
  readonly path: string
  /** How rows are written: what is in the `Right` of `formatOf`. */
  readonly format: Format<A>
  /** Goes on where it was committed; else all files that are called as its parts are taken away. */
  readonly from?: DestinationMark
  /** Default: one part a slice. */
  readonly rotation?: Rotation
  /** What the names of parts begin with. Default `part`, as in `part-00001-001.ndjson`. */
  readonly prefix?: string
  /** Default: the disk. */
  readonly files?: Files
}

// constructors

const rules: OptionsTable<ToFolderOptions<never>> = {
  path: required(is.nonEmptyString),
  format: required(rule.format),
  from: rule.mark,
  rotation: rule.rotation,
  prefix: is.string,
  files: rule.files,
}

/**
 * A folder with a file for each slice that has rows, or several. Parts that are newer than the mark are
 * taken away, those that were open are cut back to it. `NotTheSame` when a part is not what it was, by its
 * hash: each is read once; an `InvalidOption`, such as for a rotation that makes no parts.
 */
export const toFolder = async <A>(options: ToFolderOptions<A>): Promise<Destination<A>> => {
  const { path, format, from, rotation = {}, ...more } = checkOptions(options, rules)
  const { prefix = 'part', files = disk } = more
  const naming: Naming = { prefix, extension: format.extension }
  const nameOf = partName(naming)
  const known = from?.parts ?? []

  needZstd(format.compress)
  await files.mkdir(path, { recursive: true })
  await syncName(files, path)
  for (const part of known) {
    if (part.ended) await sameFile(join(path, nameOf(part)), part, files)
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
    await takeAway(files, path, naming, known.map(nameOf))
  } catch (error) {
    await abandon().catch(() => {}) // what was wrong before is told
    throw error
  }

  return {
    write: async (rows, number) => {
      allFit(format, rows)
      if (rows.length > 0) await slice(number).write(rows)
    },
    commit: async () => {
      const marks = await Promise.all(inOrder().map((parts) => parts.commit()))
      return { parts: marks.flat() }
    },
    endSlice: async (number) => slices.get(number)?.end(),
    finish: async () => {
      const parts = inOrder()
      await Promise.all(parts.map((part) => part.end()))
      const all = parts.flatMap((part) => part.ended())
      for (const part of all) await checkUndisturbed(files, part.path, part.bytes)
      return all
    },
    abandon,
  }
}

/** Removes the parts that are in the folder, but for those of these names. */
const takeAway = async (
  files: Files,
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
