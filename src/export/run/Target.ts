/** Where an export goes. */
import { join } from 'node:path'
import { defined } from '../../fp.js'
import {
  checkOptions,
  InvalidOption,
  is,
  type OptionsTable,
  required,
} from '../../options/index.js'
import type { Destination, DestinationMark, PartMark } from '../file/Destination.js'
import type { Files } from '../file/Files.js'
import { partName } from '../file/partName.js'
import type { Rotation } from '../file/partsOf.js'
import { toFile } from '../file/toFile.js'
import { toFolder } from '../file/toFolder.js'
import { checkName } from '../format/byExtension.js'
import { needZstd } from '../format/compress.js'
import type { Format } from '../format/Format.js'
import * as rule from '../rules.js'
import { type Paths, pathsOf } from './Paths.js'
import { prefixOf } from './runNames.js'

// model

/** Where an export goes, and what is kept beside it; made by `targetOf`. */
export interface Target<A> {
  /** Where rows go: anew, or cut back to where they were durable. `run` counts from 1 in a folder. */
  readonly open: (mark: DestinationMark | undefined, run: number) => Promise<Destination<A>>
  /** The file of a part. */
  readonly fileOf: (part: PartMark, run: number) => string
  /** All that it keeps. */
  readonly paths: Paths
  /** How rows are written; those that do not fit it are put aside. */
  readonly format: Format<A>
}

/** Which file or folder, and how rows are written to it. */
export interface TargetOptions<A> {
  /** A file; a folder, if it ends with a slash. */
  readonly out: string
  /** How rows are written: what is in the `Right` of `formatOf`. */
  readonly format: Format<A>
  /** Where the checkpoint is kept. Default: beside the output. */
  readonly checkpoint?: string
  /** In a folder: when a part is ended and another begun. Default: one a slice of time. */
  readonly rotation?: Rotation
  /** Default: the disk. */
  readonly files?: Files
}

// constructors

const rules: OptionsTable<TargetOptions<never>> = {
  out: required(is.nonEmptyString),
  format: required(rule.format),
  checkpoint: is.nonEmptyString,
  rotation: rule.rotation,
  files: rule.files,
}

/**
 * Files called after `out`, or in it. Throws `Unsupported` for what this version of Node cannot compress, and an
 * `InvalidOption`, such as for a rotation that makes no parts, or of one file, and for the name of a file that says
 * another format.
 */
export const targetOf = <A>(options: TargetOptions<A>): Target<A> => {
  const { out, checkpoint, format, rotation = {}, files } = checkOptions(options, rules)
  const paths = pathsOf(out, checkpoint)
  if (!paths.isFolder && Object.keys(rotation).length > 0) {
    throw new InvalidOption(
      'rotation',
      'left out: one file has no parts, only a folder (out: "name/")',
    )
  }
  needZstd(format.compress)
  const place = { path: out, format }
  if (!paths.isFolder) {
    checkName('out', out, format)
    return {
      paths,
      format,
      open: (from) => toFile({ ...place, ...defined({ files, from }) }),
      fileOf: () => out,
    }
  }
  return {
    paths,
    format,
    open: (from, run) =>
      toFolder({ ...place, rotation, prefix: prefixOf(run), ...defined({ files, from }) }),
    fileOf: (part, run) =>
      join(out, partName({ prefix: prefixOf(run), extension: format.extension })(part)),
  }
}
