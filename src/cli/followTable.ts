/** `follow LIST DEST`: keeps a table current until the command is stopped. */
import type { Observable } from 'rxjs'
import { isExportError, type SyncEvent, type SyncProgress } from '../export/index.js'
import { locationOf, MERGED } from '../export/location/Location.js'
import { E } from '../fp.js'
import { plural } from '../report/text.js'
import { failureEnding } from './endings.js'
import { type RejectedRows, rejectedRows } from './export/rejectedRows.js'
import { perform, unproven } from './perform.js'
import type { MonitoredRun } from './progress/ProgressMonitor.js'
import { isProven, provenText } from './proofText.js'
import type { CommandRun, Ending } from './runCommand.js'
import { syncWords } from './sync/performSync.js'

/** Follows into a table, and reports progress on stderr. */
export const followTable = (
  run: CommandRun,
  client: MonitoredRun['client'],
  to: string,
  first: ReadonlyArray<string>,
  start: (onReject: RejectedRows['take']) => Observable<SyncEvent>,
): Promise<Ending> => {
  let polls = 0
  const rejected = rejectedRows()
  return perform<SyncProgress>(run, client, start(rejected.take), {
    ...syncWords(locationOf('to', to, MERGED)),
    rejects: () => 'some rows could not be written',
    ...{ first, rejected },
    told: (event) => {
      if (E.isRight(event)) {
        if (event.right.upTo !== undefined) polls++
        return notesOf(event.right, polls === 1)
      }
      if (isExportError(event.left)) {
        return event.left._tag === 'RowsGone'
          ? [`${event.left.message}; the next poll continues`]
          : []
      }
      if (polls === 0) return []
      return [
        failureEnding(event.left, { next: 'the next poll continues', isStarted: true }).reason,
      ]
    },
    isEndless: true,
  })
}

const notesOf = (
  { started, upTo, proof, rows }: SyncProgress,
  isFirst: boolean,
): ReadonlyArray<string> => [
  ...(started === undefined
    ? []
    : [started.from === undefined ? 'reading everything' : `reading since ${started.from}`]),
  ...(isFirst && upTo !== undefined
    ? [`caught up to ${upTo}: ${plural(rows, 'row')} written; polling from now on`]
    : []),
  ...(proof === undefined ? [] : [isProven(proof) ? provenText(proof) : unproven(proof)]),
]
