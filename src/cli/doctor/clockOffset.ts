/** How far the service's clock is from ours, estimated from the `Date` of its answers. */
import { defer, type SchedulerLike, tap } from 'rxjs'
import { E } from '../../fp.js'
import type { Transport } from '../../http/transport/Transport.js'
import { duration } from '../text.js'
import { type Finding, ok, skipped, warning } from './Finding.js'

// model

/** One answer, in ms since 1970. */
export interface DatedAnswer {
  /** By our clock. */
  readonly sent: number
  readonly received: number
  /** By the service's clock, in whole seconds: it was somewhere in that second. */
  readonly date: number
}

export interface ClockOffset {
  /** Added to our clock, it gives the service's, in ms. */
  readonly ms: number
  /** Largest error of `ms`. */
  readonly within: number
}

/** A larger offset is a warning, in ms. */
const MAX_OFFSET = 2_000

// constructors

/** Wraps a transport: `tell` is called for each answer with a `Date`. */
export const observeDates =
  (timer: SchedulerLike, tell: (answer: DatedAnswer) => void) =>
  (transport: Transport): Transport =>
  (request) =>
    defer(() => {
      const sent = timer.now()
      return transport(request).pipe(
        tap((ea) => {
          const date = E.isRight(ea) ? Date.parse(ea.right.header('date') ?? '') : Number.NaN
          if (!Number.isNaN(date)) tell({ sent, received: timer.now(), date })
        }),
      )
    })

/**
 * Intersects the offsets that each answer allows. Our clock stood between `sent` and `received` when the service
 * wrote `date`, and its clock in the second that begins with `date`:
 *
 *     ours     sent |------------| received
 *     theirs           |date  ...  +1 s|
 *
 * `undefined` without answers, and where they contradict each other, since a clock was set meanwhile.
 */
export const clockOffset = (answers: ReadonlyArray<DatedAnswer>): ClockOffset | undefined => {
  const least = Math.max(...answers.map(({ date, received }) => date - received))
  const most = Math.min(...answers.map(({ date, sent }) => date + 1_000 - sent))
  return answers.length === 0 || least > most
    ? undefined
    : { ms: (least + most) / 2, within: (most - least) / 2 }
}

export const checkClock = (answers: ReadonlyArray<DatedAnswer>): Finding => {
  const offset = clockOffset(answers)
  if (offset === undefined) {
    return answers.length === 0
      ? skipped('clock', 'the service does not tell its time')
      : warning('clock', 'the times of the answers contradict each other', {
          advice: 'a clock was set meanwhile, or something between answers from a store',
        })
  }
  const { ms, within } = offset
  const facts = { offsetMs: Math.round(ms), withinMs: Math.round(within) }
  const side = ms > 0 ? 'behind' : 'ahead of'
  const found = `${duration(Math.abs(ms))} ${side} the service's, give or take ${duration(within)}`
  if (Math.abs(ms) > MAX_OFFSET) {
    const advice = 'set the clock of this machine: it judges the age of webhook deliveries'
    return warning('clock', found, { advice, facts })
  }
  const isSame = Math.abs(ms) <= within
  return ok('clock', isSame ? `that of the service, give or take ${duration(within)}` : found, {
    facts,
  })
}
