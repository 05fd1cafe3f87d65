/** The records of an export: the checkpoint, which is the state of its lease, and the manifest. */
import { basename, dirname, resolve } from 'node:path'
import { merge, type Observable } from 'rxjs'
import { fieldsOf, parsed } from '../../decode/unknown.js'
import { diskStore, textAt } from '../../store/diskStore.js'
import { type FileSystem, modeOf } from '../../store/FileSystem.js'
import { type Lease, type LeaseOptions, stateIn, takeLease } from '../../store/lease.js'
import type { Store } from '../../store/Store.js'
import { exportError } from '../ExportError.js'
import { type Checkpoint, readCheckpoint } from './Checkpoint.js'
import { type Manifest, readManifest, showManifest } from './Manifest.js'
import { type Paths, pathsOf, realName } from './paths.js'

// model

/** The checkpoint and the manifest of one export, which no other run changes meanwhile. */
export interface Records {
  /** True if an earlier run did not release them: it may still write into its files. */
  readonly tookOver: boolean
  /** Its error says that a later run has taken them over. */
  readonly lost: Observable<never>
  readonly hasCheckpoint: () => boolean
  /** Returns the checkpoint, if there is one; throws `Damaged`. */
  readonly loadCheckpoint: () => Checkpoint | undefined
  /** Like all that changes something, rejects with `Fenced` when a later run has taken over. */
  readonly saveCheckpoint: (checkpoint: Checkpoint) => Promise<void>
  readonly removeCheckpoint: () => Promise<void>
  /** Returns what is kept in place of a checkpoint: the plan of an export in slices. */
  readonly state: () => unknown
  readonly saveState: (state: unknown) => Promise<void>
  /** Resolves with the manifest, if there is one; rejects with `Damaged`, `NewerVersion` or `ReadFailed`. */
  readonly loadManifest: () => Promise<Manifest | undefined>
  readonly saveManifest: (manifest: Manifest) => Promise<void>
  readonly removeManifest: () => Promise<void>
  /** Rejects with `Fenced` when a later run has taken over. */
  readonly checkOwner: () => Promise<void>
  readonly release: () => Promise<void>
}

/** Which files, and how their lease is taken. */
export interface RecordsOptions
  extends Pick<LeaseOptions, 'timer' | 'length' | 'onWait' | 'stop' | 'restart'> {
  readonly files: FileSystem
  readonly paths: Paths
}

// constructors

/** Takes the records of an export; rejects with `Locked` when another run has them. */
export const takeRecords = async ({
  files,
  paths,
  ...options
}: RecordsOptions): Promise<Records> => {
  const { out, isFolder, checkpoint, manifest, lock } = paths
  await refuseOldLock(files, lock)
  const take = async (path: string): Promise<Lease> =>
    takeLease({
      ...options,
      store: storeIn(files, dirname(path), 0o600),
      name: basename(path),
      path,
    })
  const leases: Array<Lease> = []
  const release = async (): Promise<void> => {
    for (const lease of [...leases].reverse()) await lease.release()
  }
  // the output has one lease by whichever link or option it is named; the state is where the checkpoint is
  const own = isFolder ? pathsOf(out).checkpoint : pathsOf(await realName(files, out)).checkpoint
  const kept = checkpoint // not where a link leads to: the link itself would be replaced
  if (resolve(own) !== resolve(kept)) leases.push(await take(own))
  const [guard] = leases
  try {
    if (guard?.state !== undefined && options.restart !== true) throw existing(own)
    if (guard?.state !== undefined) await guard.commit(undefined)
    leases.push(await take(kept))
  } catch (error) {
    await Promise.allSettled([release()]) // its own error would hide why
    throw error
  }
  const [lease] = leases.slice(-1)
  if (lease === undefined) throw new Error('no lease was taken')

  const store = storeIn(files, dirname(manifest), isFolder ? undefined : await modeOf(files, out))
  const name = basename(manifest)
  const checkOwner = async (): Promise<void> => {
    for (const each of leases) await each.renew()
  }
  const change = async (text: string | undefined): Promise<void> => {
    for (;;) {
      const version = (await store.read(name))?.version
      await checkOwner() // after that: a later owner has not changed the version yet
      if (text !== undefined) {
        if ((await store.replace(name, text, version)) !== undefined) return
      } else if (version === undefined || (await store.remove(name, version))) return
    }
  }
  const commit = async (state: unknown): Promise<void> => {
    if (lease !== guard) await guard?.renew()
    await lease.commit(state)
  }
  return {
    tookOver: leases.some(({ tookOver }) => tookOver),
    lost: merge(...leases.map(({ lost }) => lost)),
    hasCheckpoint: () => lease.state !== undefined,
    loadCheckpoint: () =>
      lease.state === undefined ? undefined : readCheckpoint(checkpoint)(lease.state),
    saveCheckpoint: commit,
    removeCheckpoint: () => commit(undefined),
    state: () => lease.state,
    saveState: commit,
    loadManifest: () => manifestAt(files, manifest),
    saveManifest: (next) => change(showManifest(next)),
    removeManifest: () => change(undefined),
    checkOwner,
    release,
  }
}

/** Returns the store of a folder; `mode`: the permissions of its files, those of the process unless given. */
const storeIn = (files: FileSystem, folder: string, mode?: number): Store =>
  files.store?.(folder) ?? diskStore({ folder, files, mode })

/** Makes the error for a checkpoint that is not resumed. */
export const existing = (path: string) =>
  exportError('CheckpointExists', `${path} is of an export that was not finished`, { path })

/** Rejects with `Locked` where an earlier version of this package has its lock. */
const refuseOldLock = async (files: FileSystem, path: string): Promise<void> => {
  const { pid, host } = fieldsOf(parsed((await textAt(files, path)) ?? ''))
  if (pid === undefined || host === undefined) return
  const why = `is the lock of process ${pid} on ${host}, of an earlier version of this package: remove it if there is no such process`
  throw exportError('Locked', `${path} ${why}`, { path })
}

// read only

/** Resolves with the manifest at a path, if there is one; rejects with `Damaged`, `NewerVersion` or `ReadFailed`. */
export const manifestAt = async (
  files: Pick<FileSystem, 'open'>,
  path: string,
): Promise<Manifest | undefined> => {
  const text = await textAt(files, path)
  return text === undefined ? undefined : readManifest(path)(text)
}

/** Resolves with the state that is kept at a path, whichever run has its lease. */
export const stateAt = async (files: FileSystem, path: string): Promise<unknown> => {
  const found = await storeIn(files, dirname(path)).read(basename(path))
  return found === undefined ? undefined : stateIn(path)(found.text)
}

/** Resolves with when the run of a checkpoint began, as ISO 8601, whatever else is in it; undefined if it does not say. */
export const startAt = async (
  files: Pick<FileSystem, 'open'>,
  path: string,
): Promise<string | undefined> => {
  const { state } = fieldsOf(parsed((await textAt(files, path)) ?? ''))
  const { started } = fieldsOf(state)
  return typeof started === 'string' ? started : undefined
}
