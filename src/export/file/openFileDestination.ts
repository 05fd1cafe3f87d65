/** Opens a file or a folder as the destination of an export, with the texts beside it. */
import { basename, dirname, resolve } from 'node:path'
import { storeIn } from '../../store/diskStore.js'
import { type FileSystem, modeOf } from '../../store/FileSystem.js'
import { renamed, type Store } from '../../store/Store.js'
import type { Millis } from '../../stream/index.js'
import type { Format } from '../format/Format.js'
import { diskFiles, type Files, INCOMING } from '../storage/Files.js'
import { CHECKPOINT, type Destination, MANIFEST } from '../transfer/Destination.js'
import type { ManifestRun } from '../transfer/Manifest.js'
import type { LeaseText } from '../transfer/Session.js'
import { filesDestination } from './filesDestination.js'
import { partName, type Rotation } from './parts.js'
import {
  type Paths,
  pathsOf,
  prefixOf,
  realName,
  rejectsName,
  runOfName,
  seenFrom,
} from './paths.js'

// model

/** A file or a folder, on a disk or in a bucket, opened. */
export interface OpenedFiles {
  readonly files: Files
  /** The name of the one file in it: behind a link, that of the file itself. */
  readonly name: string
  /** The state and its lease. */
  readonly keptAt: LeaseText
  /** The lease of the file, where it has another name or its state is elsewhere. */
  readonly guard: LeaseText | undefined
  /** State and manifest, by their names. */
  readonly store: Store
}

// constructors

/** A file has one lease by whichever link or option it is named; the state is where the checkpoint is. */
export const openPlace = async (files: FileSystem, paths: Paths): Promise<OpenedFiles> => {
  const { out, isFolder, checkpoint, manifest } = paths
  const real = isFolder ? out : await realName(files, out)
  const own = isFolder || real === out ? checkpointOf(paths) : pathsOf(real).checkpoint
  if (seenFrom(out, manifest).startsWith(INCOMING)) {
    await files.mkdir(dirname(manifest), { recursive: true }) // of one of several files in a folder
  }
  const mode = isFolder ? undefined : await modeOf(files, out)
  const texts = storeIn(files, dirname(manifest), mode)
  return {
    files: diskFiles(isFolder ? out : dirname(real), files),
    name: basename(real),
    keptAt: leaseText(files, checkpoint), // not where a link leads to: the link itself would be replaced
    guard: resolve(own) === resolve(checkpoint) ? undefined : leaseText(files, own),
    store: renamed(texts, (name) => NAMES[name]?.(paths) ?? name),
  }
}

const NAMES: Readonly<Record<string, (paths: Paths) => string>> = {
  [MANIFEST]: ({ manifest }) => basename(manifest),
  [CHECKPOINT]: (paths) => basename(checkpointOf(paths)),
}

/** Where the state of a file is unless an option says otherwise. */
const checkpointOf = ({ manifest }: Paths): string =>
  manifest.replace(/manifest\.json$/, 'checkpoint.json')

const leaseText = (files: FileSystem, path: string): LeaseText => ({
  store: storeIn(files, dirname(path), 0o600),
  name: basename(path),
  path,
})

/** How rows go into a file, or a folder of parts. */
export interface FilesDestinationOptions<A> {
  readonly paths: Paths
  readonly opened: OpenedFiles
  readonly format: Format<A>
  readonly rotation: Rotation
  readonly commitEvery: Millis
  /** Runs that stay. */
  readonly before: () => ReadonlyArray<ManifestRun>
}

export const filesOrParts = <A>(options: FilesDestinationOptions<A>): Destination<A> => {
  const { paths, opened, format, rotation, commitEvery, before } = options
  const { out, isFolder, manifest } = paths
  const { extension } = format
  const { name } = opened
  // beside the one file, or in the folder of several
  const beside = seenFrom(out, manifest).replace(/manifest\.json$/, '')
  return filesDestination({
    ...{ name: out, files: opened.files, store: opened.store, format, rotation, commitEvery },
    before: () => {
      const runs = before()
      const names = runs.flatMap(({ files, rejected }) => [
        ...files,
        ...(rejected ? [rejected] : []),
      ])
      return { names: new Set(names.map((file) => file.path)), runs: runs.length }
    },
    layout: isFolder
      ? {
          partName: (part, run) => partName({ prefix: prefixOf(run), extension })(part),
          rejects: rejectsName,
          keys: `${INCOMING}keys`,
          isFolder,
          hasIncoming: true,
          runOf: (found) => runOfName(found)?.run,
        }
      : {
          partName: () => name,
          shownAs: basename(out),
          rejects: () => `${beside}rejects.ndjson`,
          keys: `${beside}keys`,
          isFolder,
          hasIncoming: beside.startsWith(INCOMING),
          runOf: () => undefined,
        },
  })
}
