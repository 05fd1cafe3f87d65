/** A folder of exports, or of an earlier version, whose rows a sync takes over. */
import { defer, ignoreElements, type Observable } from 'rxjs'
import type { Codec, Decodes } from '../../codec/Codec.js'
import { E } from '../../fp.js'
import { exportError } from '../ExportError.js'
import { OLD_TEXTS, refuseOld } from '../file/manifestIn.js'
import { rowsAt } from '../read/readRows.js'
import { openFiles, type WatchedReach } from '../storage/openFiles.js'
import { filesOf, type Manifest, readManifest, readOldManifest } from '../transfer/Manifest.js'
import type { Transfer } from '../transfer/Transfer.js'
import type { TransferEvent } from '../transfer/TransferEvent.js'
import type { TimeBounds } from '../transfer/TransferState.js'

// model

/** Rows that are there already, and which they are. */
export interface Adopted {
  readonly manifest: Manifest
  readonly bounds: TimeBounds
  /** Files that are of no use once the rows are taken over. */
  readonly names: ReadonlyArray<string>
}

/** Where they are, and how they are reached. */
export interface AdoptOptions extends WatchedReach {
  readonly to: string
}

// functions

/** Finds the manifest of an export, or of an earlier version; undefined if there is none. */
export const manifestToAdopt = async ({
  to,
  ...options
}: AdoptOptions): Promise<Manifest | undefined> => {
  const files = await openFiles(to, options)
  const read = async (name: string, of: (path: string) => (text: string) => Manifest) => {
    const found = await files.store().read(name)
    return found && of(files.nameOf(name))(found.text)
  }
  const found =
    (await read('_manifest.json', readManifest)) ?? (await read('manifest.json', readOldManifest))
  if (found === undefined) await refuseOld(files)
  return found
}

/** Returns what a sync takes over. Throws an `UnusableDestination` where some rows are missing, or their times are not known. */
export const adoptable = (destination: string, manifest: Manifest): Adopted => {
  const refused = (why: string) =>
    exportError('UnusableDestination', `${destination} cannot be taken over: ${why}`, {
      destination,
    })
  if (manifest.runs.some(({ ended }) => !ended)) throw refused('a run has not come to its end')
  const spans = manifest.runs.flatMap(({ bounds }) => bounds ?? [])
  const last = manifest.runs.at(-1)
  if (last?.bounds === undefined || spans.length < manifest.runs.length) {
    throw refused('it is not of a list by time')
  }
  // a run cannot have rows that were made after it began, wherever its time ends
  const to = Math.min(last.bounds.to, Date.parse(last.started))
  return {
    manifest,
    bounds: { from: Math.min(...spans.map(({ from }) => from)), to },
    names: [...manifest.runs.flatMap(filesOf).map(({ path }) => path), ...OLD_TEXTS],
  }
}

/** Codecs of lists are whole ones of io-ts. */
const isCodec = <A>(codec: Decodes<A>): codec is Codec<A> => 'decode' in codec && 'is' in codec

/** Rows that are kept at a time. */
const STEP = 20_000

/** Writes the rows of earlier runs, in their order: of two versions of a row, the later one stays. */
export const adopt = <A>(
  transfer: Transfer<A, A>,
  { to, ...options }: AdoptOptions,
  { manifest, bounds, names }: Adopted,
  codec: Decodes<A>,
): Observable<TransferEvent> =>
  defer(async () => {
    const { session } = transfer
    if (!isCodec(codec)) throw new Error('a list without a codec')
    const keep = (adopting: boolean): Promise<void> => {
      const { state } = session
      const sync = { ...transfer.upkeep, adopted: names }
      return transfer.keep({
        ...state,
        sync: adopting
          ? { ...sync, adopting: true }
          : {
              rejected: sync.rejected,
              adopted: names,
              since: bounds.from,
              upTo: bounds.to,
            },
      })
    }
    let waiting: Array<A> = []
    const write = async (): Promise<void> => {
      const rows = waiting
      waiting = []
      await session.tracked(() => session.destination.write(rows, { number: 0, isLast: false }))
      await keep(true)
    }
    for (const { path, bytes } of manifest.runs.flatMap((run) => run.files)) {
      if (bytes === 0) continue
      for await (const row of rowsAt(`${to}${path}`, { ...options, codec })) {
        if (E.isLeft(row)) throw row.left
        waiting.push(row.right)
        if (waiting.length >= STEP) await write()
      }
    }
    if (waiting.length > 0) await write()
    await keep(false)
  }).pipe(ignoreElements())

/** Removes the files that were taken over, once their rows are there. */
export const removeAdopted = async (
  { to, ...options }: AdoptOptions,
  names: ReadonlyArray<string>,
): Promise<void> => {
  const files = await openFiles(to, options)
  for (const name of names) await files.remove(name)
}
