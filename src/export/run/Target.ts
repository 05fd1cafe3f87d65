/** Where an export goes. */
import { join } from 'node:path'
import { defined } from '../../fp.js'
import {
  type Destination,
  type DestinationMark,
  type PartMark,
  toFile,
} from '../file/Destination.js'
import type { FileSystem } from '../file/FileSystem.js'
import { partName, type Rotation } from '../file/parts.js'
import { toFolder } from '../file/toFolder.js'
import type { Format } from '../format/Format.js'
import { type Paths, prefixOf } from './paths.js'

/** Where an export goes, and what is kept beside it. */
export interface Target<A> {
  /** Opens it: anew, or cut back to where it was durable. `run` counts from 1 in a folder. */
  readonly open: (mark: DestinationMark | undefined, run: number) => Promise<Destination<A>>
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
  files: FileSystem,
): Target<A> => {
  const { out } = paths
  if (!paths.isFolder) {
    return {
      paths,
      format,
      open: (from) => toFile({ path: out, format, files, ...defined({ from }) }),
      fileOf: () => out,
    }
  }
  return {
    paths,
    format,
    open: (from, run) =>
      toFolder({ path: out, format, rotation, prefix: prefixOf(run), files, from }),
    fileOf: (part, run) =>
      join(out, partName({ prefix: prefixOf(run), extension: format.extension })(part)),
  }
}
