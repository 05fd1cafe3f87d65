/** What an export has done so far, in numbers and in words. */
import type { Progress } from '../export/index.js'
import type { ClientEvent } from '../http/ClientEvent.js'

// model

export interface Meter extends Progress {
  /** Requests that were answered, logins among them. */
  readonly requests: number
  /** Those of them that the service refused for its limits. */
  readonly refused: number
}

export const EMPTY_METER: Meter = {
  rows: 0,
  rejects: 0,
  pages: 0,
  ended: false,
  requests: 0,
  refused: 0,
}

// combinators

export const count = (meter: Meter, event: ClientEvent): Meter =>
  event._tag === 'Answered'
    ? {
        ...meter,
        requests: meter.requests + 1,
        refused: meter.refused + (event.status === 429 ? 1 : 0),
      }
    : meter

// interop

const number = (n: number): string => Math.round(n).toLocaleString('en-US')

const plural = (n: number, one: string): string => `${number(n)} ${one}${n === 1 ? '' : 's'}`

/** `12,000 rows  3,900 rows/s  97 % of the quota  0 refused  3.1 s` */
export const live = (meter: Meter, ms: number, share: number): string =>
  [
    plural(meter.rows, 'row'),
    `${number(rate(meter, ms))} rows/s`,
    `${number(share * 100)} % of the quota`,
    `${number(meter.refused)} refused`,
    ...(meter.rejects > 0 ? [`${number(meter.rejects)} rejected`] : []),
    `${(ms / 1_000).toFixed(1)} s`,
  ].join('  ')

/** One line, whatever happened. */
export const summary = (meter: Meter, ms: number, where: string): string =>
  [
    `${isComplete(meter) ? 'complete' : 'incomplete'}: ${plural(meter.rows, 'row')} in ${where}`,
    `${(ms / 1_000).toFixed(1)} s (${number(rate(meter, ms))} rows/s)`,
    plural(meter.requests, 'request'),
    `${number(meter.refused)} refused`,
    `${plural(meter.rejects, 'row')} rejected`,
  ].join(', ')

const rate = ({ rows }: Meter, ms: number): number => (ms > 0 ? (rows * 1_000) / ms : 0)

/** Read to its end, and every row of it written. */
export const isComplete = ({ ended, rejects }: Meter): boolean => ended && rejects === 0
