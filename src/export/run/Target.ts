/** Where an export goes, and what is kept beside it. */
import { basename, dirname, join, relative } from 'node:path'
import { checked, is, type Rules } from '../../options/index.js'
import type { Destination, DestinationMark, PartMark } from '../file/Destination.js'
import type { Files } from '../file/Files.js'
import { partName } from '../file/partName.js'
import type { Rotation } from '../file/partsOf.js'
import { toFile } from '../file/toFile.js'
import { toFolder } from '../file/toFolder.js'
import { extensionOf, needZstd } from '../format/compress.js'
import { compressions, type Format, formatNames } from '../format/Format.js'
import * as rule from '../rules.js'

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
  /** How rows are written, made by `formatOf`. */
  readonly format: Format<A>
  /** Where the checkpoint is kept; beside the output unless given. */
  readonly checkpoint?: string
  /** In a folder: when a part is ended and another begun. One a slice of time unless given. */
  readonly rotation?: Rotation
  /** The disk unless given. */
  readonly files?: Files
}

/** What an export keeps, each by its path. */
export interface Paths {
  /** The file or the folder. */
  readonly out: string
  /** Whether it has a file for each part, and runs are added to those before. */
  readonly isFolder: boolean
  /** What it is resumed by. */
  readonly checkpoint: string
  /** Of the rows that were written, while there is a checkpoint. */
  readonly keys: string
  /** What was written, run by run. */
  readonly manifest: string
  /** Who is at it. */
  readonly lock: string
  /** Takes the rows that are not written. */
  readonly rejects: (run: number) => string
}

// constructors

/** A name that ends with a slash is a folder. */
export const isFolder = (out: string): boolean => /[\\/]$/.test(out)

/** `FILE.checkpoint.json`, or `DIR/checkpoint.json`; and so for the others. */
export const pathsOf = (out: string, checkpoint?: string): Paths => {
  const folder = isFolder(out)
  const beside = (name: string): string => (folder ? join(out, name) : `${out}.${name}`)
  const kept = checkpoint ?? beside('checkpoint.json')
  return {
    out,
    isFolder: folder,
    checkpoint: kept,
    keys: `${kept}.keys`,
    manifest: beside('manifest.json'),
    lock: folder ? join(out, 'lock') : `${out}.lock`,
    rejects: (run) => beside(run === 1 ? 'rejects.ndjson' : `rejects-${run}.ndjson`),
  }
}

const rules: Rules<TargetOptions<never>> = {
  out: is.needed(is.filled),
  format: is.needed(rule.format),
  checkpoint: is.filled,
  rotation: rule.rotation,
  files: rule.files,
}

/**
 * Files called after `out`, or in it. Throws `Unsupported` for what this version of Node cannot compress, and an
 * `InvalidOption`, such as for a rotation that makes no parts.
 */
export const targetOf = <A>(options: TargetOptions<A>): Target<A> => {
  const { out, checkpoint, format, rotation = {}, files } = checked(options, rules)
  const paths = pathsOf(out, checkpoint)
  needZstd(format.compress)
  const disk = files === undefined ? {} : { files }
  if (!paths.isFolder) {
    return {
      paths,
      format,
      open: (from) => toFile({ path: out, format, ...disk, ...(from && { from }) }),
      fileOf: () => out,
    }
  }
  return {
    paths,
    format,
    open: (from, run) =>
      toFolder({
        ...{ path: out, format, rotation, prefix: prefixOf(run) },
        ...disk,
        ...(from && { from }),
      }),
    fileOf: (part, run) =>
      join(out, partName({ prefix: prefixOf(run), extension: format.extension })(part)),
  }
}

/** A letter for each digit more than four: letters sort after digits. */
const LETTERS = ['', ...'abcdefghijkl']

/** By name, later runs come after earlier ones: `part`, `run-0002`, `run-9999`, `run-a10000`, `run-b100000`. */
const prefixOf = (run: number): string => {
  const digits = String(run).padStart(4, '0')
  return run === 1 ? 'part' : `run-${LETTERS[digits.length - 4]}${digits}`
}

const EXTENSIONS = formatNames.flatMap((name) =>
  compressions.map((compress) => extensionOf(name, compress)),
)

/** Whether a run would call a file in its folder so, in whatever format, rejected rows among them. */
export const isOfRun = (name: string): boolean => {
  const [, extension] = /^(?:part|run-[a-l]?\d{4,})-\d{5,}-\d{3,}\.(.+)$/.exec(name) ?? []
  return extension === undefined
    ? /^rejects(-\d+)?\.ndjson$/.test(name)
    : EXTENSIONS.includes(extension)
}

/** As it is called from where `from` is, so that both can be moved together. */
export const seenFrom = (from: string, path: string): string =>
  relative(dirname(from), path) || basename(path)
