/** How far the service's clock is from ours, told by the `Date` of its answers. */
import { defer, type SchedulerLike, tap } from 'rxjs'
import { E } from '../../fp.js'
import type { Transport } from '../../http/transport/Transport.js'
import { duration } from '../text.js'
import { type Finding, ok, skipped, warning } from './Finding.js'

// model

/** One answer, by our clock and by the service's. In ms since 1970. */
export interface DatedAnswer {
  readonly sent: number
  readonly received: number
  /** In whole seconds: the service's clock stood somewhere in that second. */
  readonly date: number
}

export interface ClockOffset {
  /** What is to be added to our clock to have the service's, in ms. */
  readonly ms: number
  /** The truth is at most so far from `ms`. */
  readonly within: number
}

/** A clock that is farther off is worth a word, in ms: snapshots end at the time of this machine. */
const MAX_OFFSET = 2_000

// constructors

/** A transport that tells when answers came, and what they say of the time. */
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
 * When the service wrote `date` our clock stood between `sent` and `received`, and the service's in the
 * second that begins with `date`. Each answer leaves a stretch for the offset; all together, what they have
 * in common. Nothing, when there is no answer, or nothing in common: some clock was set meanwhile.
 *
 *     ours     sent |------------| received
 *     theirs           |date  ...  +1 s|
 */
export const clockOffset = (answers: ReadonlyArray<DatedAnswer>): ClockOffset | undefined => {
  const least = Math.max(...answers.map(({ date, received }) => date - received))
  const most = Math.min(...answers.map(({ date, sent }) => date + 1_000 - sent))
  return answers.length === 0 || least > most
    ? undefined
    : { ms: (least + most) / 2, within: (most - least) / 2 }
}

// interop

export const checkClock = (answers: ReadonlyArray<DatedAnswer>): Finding => {
  const found = clockOffset(answers)
  if (found === undefined) {
    return answers.length === 0
      ? skipped('clock', 'the service does not tell its time')
      : warning('clock', 'the times of the answers contradict each other', {
          advice: 'a clock was set meanwhile, or something between answers from a store',
        })
  }
  const { ms, within } = found
  const facts = { offsetMs: Math.round(ms), withinMs: Math.round(within) }
  const far = `${duration(Math.abs(ms))} ${ms > 0 ? 'behind' : 'ahead of'} the service's, give or take ${duration(within)}`
  if (Math.abs(ms) > MAX_OFFSET) {
    const advice = `set the clock of this machine: exports end at its time, and ${ms > 0 ? 'leave out what was made last' : 'ask for what is not there yet'}`
    return warning('clock', far, { advice, facts })
  }
  return ok(
    'clock',
    Math.abs(ms) <= within ? `that of the service, give or take ${duration(within)}` : far,
    { facts },
  )
}
