/**
 * What a command shows while it runs, on stderr: a line that changes, a line now and then, JSON, or
 * nothing.
 */
import { createLogUpdate } from 'log-update'
import { filter, type MonoTypeOperatorFunction, map, Subscription } from 'rxjs'
import { oneLine } from '../../http/oneLine.js'
import { EXIT_USAGE, type Terminal } from '../Terminal.js'
import { type ProgressJson, progressJson } from './ProgressJson.js'
import type { ProgressMonitor } from './ProgressMonitor.js'
import type { ProgressSample } from './ProgressSample.js'
import { progressLines, progressLogLine } from './progressLine.js'

// model

export interface ProgressView {
  /** A line that stays. */
  readonly say: (line: string) => void
  /** The last word, if there is one; nothing is drawn after it. */
  readonly end: (last?: Outcome) => void
}

/** What came of it. */
export interface Outcome {
  /** The exit status. */
  readonly status: number
  /** One line, whatever happened. */
  readonly summary: string
  /** Why it is not complete. */
  readonly reason?: string
}

/** `auto`: a changing line on a terminal, a line every half minute in a log. */
export const PROGRESS_MODES = ['auto', 'json', 'none'] as const

/** What it is told to show. */
export interface ViewFlags {
  readonly progress: (typeof PROGRESS_MODES)[number]
  /** Only what went wrong. */
  readonly quiet: boolean
}

/** One line of `--progress json`. */
export type JsonLine =
  | ({ readonly type: 'progress' } & ProgressJson)
  | { readonly type: 'message'; readonly message: string }
  | ({
      readonly type: 'end'
      readonly status: number
      readonly summary: string
      readonly reason: string | null
    } & ProgressJson)

/** How often there is a line, in ms: for machines, and in a log, where silence looks like a hang. */
const JSON_EVERY = 1_000
const LOG_EVERY = 30_000

// constructors

/** What it sees of the outside. */
type Screen = Pick<Terminal, 'stderr' | 'env'>

export const showProgress = (
  terminal: Screen,
  { progress, quiet }: ViewFlags,
  watch: ProgressMonitor,
): ProgressView => {
  const { stderr } = terminal
  const write = (text: string): void => {
    stderr.write(`${text}\n`)
  }
  const say = (text: string): void => write(oneLine(text))
  if (quiet) {
    return closingView(
      new Subscription(),
      () => {},
      ({ reason }) => writeReason(say, reason),
    )
  }
  if (progress === 'json') return writingJson(write, watch)
  if (progress === 'none') return closingView(new Subscription(), say, writeOutcome(say))
  return canDraw(terminal) ? redrawing(terminal, say, watch) : logging(say, watch)
}

const canDraw = ({ stderr, env }: Screen): boolean =>
  stderr.isTTY === true && env.TERM !== 'dumb' && stderr.columns !== 0 && stderr.rows !== 0

const logging = (say: (text: string) => void, { samples }: ProgressMonitor): ProgressView =>
  closingView(
    samples.pipe(oncePer(LOG_EVERY), map(progressLogLine)).subscribe(say),
    say,
    writeOutcome(say),
  )

const redrawing = (
  { stderr, env }: Screen,
  say: (text: string) => void,
  watch: ProgressMonitor,
): ProgressView => {
  const line = createLogUpdate(stderr)
  const colours = (env.NO_COLOR ?? '') === ''
  const drawing = watch.samples.subscribe((sample) =>
    line(progressLines({ columns: stderr.columns ?? 80, colours }, sample)),
  )
  drawing.add(() => {
    line.clear()
    line.done()
  })
  const above = (text: string): void => {
    line.clear()
    say(text)
  }
  return closingView(drawing, above, writeOutcome(say))
}

const writingJson = (
  write: (text: string) => void,
  { samples, current: now }: ProgressMonitor,
): ProgressView => {
  const put = (said: JsonLine): void => write(JSON.stringify(said))
  return closingView(
    samples
      .pipe(oncePer(JSON_EVERY))
      .subscribe((sample) => put({ type: 'progress', ...progressJson(sample) })),
    (message) => put({ type: 'message', message }),
    ({ status, summary, reason = null }) =>
      put({ type: 'end', status, summary, reason, ...progressJson(now()) }),
  )
}

const closingView = (
  showing: Subscription,
  say: (line: string) => void,
  last: (last: Outcome) => void,
): ProgressView => ({
  say,
  end: (said) => {
    showing.unsubscribe()
    if (said !== undefined) last(said)
  },
})

const writeOutcome =
  (say: (line: string) => void) =>
  ({ status, summary, reason }: Outcome): void => {
    if (status !== EXIT_USAGE) say(summary) // else nothing was done
    writeReason(say, reason)
  }

const writeReason = (say: (line: string) => void, reason: string | undefined): void => {
  if (reason !== undefined) say(`payments-rx: ${reason}`)
}

/** One sample for each stretch of so many ms, from the second stretch on. */
const oncePer = (every: number): MonoTypeOperatorFunction<ProgressSample> => {
  let stretch = 0
  return filter(({ elapsedMs: ms }) => {
    const now = Math.floor(ms / every)
    const isNew = now > stretch
    stretch = Math.max(stretch, now)
    return isNew
  })
}
