/** What is shown of an export while it runs, on stderr: a line that changes, or nothing. */
import { createLogUpdate } from 'log-update'
import { interval, map, type Observable, withLatestFrom } from 'rxjs'
import type { SchedulerState } from '../scheduler/index.js'
import { live, type Meter } from './Meter.js'
import type { Terminal } from './Terminal.js'

/** How often the line changes, in ms. */
const EVERY = 200

export interface View {
  /** A line that stays. */
  readonly say: (line: string) => void
  readonly close: () => void
}

/** A changing line on a terminal; elsewhere only what is said. */
export const view = (
  { stderr, timer }: Terminal,
  quiet: boolean,
  meter: () => Meter,
  state: Observable<SchedulerState>,
): View => {
  const say = (line: string): void => {
    stderr.write(`${line}\n`)
  }
  if (quiet || stderr.isTTY !== true) return { say, close: () => {} }

  const line = createLogUpdate(stderr)
  const started = timer.now()
  const drawing = interval(EVERY, timer)
    .pipe(
      withLatestFrom(state),
      map(([, state]) => live(meter(), timer.now() - started, quota(state))),
    )
    .subscribe((text) => line(text))
  return {
    say: (text) => {
      line.clear()
      say(text)
    },
    close: () => {
      drawing.unsubscribe()
      line.clear()
      line.done()
    },
  }
}

/** Of the tier that is used most. */
const quota = ({ tiers }: SchedulerState): number =>
  Math.max(0, ...tiers.filter(({ kind }) => kind === 'rate').map(({ share }) => share))
