/** Opens a file or folder as the destination of an export, with its texts (state and manifest). */
import { resolve } from 'node:path'
import { renamed, type Store } from '../../store/Store.js'
import type { Millis } from '../../stream/index.js'
import type { Format } from '../format/Format.js'
import { type FilesLocation, filesOf } from '../location/Location.js'
import { type Files, INCOMING } from '../storage/Files.js'
import { openFiles, type WatchedReach } from '../storage/openFiles.js'
import { CHECKPOINT, type Destination, MANIFEST } from '../transfer/Destination.js'
import type { StateText } from '../transfer/TransferSession.js'
import { FilesDestination } from './filesDestination.js'
import { partName, type Rotation } from './parts.js'
import { type ExportNames, namesOf, prefixOf, runOfName } from './paths.js'

/** An opened file or folder, on a disk or in a bucket. */
export interface OpenedFiles {
  readonly at: FilesLocation
  readonly names: ExportNames
  /** The files that rows are written to. */
  readonly files: Files
  /** The name of the single file; for a link, that of the linked file. */
  readonly name: string
  /** Files in the folder of the single file, or of the link to it; the texts are stored there. */
  readonly texts: Files
  readonly stateText: StateText
  /** The lease of the file, if the file has another name or its state is elsewhere. */
  readonly guard: StateText | undefined
  /** The store of state and manifest. */
  readonly store: Store
}

export interface OpenedOptions extends WatchedReach {
  /** Where the state is stored. Default: next to the files. */
  readonly checkpoint?: FilesLocation | undefined
}

/** Opens a location. A file has one lease, whatever names it. Its state is at the path of the option `checkpoint`. */
export const openLocation = async (
  at: FilesLocation,
  { checkpoint, ...options }: OpenedOptions,
): Promise<OpenedFiles> => {
  const { file } = at
  const names = namesOf(at)
  const texts = await openFiles(at, options)
  const link = file === '' ? undefined : await texts.linked(file)
  const real = link === undefined ? at : filesOf(link)
  const files = link === undefined ? texts : await openFiles(real, options)
  // not next to the link's target, because the link itself would be replaced
  const beside = stateTextIn(texts, names.checkpoint)
  const own = link === undefined ? beside : stateTextIn(files, namesOf(real).checkpoint)
  const stateText =
    checkpoint === undefined
      ? beside
      : stateTextIn(await openFiles(checkpoint, options), checkpoint.file)
  const mode = file === '' ? undefined : await texts.mode(file)
  return {
    ...{ at, names, files, texts, name: real.file, stateText },
    guard: resolve(own.path) === resolve(stateText.path) ? undefined : own,
    store: renamed(texts.store(mode), (text) =>
      text === MANIFEST ? names.manifest : text === CHECKPOINT ? names.checkpoint : text,
    ),
  }
}

const stateTextIn = (files: Files, name: string): StateText => ({
  store: files.store(PRIVATE),
  name,
  path: files.nameOf(name),
})

/** Permissions of states. */
const PRIVATE = 0o600

export interface FileDestinationOptions<A> {
  readonly opened: OpenedFiles
  readonly format: Format<A>
  readonly rotation: Rotation
  readonly commitEvery: Millis
}

export const fileDestination = <A>(options: FileDestinationOptions<A>): Destination<A> => {
  const { opened, format, rotation, commitEvery } = options
  const { at, names, files, store, name } = opened
  const { beside, rejects } = names
  const { extension } = format
  return new FilesDestination({
    ...{ name: at.name, files, store, format, rotation, commitEvery },
    layout:
      at.file === ''
        ? {
            partName: (part, run) => partName({ prefix: prefixOf(run), extension })(part),
            rejects,
            keys: `${INCOMING}keys`,
            isFolder: true,
            runOf: (found) => runOfName(found)?.run,
          }
        : {
            partName: () => name,
            shownAs: at.file,
            rejects,
            keys: `${beside}keys`,
            isFolder: false,
            runOf: () => undefined,
          },
  })
}
