/** Counters of a run, from the progress of its export and the events of its client. */
import { NO_PROGRESS, type Progress } from '../../export/source/exportList.js'
import type { ClientEvent } from '../../http/ClientEvent.js'
import { duration, number, plural } from '../../report/text.js'

export interface ExportCounters extends Progress {
  /** Requests that got a response, including logins. */
  readonly requests: number
  /** Requests refused with a 429. */
  readonly refused: number
  /** Requests that got no response or a 5xx. */
  readonly failed: number
  /** Rows of the earlier runs that this run resumes. */
  readonly beforeResume: RowsAndRejects
}

export type RowsAndRejects = Pick<Progress, 'rows' | 'rejects'>

export const NO_COUNTERS: ExportCounters = {
  ...NO_PROGRESS,
  requests: 0,
  refused: 0,
  failed: 0,
  beforeResume: { rows: 0, rejects: 0 },
}

export const countEvent = (counters: ExportCounters, event: ClientEvent): ExportCounters => {
  switch (event._tag) {
    case 'Answered':
      return {
        ...counters,
        requests: counters.requests + 1,
        refused: counters.refused + (event.status === 429 ? 1 : 0),
        failed: counters.failed + (event.status >= 500 ? 1 : 0),
      }
    case 'Unanswered':
      return { ...counters, failed: counters.failed + 1 }
    default:
      return counters
  }
}

/** Counts the progress after a page, or the first progress of a run (`started`). The share never decreases. */
export const countProgress =
  (progress: Progress & { readonly started?: unknown }) =>
  (counters: ExportCounters): ExportCounters => {
    const { started, ...done } = progress
    const { rows, rejects } = done
    const { share = 0 } = counters
    return {
      ...counters,
      ...done,
      ...(done.share === undefined ? {} : { share: Math.max(done.share, share) }),
      beforeResume: started === undefined ? counters.beforeResume : { rows, rejects },
    }
  }

export const countedInThisRun = ({
  rows,
  rejects,
  beforeResume,
}: ExportCounters): RowsAndRejects => ({
  rows: rows - beforeResume.rows,
  rejects: rejects - beforeResume.rejects,
})

/** Returns true if the list was read to its end and every row was written. */
const isComplete = ({ ended, rejects }: ExportCounters): boolean => ended && rejects === 0

/**
 * State of the destination after a run. `untouched`: nothing was written, because no page arrived. `unkept`: a page arrived but
 * could not be written, so earlier rows may be lost.
 */
export type DestinationState = 'written' | 'untouched' | 'unkept'

/** Formats the last line of a run. */
export const summary = (
  counters: ExportCounters,
  ms: number,
  destination: string,
  state: DestinationState = 'written',
): string => {
  const outcome: Readonly<Record<DestinationState, string>> = {
    written: `${isComplete(counters) ? 'complete' : 'incomplete'}: ${plural(counters.rows, 'row')} in ${destination}`,
    untouched: `incomplete: nothing was read, ${destination} is unchanged`,
    unkept: `incomplete: ${destination} has no rows from this run`,
  }
  const rate = ms > 0 ? (counters.rows * 1_000) / ms : 0
  return [
    outcome[state],
    `${duration(ms)} (${number(rate)} rows/s)`,
    plural(counters.requests, 'request'),
    `${number(counters.refused)} refused`,
    `${plural(counters.rejects, 'row')} rejected`,
  ].join(', ')
}
