/** Where an export goes. */
import { dirname, join } from 'node:path'
import { disk, type FileSystem } from '../../store/FileSystem.js'
import { type Destination, toFile, toFolder } from '../file/Destination.js'
import { type PartMark, partName, type Rotation } from '../file/parts.js'
import type { Format } from '../format/Format.js'
import type { Marks } from './Checkpoint.js'
import { type Paths, prefixOf, realName } from './paths.js'

/** How a destination is opened. */
export interface Opening {
  /** Cut back to where it was durable; absent: anew. */
  readonly from: Marks['output'] | undefined
  /** True if an earlier owner may still write into it. */
  readonly isShared: boolean
  /** Which of its folder it is, from 1. */
  readonly run: number
}

/** Where an export goes, and what is kept beside it. */
export interface Target<A> {
  readonly open: (how: Opening) => Promise<Destination<A>>
  /** The file of a part. */
  readonly fileOf: (part: PartMark, run: number) => string
  readonly paths: Paths
  /** How rows are written; those that do not fit are rejected. */
  readonly format: Format<A>
}

/** A file called `paths.out`, or a folder of files. */
export const targetOf = <A>(
  paths: Paths,
  format: Format<A>,
  rotation: Rotation,
  files: FileSystem = disk,
): Target<A> => {
  const { out } = paths
  if (!paths.isFolder) {
    return {
      paths,
      format,
      open: async ({ from, isShared }) =>
        toFile({ path: await realName(files, out), format, files, from, isShared }),
      fileOf: ({ name, ended }) => (ended ? out : join(dirname(out), name)),
    }
  }
  return {
    paths,
    format,
    open: ({ from, isShared, run }) =>
      toFolder({
        ...{ path: out, format, rotation, prefix: prefixOf(run), files, from, isShared },
        neverEmpty: run === 1,
      }),
    fileOf: ({ name, ended, ...part }, run) =>
      join(
        out,
        ended ? partName({ prefix: prefixOf(run), extension: format.extension })(part) : name,
      ),
  }
}
