/** Performs a sync for the command line, with its messages and its exit status. */
import type { SyncEvent, SyncProgress } from '../../export/index.js'
import { locationOf, MERGED, type MergedLocation } from '../../export/location/Location.js'
import { E, withoutUndefined } from '../../fp.js'
import { duration, number, plural } from '../../report/text.js'
import { type Connection, SANDBOX_ACCOUNT } from '../connection.js'
import type { Exceptions } from '../endings.js'
import { exportClient } from '../export/exportClient.js'
import { rejectedRows, rejectsIn } from '../export/rejectedRows.js'
import { type Performed, perform } from '../perform.js'
import type { ExportCounters } from '../progress/ExportCounters.js'
import { isProven, provenText } from '../proofText.js'
import type { CommandRun, Ending } from '../runCommand.js'
import type { SyncFlags } from './syncFlags.js'
import type { SyncedList } from './syncLists.js'

// running

export const performSync = (
  list: SyncedList,
  run: CommandRun,
  to: string,
  flags: SyncFlags,
  connection: Connection,
  first: ReadonlyArray<string> = [],
): Promise<Ending> => {
  const at = locationOf('to', to, MERGED)
  const client = exportClient(run.terminal, { exact: false, ...flags }, connection)
  const { table, format, since, lookback, sweep, maxRejects, parallel, sandbox } = flags
  const { allowEmpty, allowGone, replaceNul } = flags
  const rejected = rejectedRows()
  const events = list.start(client, flags, {
    to,
    ...run.options,
    ...withoutUndefined({ table, format, since, lookback, sweep, maxRejects, parallel }),
    ...withoutUndefined({ allowEmpty, allowGone, replaceNul }),
    ...(sandbox === true ? { account: SANDBOX_ACCOUNT } : {}),
    onReject: rejected.take,
  })
  return perform(run, client, events, {
    ...syncWords(at),
    first,
    rejected,
    rejects: () =>
      `some rows could not be written: see ${rejectsIn(at, table ?? list.table(flags))}; the next run retries them`,
    ...(flags.progress === 'none' ? { told: () => [] } : { told: toldOf, notes: rereadNotes }),
    summary: ({ progress }, watch) => summary(at.name, watch.counters(), watch.elapsed(), progress),
  })
}

/** Returns messages on how to continue a sync or a follow that ended early. */
export const syncWords = ({ name, kind }: MergedLocation) => ({
  name,
  isOnDisk: kind === 'folder',
  exceptions: ({ hasRead }: Performed<SyncProgress>): Exceptions => ({ isStarted: hasRead }),
})

// messages

const toldOf = (event: SyncEvent): ReadonlyArray<string> =>
  E.isLeft(event) || event.right.started === undefined ? [] : [beginning(event.right.started)]

const beginning = ({
  resumed,
  from,
  doubted,
  added = [],
}: Required<SyncProgress>['started']): string => {
  const since = from === undefined ? 'reading everything' : `reading since ${from}`
  const doubt =
    doubted === undefined ? '' : ` (the clock of the last run was ahead: it recorded ${doubted})`
  const are = added.length === 1 ? 'is a new column' : 'are new columns'
  const filled =
    added.length === 0
      ? ''
      : `; ${added.join(', ')} ${are}, empty in rows that are not re-read: use --lookback 400d or --sweep now to fill them`
  const start = `${since}${doubt}${filled}`
  return resumed ? `resuming an interrupted run: ${start}` : start
}

const rereadNotes = ({ rereads }: Partial<SyncProgress> = {}): ReadonlyArray<string> => {
  if (rereads === undefined || rereads.done + rereads.gone === 0) return []
  const { done, gone } = rereads
  const without = gone === 0 ? '' : `, ${number(gone)} no longer at the service`
  return [`re-read ${plural(done, 'open or recently closed charge')}${without}`]
}

const summary = (
  to: string,
  { rows, requests, refused, rejects }: ExportCounters,
  ms: number,
  progress: SyncProgress | undefined,
): string =>
  [
    outcome(progress, rejects),
    `${plural(rows, 'row')} read into ${to}`,
    duration(ms),
    plural(requests, 'request'),
    `${number(refused)} refused`,
    `${plural(rejects, 'row')} rejected`,
  ].join(', ')

/** Describes the time up to which rows are present, and the result of the proof. */
const outcome = (progress: SyncProgress | undefined, rejects: number): string => {
  if (progress?.upTo === undefined) return 'incomplete'
  const { upTo, proof } = progress
  const word = rejects === 0 ? 'complete' : 'incomplete'
  if (proof === undefined) return `${word}, with rows up to ${upTo}`
  if (!isProven(proof)) return `may be incomplete, with rows up to ${upTo}`
  return `${word}: ${provenText(proof)}`
}
