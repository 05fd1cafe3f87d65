/** What a run has done so far, counted from what it tells and from what its client does. */
import type { Progress } from '../export/index.js'
import { NO_PROGRESS } from '../export/Progress.js'
import type { ClientEvent } from '../http/ClientEvent.js'
import {
  EVERYTHING_READ,
  NOTHING_READ,
  type ProgressEstimate,
  type Remaining,
  updateEstimate,
} from './progress/ProgressEstimate.js'
import { duration, number, plural } from './text.js'

// model

export interface ExportCounters extends Progress {
  /** Requests that were answered, logins among them. */
  readonly requests: number
  /** Those of them that the service refused for its limits. */
  readonly refused: number
  /** Requests that were not answered, or with a 5xx. */
  readonly failed: number
  /** How much of its time is read, for a list that is read by time. */
  readonly estimate: ProgressEstimate
  /** What a run that is resumed had done before. */
  readonly beforeResume: RowCounts
}

export type RowCounts = Pick<Progress, 'rows' | 'rejects'>

export const NO_COUNTERS: ExportCounters = {
  ...NO_PROGRESS,
  requests: 0,
  refused: 0,
  failed: 0,
  estimate: NOTHING_READ,
  beforeResume: { rows: 0, rejects: 0 },
}

// combinators

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

/** After a page, or with the first word, `begun`; `remaining` of a list that is read by time. */
export const countProgress =
  (progress: Progress & { readonly begun?: unknown }, remaining?: Remaining) =>
  (counters: ExportCounters): ExportCounters => {
    const { begun, ...done } = progress
    const rows = done.rows + done.rejects - counters.rows - counters.rejects
    return {
      ...counters,
      ...done,
      beforeResume:
        begun === undefined ? counters.beforeResume : { rows: done.rows, rejects: done.rejects },
      estimate: done.ended
        ? EVERYTHING_READ
        : remaining === undefined
          ? counters.estimate
          : updateEstimate(remaining, rows)(counters.estimate),
    }
  }

/** What this run did by itself. */
export const countedInThisRun = ({
  rows,
  rejects,
  beforeResume: before,
}: ExportCounters): RowCounts => ({
  rows: rows - before.rows,
  rejects: rejects - before.rejects,
})

// interop

/**
 * What became of the output. `untouched`: the first page never came, and nothing was written; `unkept`: it came, and
 * could not be written, so nobody knows whether what was there before still is.
 */
export type OutputState = 'written' | 'untouched' | 'unkept'

/** One line, whatever happened. */
export const summary = (
  counters: ExportCounters,
  ms: number,
  where: string,
  output: OutputState = 'written',
): string =>
  [
    describeOutput(counters, where)[output],
    `${duration(ms)} (${number(rate(counters, ms))} rows/s)`,
    plural(counters.requests, 'request'),
    `${number(counters.refused)} refused`,
    `${plural(counters.rejects, 'row')} rejected`,
  ].join(', ')

const describeOutput = (
  counters: ExportCounters,
  where: string,
): Readonly<Record<OutputState, string>> => ({
  written: `${isComplete(counters) ? 'complete' : 'incomplete'}: ${plural(counters.rows, 'row')} in ${where}`,
  untouched: `incomplete: nothing was read, ${where} is as it was`,
  unkept: `incomplete: no row of this run is kept in ${where}`,
})

const rate = ({ rows }: ExportCounters, ms: number): number => (ms > 0 ? (rows * 1_000) / ms : 0)

/** Read to its end, and every row of it written. */
export const isComplete = ({ ended, rejects }: ExportCounters): boolean => ended && rejects === 0
