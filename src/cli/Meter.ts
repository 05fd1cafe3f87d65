/** What a run has done so far, counted from what it tells and from what its client does. */
import type { Progress } from '../export/index.js'
import { NO_PROGRESS } from '../export/Progress.js'
import type { ClientEvent } from '../http/ClientEvent.js'
import { ALL_READ, type Coverage, cover, type Remaining, UNREAD } from './progress/Coverage.js'
import { duration, number, plural } from './progress/words.js'

// model

export interface Meter extends Progress {
  /** Requests that were answered, logins among them. */
  readonly requests: number
  /** Those of them that the service refused for its limits. */
  readonly refused: number
  /** Requests that were not answered, or with a 5xx. */
  readonly failed: number
  /** How much of its time is read, for a list that is read by time. */
  readonly coverage: Coverage
  /** What a run that is resumed had done before. */
  readonly before: Done
}

export type Done = Pick<Progress, 'rows' | 'rejects'>

export const EMPTY_METER: Meter = {
  ...NO_PROGRESS,
  requests: 0,
  refused: 0,
  failed: 0,
  coverage: UNREAD,
  before: { rows: 0, rejects: 0 },
}

// combinators

export const count = (meter: Meter, event: ClientEvent): Meter => {
  switch (event._tag) {
    case 'Answered':
      return {
        ...meter,
        requests: meter.requests + 1,
        refused: meter.refused + (event.status === 429 ? 1 : 0),
        failed: meter.failed + (event.status >= 500 ? 1 : 0),
      }
    case 'Unanswered':
      return { ...meter, failed: meter.failed + 1 }
    default:
      return meter
  }
}

/** After a page, or with the first word, `begun`; `remaining` of a list that is read by time. */
export const progressed =
  (progress: Progress & { readonly begun?: unknown }, remaining?: Remaining) =>
  (meter: Meter): Meter => {
    const { begun, ...done } = progress
    const rows = done.rows + done.rejects - meter.rows - meter.rejects
    return {
      ...meter,
      ...done,
      before: begun === undefined ? meter.before : { rows: done.rows, rejects: done.rejects },
      coverage: done.ended
        ? ALL_READ
        : remaining === undefined
          ? meter.coverage
          : cover(remaining, rows)(meter.coverage),
    }
  }

/** What this run did by itself. */
export const fresh = ({ rows, rejects, before }: Meter): Done => ({
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
  meter: Meter,
  ms: number,
  where: string,
  output: OutputState = 'written',
): string =>
  [
    outcome(meter, where)[output],
    `${duration(ms)} (${number(rate(meter, ms))} rows/s)`,
    plural(meter.requests, 'request'),
    `${number(meter.refused)} refused`,
    `${plural(meter.rejects, 'row')} rejected`,
  ].join(', ')

const outcome = (meter: Meter, where: string): Readonly<Record<OutputState, string>> => ({
  written: `${isComplete(meter) ? 'complete' : 'incomplete'}: ${plural(meter.rows, 'row')} in ${where}`,
  untouched: `incomplete: nothing was read, ${where} is as it was`,
  unkept: `incomplete: no row of this run is kept in ${where}`,
})

const rate = ({ rows }: Meter, ms: number): number => (ms > 0 ? (rows * 1_000) / ms : 0)

/** Read to its end, and every row of it written. */
export const isComplete = ({ ended, rejects }: Meter): boolean => ended && rejects === 0
