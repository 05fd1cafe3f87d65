/** Manifests and states as they stand, whichever run has the lease. */
import { fieldsOf, parsed } from '../../decode/unknown.js'
import { stateIn } from '../../store/lease.js'
import { exportError } from '../ExportError.js'
import type { Files } from '../storage/Files.js'
import { isFolder, locationOf, openFiles, type WatchedReach } from '../storage/openFiles.js'
import { type Manifest, type ManifestKind, readManifest } from '../transfer/Manifest.js'
import { namesOf } from './paths.js'

/** A text among files. */
export interface FoundText {
  readonly files: Files
  readonly name: string
}

/** The name of the manifest of a folder; that of a file ends with it, without the underscore. */
const { manifest: OF_FOLDER } = namesOf('/')

/** Returns whether a manifest is that of a folder; else it has the name of the one file it is of. */
export const isOfFolder = (name: string): boolean => name === OF_FOLDER

/**
 * Finds the manifest of a file, of a folder, or itself. An export may be called `manifest.json`, too, and a folder may
 * be named without a slash.
 */
const findManifest = async (path: string, options: WatchedReach): Promise<FoundText> => {
  const inside = await openFiles(isFolder(path) ? path : `${path}/`, options)
  const ofFolder = { files: inside, name: OF_FOLDER }
  if (isFolder(path) || (await inside.size(OF_FOLDER)) !== undefined) return ofFolder
  const { folder, name } = locationOf(path)
  const files = await openFiles(folder, options)
  const own = namesOf(path).manifest
  if ((await files.size(own)) !== undefined) return { files, name: own }
  if (await inside.isFolder('')) return ofFolder
  return { files, name: path.endsWith('manifest.json') ? name : own }
}

/** Resolves with a manifest, if there is one; rejects with `Damaged`, `NewerVersion` or `ReadFailed`. */
export const manifestIn = async (
  files: Pick<Files, 'store' | 'nameOf'>,
  name: string,
): Promise<Manifest | undefined> => {
  const found = await files.store().read(name)
  return found && readManifest(files.nameOf(name))(found.text)
}

/** Finds the manifest of a file, of a folder, or at a path; rejects with `NoManifest` if there is none. */
export const manifestFor = async (
  given: string,
  options: WatchedReach,
): Promise<FoundText & { readonly path: string; readonly manifest: Manifest }> => {
  const found = await findManifest(given, options)
  const path = found.files.nameOf(found.name)
  const manifest = await manifestIn(found.files, found.name)
  if (manifest !== undefined) return { ...found, path, manifest }
  const why = `${path} is not there: name a file or folder as --out of an export had it, or its manifest`
  throw exportError('NoManifest', why, { path })
}

/** As `manifestIn`; rejects with an `UnusableDestination` for a manifest of another kind. */
export const manifestOfKind = async (
  kind: ManifestKind,
  files: Files,
  name: string,
): Promise<Manifest | undefined> => {
  const manifest = await manifestIn(files, name)
  if (manifest === undefined || manifest.kind === kind) return manifest
  const path = files.nameOf(name)
  const own = manifest.kind === 'sync' ? 'a sync' : 'an export'
  const why = `is of ${own}, which has this folder: name another one`
  throw exportError('UnusableDestination', `${path} ${why}`, { destination: path })
}

/** Texts of version 0.1 in a folder: their names had no underscore. */
export const OLD_TEXTS = ['manifest.json', 'checkpoint.json'] as const

/** Rejects with an `UnusableDestination` for a folder that version 0.1 has written. */
export const refuseOld = async (files: Files): Promise<void> => {
  for (const name of OLD_TEXTS) {
    const { version } = fieldsOf(parsed((await files.store().read(name))?.text ?? ''))
    if (typeof version !== 'number') continue
    const path = files.nameOf(name)
    const why = 'is of version 0.1, which has other names: finish a run with that version'
    const ways = 'then have "sync --adopt" take the folder over; or name another folder'
    throw exportError('UnusableDestination', `${path} ${why}, ${ways}`, { destination: path })
  }
}

/** Resolves with the state that is kept. */
export const readState = async (files: Files, name: string): Promise<unknown> => {
  const found = await files.store().read(name)
  return found && stateIn(files.nameOf(name))(found.text)
}

/** Returns when the run of a state began, as ISO 8601, whatever else is in its text; undefined if it does not say. */
export const startIn = (text: string): string | undefined => {
  const { started } = fieldsOf(fieldsOf(fieldsOf(parsed(text)).state).run)
  return typeof started === 'string' ? started : undefined
}
