/** Finds manifests and states, whichever run holds the lease. */
import { stateIn } from '../../store/lease.js'
import { exportError } from '../ExportError.js'
import { type FilesLocation, fileAt, folderAt } from '../location/Location.js'
import type { Files } from '../storage/Files.js'
import { openFiles, type WatchedReach } from '../storage/openFiles.js'
import { type Manifest, type ManifestKind, readManifest } from '../transfer/Manifest.js'
import { namesOf, OF_FOLDER } from './paths.js'

/** A text stored among files. */
export interface FoundText {
  readonly files: Files
  readonly name: string
  readonly folder: FilesLocation
}

/** Returns true if a manifest belongs to a folder. Otherwise, it has the name of its single file. */
export const isOfFolder = (name: string): boolean => name === OF_FOLDER.manifest

/**
 * Finds the manifest of a file or a folder, or the manifest at the given path. An exported file may itself be called
 * `manifest.json`, and a folder may be given without a slash.
 */
const findManifest = async (at: FilesLocation, options: WatchedReach): Promise<FoundText> => {
  const { manifest } = OF_FOLDER
  const inside = await openFiles(folderAt(at), options)
  const ofFolder = { files: inside, name: manifest, folder: folderAt(at) }
  if (at.file === '' || (await inside.size(manifest)) !== undefined) return ofFolder
  const found = { files: await openFiles(at, options), folder: fileAt(at, '') }
  const own = namesOf(at).manifest
  if ((await found.files.size(own)) !== undefined) return { ...found, name: own }
  if (await inside.isFolder('')) return ofFolder
  return { ...found, name: at.file.endsWith('manifest.json') ? at.file : own }
}

/** Resolves with a manifest, if there is one; rejects with `Damaged`, `NewerVersion` or `ReadFailed`. */
export const manifestIn = async (
  files: Pick<Files, 'store' | 'nameOf'>,
  name: string,
): Promise<Manifest | undefined> => {
  const found = await files.store().read(name)
  return found && readManifest(files.nameOf(name))(found.text)
}

/** Finds the manifest of a file, of a folder, or at a path. Rejects with `NoManifest` if there is none. */
export const manifestFor = async (
  given: FilesLocation,
  options: WatchedReach,
): Promise<FoundText & { readonly path: string; readonly manifest: Manifest }> => {
  const found = await findManifest(given, options)
  const path = found.files.nameOf(found.name)
  const manifest = await manifestIn(found.files, found.name)
  if (manifest !== undefined) return { ...found, path, manifest }
  const why = `${path} does not exist: give the file or folder from --out of an export, or its manifest`
  throw exportError('NoManifest', why, { path })
}

/** Works like `manifestIn`, but rejects with an `UnusableDestination` for a manifest of another kind. */
export const manifestOfKind = async (
  kind: ManifestKind,
  files: Files,
  name: string,
): Promise<Manifest | undefined> => {
  const manifest = await manifestIn(files, name)
  if (manifest === undefined || manifest.kind === kind) return manifest
  const path = files.nameOf(name)
  const own = manifest.kind === 'sync' ? 'a sync' : 'an export'
  const why = `belongs to ${own}, which uses this folder: choose another one`
  throw exportError('UnusableDestination', `${path} ${why}`, { destination: path })
}

export const readState = async (files: Files, name: string): Promise<unknown> => {
  const found = await files.store().read(name)
  return found && stateIn(files.nameOf(name))(found.text)
}
