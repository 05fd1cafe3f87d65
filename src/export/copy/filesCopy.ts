/** The files of an export, or of a folder that a sync maintains, opened as a copy to be counted. */
import * as t from 'io-ts'
import type { Seconds, Stretch } from '../../changes/Ledger.js'
import type { Counted } from '../../changes/proof/Counting.js'
import type { StatusCounts } from '../../changes/proof/ProofTable.js'
import { Instant, millisOf } from '../../codec/Instant.js'
import { E, withoutPrototype, withoutUndefined } from '../../fp.js'
import { exportError } from '../ExportError.js'
import { isOfFolder, manifestFor, readState } from '../file/manifestIn.js'
import { OF_FOLDER } from '../file/paths.js'
import { compressions, formatNames } from '../format/Format.js'
import { type FilesLocation, fileAt } from '../location/Location.js'
import { rowsAt } from '../read/readRows.js'
import type { Files } from '../storage/Files.js'
import type { WatchedReach } from '../storage/openFiles.js'
import { SETTLING } from '../sync/proveRows.js'
import { GONE } from '../transfer/Destination.js'
import type { ManifestRun } from '../transfer/Manifest.js'
import { rejectedRows } from '../transfer/TransferEvent.js'
import { NO_UPKEEP, type RejectedRow, readTransferState } from '../transfer/TransferState.js'
import { type Copy, spanOfSync } from './Copy.js'

/** The fields of a row that counts need. */
const counted = t.intersection([
  t.type({ id: t.string, status: t.string, created_at: Instant }),
  t.partial({ [GONE]: t.unknown }),
])

const COUNTED = ['id', 'status', 'created_at']

const reject = t.type({ row: t.unknown })

/** Times of a copy, in seconds since 1970. */
type CopyTimes = Pick<Copy, 'from' | 'until'>

/** Query parameters that a count supports. */
const COUNTABLE: ReadonlyArray<string> = ['from_created_at', 'to_created_at', 'status']

/** Reads the files listed by a manifest: all rows once, and again to find individual rows. Rejects with an `ExportError`. */
export const filesCopy = async (at: FilesLocation, options: WatchedReach): Promise<Copy> => {
  const found = await manifestFor(at, options)
  const { files, folder, path: name, manifest } = found
  const { run } = manifest
  const only = filterOf(name, run)
  const { span, rejected } =
    manifest.kind === 'sync'
      ? await ofSync(files)
      : { span: spanOf(run), rejected: await rejectedIn(folder, run, options) }
  const listed = run.files.map(({ path }) => fileAt(folder, path))
  const all = isOfFolder(found.name) ? [folder] : listed
  const rows = (): AsyncGenerator<RejectedRow> => rowsOf(all, run, options)
  const index = await indexOf(rows(), rejected)
  return {
    name,
    spec: run.spec,
    counted: {
      counts: async (stretches) => stretches.map((stretch) => index.counts(stretch)),
      nth: async (rows, n) => index.nth(rows, n),
      find: async (wanted) => {
        const found = new Map<string, RejectedRow>()
        for await (const row of rows()) if (isAmong(wanted, row)) found.set(row.id, row)
        return [...found.values()]
      },
    },
    ...span,
    ...withoutUndefined({ only }),
    close: async () => {},
  }
}

/** Returns the status filter of a run. Throws if the service would count rows that the run does not have. */
const filterOf = (name: string, { spec: { query, format } }: ManifestRun): string | undefined => {
  const narrowed = Object.keys(query).find((parameter) => !COUNTABLE.includes(parameter))
  if (narrowed !== undefined) throw unusable(name, `its charges were filtered by ${narrowed}`)
  for (const word of ['filtered', 'mapped']) {
    if (format[word] !== undefined) throw unusable(name, `its rows were ${word}`)
  }
  const columns = format.columns?.split(',') ?? []
  const missing = COUNTED.find((column) => columns.length > 0 && !columns.includes(column))
  if (missing !== undefined) throw unusable(name, `it lacks the column ${missing}`)
  return query.status
}

const unusable = (destination: string, why: string) =>
  exportError('UnusableDestination', `${destination} cannot be compared with the service: ${why}`, {
    destination,
  })

// times

/** Returns the time range of a run without its last hour, because rows of that hour may have appeared after the run. */
const spanOf = ({ bounds, started }: ManifestRun): CopyTimes => {
  const { from, to } = bounds ?? { from: 0, to: Number.POSITIVE_INFINITY }
  return {
    from: from <= 0 ? Number.NEGATIVE_INFINITY : Math.ceil(from / 1_000),
    until: Math.min(Math.ceil(to / 1_000) - 1, Math.floor(Date.parse(started) / 1_000) - SETTLING),
  }
}

/** Reads the state of a sync, which contains its times and the rows that it could not write. */
const ofSync = async (files: Files) => {
  const { checkpoint } = OF_FOLDER
  const kept = await readState(files, checkpoint)
  const { sync = NO_UPKEEP } = withoutPrototype(readTransferState(files.nameOf(checkpoint), kept))
  return { span: spanOfSync(withoutPrototype(sync)), rejected: sync.rejected }
}

// rows

const indexOf = async (
  rows: AsyncIterable<RejectedRow>,
  rejected: ReadonlyArray<RejectedRow>,
): Promise<RowIndex> => {
  const index = new RowIndex()
  const missing = new Map(rejected.map((row) => [row.id, row]))
  for await (const row of rows) {
    missing.delete(row.id) // an earlier or a later version of it was written
    index.add(row.created, row.status)
  }
  for (const { created, status } of missing.values()) index.add(created, status)
  return index
}

const isAmong = ({ status, from, to }: Counted, row: RejectedRow): boolean =>
  row.created >= from && row.created <= to && (status === undefined || row.status === status)

async function* rowsOf(
  all: ReadonlyArray<FilesLocation>,
  { spec }: ManifestRun,
  options: WatchedReach,
): AsyncGenerator<RejectedRow> {
  const { format, compress } = spec.format
  const written = {
    ...withoutUndefined({
      format: formatNames.find((name) => name === format),
      compress: compressions.find((name) => name === compress),
    }),
  }
  for (const one of all) {
    for await (const row of rowsAt(one, { ...options, codec: counted, ...written })) {
      if (E.isLeft(row)) throw row.left
      const { id, status, created_at, [GONE]: gone } = row.right
      if (gone !== undefined && gone !== null) continue
      yield { id, status, created: Math.floor(millisOf(created_at) / 1_000) }
    }
  }
}

const rejectedIn = async (
  folder: FilesLocation,
  { rejected }: ManifestRun,
  options: WatchedReach,
): Promise<ReadonlyArray<RejectedRow>> => {
  const all: Array<RejectedRow> = []
  if (rejected === undefined || rejected.bytes === 0) return all
  const file = fileAt(folder, rejected.path)
  for await (const row of rowsAt(file, { ...options, codec: reject, format: 'ndjson' })) {
    if (E.isLeft(row)) throw row.left
    all.push(...rejectedRows([{ reason: '', row: row.right.row }]))
  }
  return all
}

/** Sorted times of rows by status, for counting a copy. Takes 16 bytes per row. */
class RowIndex {
  /** Times by status; those of all rows under `undefined`. */
  readonly #added = new Map<string | undefined, Array<Seconds>>()
  /** Sorted times by status, created on the first count. */
  readonly #sorted = new Map<string | undefined, Float64Array>()
  readonly #statuses = new Set<string>()

  /** Adds a row. Must be called before the first count. */
  add(created: Seconds, status: string): void {
    this.#statuses.add(status)
    for (const name of [undefined, status]) {
      const times = this.#added.get(name)
      if (times === undefined) this.#added.set(name, [created])
      else times.push(created)
    }
  }

  counts(stretch: Stretch): StatusCounts {
    const counts = new Map<string, number>()
    for (const status of this.#statuses) {
      const [first, end] = this.#range({ ...stretch, status })
      counts.set(status, Math.max(0, end - first))
    }
    return counts
  }

  nth(rows: Counted, n: number): Seconds | undefined {
    const [first, end] = this.#range(rows)
    return first + n < end ? this.#timesOf(rows)[first + n] : undefined
  }

  #range(rows: Counted): readonly [number, number] {
    const times = this.#timesOf(rows)
    return [firstAt(times, rows.from), firstAt(times, rows.to + 1)]
  }

  #timesOf({ status }: Counted): Float64Array {
    const sorted = this.#sorted.get(status)
    if (sorted !== undefined) return sorted
    const times = Float64Array.from(this.#added.get(status) ?? []).sort()
    this.#added.delete(status)
    this.#sorted.set(status, times)
    return times
  }
}

/** Returns the index of the first time at or after a second. */
const firstAt = (times: Float64Array, second: Seconds): number => {
  let low = 0
  let high = times.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((times[middle] ?? 0) < second) low = middle + 1
    else high = middle
  }
  return low
}
