/** The manifest of the run that an export goes on from. */

import { codeOf } from '../../export/file/systemError.js'
import {
  CannotRun,
  type Manifest,
  pathsOf,
  readManifest,
  type SmallFiles,
} from '../../export/index.js'
import { readText } from '../../export/run/SmallFiles.js'
import { UsageError } from '../output.js'
import type { OutputPlan } from './outputPlan.js'
import { isFolderThere, placeOf } from './places.js'

// model

export interface ManifestBefore {
  readonly path: string
  /** Left out where a folder has none. */
  readonly manifest?: Manifest
}

// constructors

/** That of the folder for `true`, else the one that is named. Throws a `WrongUse` for what is none. */
export const manifestBefore = async (
  plan: OutputPlan,
  sinceLast: true | string,
  files: SmallFiles,
): Promise<ManifestBefore> => {
  const path = await pathOf(plan, sinceLast)
  const manifest = await read(files, path, sinceLast)
  if (manifest !== undefined) return { path, manifest }
  if (sinceLast === true) return { path }
  throw new UsageError(`--since-last: there is no manifest ${path}`)
}

const pathOf = async ({ kind, out }: OutputPlan, sinceLast: true | string): Promise<string> => {
  const own = pathsOf(out).manifest
  if (sinceLast === true) {
    if (kind === 'folder') return own
    throw new UsageError(
      '--since-last needs --out DIR/, or the manifest of the run before: a file has one run',
    )
  }
  const path = (await isFolderThere(sinceLast)) ? pathsOf(`${sinceLast}/`).manifest : sinceLast
  if (kind === 'file' && (await isAny(path, [own, out]))) {
    throw new UsageError(
      `--since-last: ${out} is the run before, and would be replaced: name a new file`,
    )
  }
  return path
}

const isAny = async (path: string, others: ReadonlyArray<string>): Promise<boolean> =>
  (await Promise.all(others.map(placeOf))).includes(await placeOf(path))

/** Nothing, when there is no manifest; a `WrongUse` when it cannot be read. */
const read = async (
  files: SmallFiles,
  path: string,
  sinceLast: true | string,
): Promise<Manifest | undefined> => {
  try {
    const text = await readText(files, path)
    return text === undefined ? undefined : readManifest(path)(text)
  } catch (error) {
    if (error instanceof CannotRun) {
      const advice = sinceLast === true ? ': --restart without --since-last starts over' : ''
      throw new UsageError(`--since-last: ${error.message}${advice}`)
    }
    const code = codeOf(error)
    if (code === undefined) throw error
    throw new UsageError(`--since-last: ${path} cannot be read: ${code}`)
  }
}
