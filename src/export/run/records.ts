/**
 * What an export keeps of itself, read and replaced whole: the checkpoint and the manifest (see `lock.ts` for the
 * lock). Everything else asks here.
 */
import { fieldsOf, parsed } from '../../decode/unknown.js'
import { exportError } from '../ExportError.js'
import {
  type FileSystem,
  isAbsence,
  isSystemError,
  syncName,
  withPath,
  writeFully,
} from '../file/FileSystem.js'
import { type Checkpoint, readCheckpoint, showCheckpoint } from './Checkpoint.js'
import { type Manifest, readManifest, showManifest } from './Manifest.js'
import type { Paths } from './paths.js'

// the records of an export

/** The checkpoint and the manifest of one export. */
export interface Records {
  /** Whether there is a checkpoint, readable or not. Rejects with `ReadFailed`. */
  readonly hasCheckpoint: () => Promise<boolean>
  /** When the run of the checkpoint began, as ISO 8601, whatever else is in it; undefined if it does not say. */
  readonly startedAt: () => Promise<string | undefined>
  /** Resolves with the checkpoint, if there is one; rejects with `Damaged`, `NewerVersion` or `ReadFailed`. */
  readonly loadCheckpoint: () => Promise<Checkpoint | undefined>
  readonly saveCheckpoint: (checkpoint: Checkpoint) => Promise<void>
  /** Removes the checkpoint, and the keys of the rows before it: without a position, they are not needed. */
  readonly removeCheckpoint: () => Promise<void>
  /** Resolves with the manifest, if there is one; rejects with `Damaged`, `NewerVersion` or `ReadFailed`. */
  readonly loadManifest: () => Promise<Manifest | undefined>
  readonly saveManifest: (manifest: Manifest) => Promise<void>
}

/** Opens nothing before it is asked. */
export const recordsOf = (
  files: FileSystem,
  { checkpoint, keys, manifest }: Pick<Paths, 'checkpoint' | 'keys' | 'manifest'>,
): Records => ({
  hasCheckpoint: async () => (await readText(files, checkpoint)) !== undefined,
  startedAt: async () => {
    const { started } = fieldsOf(parsed((await readText(files, checkpoint)) ?? ''))
    return typeof started === 'string' ? started : undefined
  },
  loadCheckpoint: async () => {
    const text = await readText(files, checkpoint)
    return text === undefined ? undefined : readCheckpoint(checkpoint)(text)
  },
  saveCheckpoint: (next) => replaceText(files, checkpoint, showCheckpoint(next)),
  removeCheckpoint: async () => {
    await files.rm(keys, { force: true })
    await files.rm(checkpoint, { force: true })
  },
  loadManifest: async () => {
    const text = await readText(files, manifest)
    return text === undefined ? undefined : readManifest(manifest)(text)
  },
  saveManifest: (next) => replaceText(files, manifest, showManifest(next)),
})

// texts

/** Reads a file; undefined when there is none. Rejects with `ReadFailed`. */
export const readText = (
  files: Pick<FileSystem, 'readFile'>,
  path: string,
): Promise<string | undefined> =>
  files.readFile(path, 'utf8').catch((error: unknown) => {
    if (isAbsence(error)) return undefined
    throw isSystemError(error)
      ? exportError(
          'ReadFailed',
          `cannot read ${path}: ${error.message}`,
          { path, code: error.code },
          error,
        )
      : error
  })

/** Makes a file with this text, durable; it is removed again if that fails, as on a full disk. */
export const writeNew = async (files: FileSystem, path: string, text: string): Promise<void> => {
  const bytes = new TextEncoder().encode(text)
  const handle = await files.open(path, 'w+')
  try {
    await writeFully(handle, bytes, 0)
    await handle.sync()
  } catch (error) {
    await handle.close()
    await files.rm(path, { force: true })
    throw withPath(path)(error)
  }
  await handle.close()
}

/** Replaces a file in one step, durably: a reader finds all of the text, or all of what was there before. */
const replaceText = async (files: FileSystem, path: string, text: string): Promise<void> => {
  const fresh = `${path}.tmp`
  await writeNew(files, fresh, text)
  await files.rename(fresh, path)
  await syncName(files, path)
}
