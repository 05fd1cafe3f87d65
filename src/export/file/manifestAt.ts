/** Manifests and states as they stand, whichever run has the lease. */
import { basename, dirname } from 'node:path'
import { fieldsOf, parsed } from '../../decode/unknown.js'
import { storeIn, textAt } from '../../store/diskStore.js'
import type { FileSystem } from '../../store/FileSystem.js'
import { stateIn } from '../../store/lease.js'
import { exportError } from '../ExportError.js'
import { type Manifest, type ManifestKind, readManifest } from '../transfer/Manifest.js'
import { findManifest } from './paths.js'

/** Resolves with the manifest at a path, if there is one; rejects with `Damaged`, `NewerVersion` or `ReadFailed`. */
export const manifestAt = async (
  files: Pick<FileSystem, 'open'>,
  path: string,
): Promise<Manifest | undefined> => {
  const text = await textAt(files, path)
  return text === undefined ? undefined : readManifest(path)(text)
}

/** Resolves with the manifest of a file, of a folder, or at a path; rejects with `NoManifest` if there is none. */
export const manifestFor = async (
  files: Pick<FileSystem, 'open' | 'readdir' | 'stat'>,
  given: string,
): Promise<{ readonly path: string; readonly manifest: Manifest }> => {
  const path = await findManifest(files, given)
  const manifest = await manifestAt(files, path)
  if (manifest !== undefined) return { path, manifest }
  const why = `${path} is not there: name a file or folder as --out of an export had it, or its manifest`
  throw exportError('NoManifest', why, { path })
}

/** As `manifestAt`; rejects with an `UnusableDestination` for a manifest of another kind. */
export const manifestOfKind = async (
  kind: ManifestKind,
  files: Pick<FileSystem, 'open'>,
  path: string,
): Promise<Manifest | undefined> => {
  const manifest = await manifestAt(files, path)
  if (manifest === undefined || manifest.kind === kind) return manifest
  const own = manifest.kind === 'sync' ? 'a sync' : 'an export'
  const why = `is of ${own}, which has this folder: name another one`
  throw exportError('UnusableDestination', `${path} ${why}`, { destination: path })
}

/** Resolves with the state that is kept at a path. */
export const stateAt = async (files: FileSystem, path: string): Promise<unknown> => {
  const found = await storeIn(files, dirname(path)).read(basename(path))
  return found === undefined ? undefined : stateIn(path)(found.text)
}

/** Resolves with when the run of a state began, as ISO 8601, whatever else is in it; undefined if it does not say. */
export const startAt = async (
  files: Pick<FileSystem, 'open'>,
  path: string,
): Promise<string | undefined> => {
  const { state } = fieldsOf(parsed((await textAt(files, path)) ?? ''))
  const { started } = fieldsOf(fieldsOf(state).run)
  return typeof started === 'string' ? started : undefined
}
