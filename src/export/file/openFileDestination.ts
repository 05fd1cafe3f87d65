/** Opens a file or a folder as the destination of an export, with the texts beside it. */
import { resolve } from 'node:path'
import { renamed, type Store } from '../../store/Store.js'
import type { Millis } from '../../stream/index.js'
import type { Format } from '../format/Format.js'
import { type Files, INCOMING } from '../storage/Files.js'
import { locationOf, openFiles, type WatchedReach } from '../storage/openFiles.js'
import { CHECKPOINT, type Destination, MANIFEST } from '../transfer/Destination.js'
import type { ManifestRun } from '../transfer/Manifest.js'
import type { StateText } from '../transfer/TransferSession.js'
import { FilesDestination } from './filesDestination.js'
import { partName, type Rotation } from './parts.js'
import { type ExportNames, namesOf, prefixOf, runOfName } from './paths.js'

// model

/** A file or a folder, on a disk or in a bucket, opened. */
export interface OpenedFiles {
  readonly names: ExportNames
  /** The files that rows go into. */
  readonly files: Files
  /** The name of the one file: behind a link, that of the file itself. */
  readonly name: string
  /** The files beside the one file, or the link to it: its texts. */
  readonly texts: Files
  /** The state and its lease. */
  readonly stateText: StateText
  /** The lease of the file, where it has another name or its state is elsewhere. */
  readonly guard: StateText | undefined
  /** State and manifest, by their names. */
  readonly store: Store
}

/** Which files, and how they are reached. */
export interface OpenedOptions extends WatchedReach {
  /** Where the state is kept. Default: beside them. */
  readonly checkpoint?: string | undefined
}

// constructors

/** A file has one lease by whichever link or option it is named; the state is where the option `checkpoint` says. */
export const openNames = async (
  names: ExportNames,
  { checkpoint, ...options }: OpenedOptions,
): Promise<OpenedFiles> => {
  const { folder, file = '', manifest } = names
  const texts = await openFiles(folder, options)
  const real = file === '' ? undefined : await texts.linked(file)
  const { folder: home, name } = real === undefined ? { folder, name: file } : locationOf(real)
  const files = real === undefined ? texts : await openFiles(home, options)
  // not where a link leads to: the link itself would be replaced
  const beside = stateTextIn(texts, names.checkpoint)
  const own = real === undefined ? beside : stateTextIn(files, namesOf(real).checkpoint)
  const stateText = checkpoint === undefined ? beside : await textAt(checkpoint, options)
  const mode = file === '' ? undefined : await texts.mode(file)
  return {
    ...{ names, files, texts, name, stateText },
    guard: resolve(own.path) === resolve(stateText.path) ? undefined : own,
    store: renamed(texts.store(mode), (text) =>
      text === MANIFEST ? manifest : text === CHECKPOINT ? names.checkpoint : text,
    ),
  }
}

const textAt = async (path: string, options: WatchedReach): Promise<StateText> => {
  const { folder, name } = locationOf(path)
  return stateTextIn(await openFiles(folder, options), name)
}

const stateTextIn = (files: Files, name: string): StateText => ({
  store: files.store(PRIVATE),
  name,
  path: files.nameOf(name),
})

/** Permissions of states. */
const PRIVATE = 0o600

/** How rows go into a file, or a folder of parts. */
export interface FileDestinationOptions<A> {
  readonly opened: OpenedFiles
  readonly format: Format<A>
  readonly rotation: Rotation
  readonly commitEvery: Millis
  /** Runs that stay. */
  readonly before: () => ReadonlyArray<ManifestRun>
}

export const fileDestination = <A>(options: FileDestinationOptions<A>): Destination<A> => {
  const { opened, format, rotation, commitEvery, before } = options
  const { names, files, store, name } = opened
  const { folder, file, beside, rejects } = names
  const { extension } = format
  return new FilesDestination({
    ...{ name: `${folder}${file ?? ''}`, files, store, format, rotation, commitEvery },
    before: () => {
      const runs = before()
      const listed = runs.flatMap(({ files, rejected }) => [
        ...files,
        ...(rejected ? [rejected] : []),
      ])
      return { names: new Set(listed.map(({ path }) => path)), runs: runs.length }
    },
    layout:
      file === undefined
        ? {
            partName: (part, run) => partName({ prefix: prefixOf(run), extension })(part),
            rejects,
            keys: `${INCOMING}keys`,
            isFolder: true,
            hasIncoming: true,
            runOf: (found) => runOfName(found)?.run,
          }
        : {
            partName: () => name,
            shownAs: file,
            rejects,
            keys: `${beside}keys`,
            isFolder: false,
            hasIncoming: beside.startsWith(INCOMING),
            runOf: () => undefined,
          },
  })
}
