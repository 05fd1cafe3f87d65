/**
 * What a command shows while it runs, on stderr: a line that changes, a line now and then, JSON, or
 * nothing.
 */
import { createLogUpdate } from 'log-update'
import { filter, type MonoTypeOperatorFunction, map, Subscription } from 'rxjs'
import { oneLine } from '../http/oneLine.js'
import { lines, logLine } from './progress/line.js'
import { type ProgressRecord, progressRecord } from './progress/ProgressRecord.js'
import type { Reading } from './progress/Reading.js'
import type { Watch } from './progress/watch.js'
import { type Terminal, WRONG_USE } from './Terminal.js'

// model

export interface View {
  /** A line that stays. */
  readonly say: (line: string) => void
  /** The last word, if there is one; nothing is drawn after it. */
  readonly end: (last?: Last) => void
}

/** What came of it. */
export interface Last {
  /** The exit status. */
  readonly status: number
  /** One line, whatever happened. */
  readonly summary: string
  /** Why it is not complete. */
  readonly reason?: string
}

/** `auto`: a changing line on a terminal, a line every half minute in a log. */
export const PROGRESS = ['auto', 'json', 'none'] as const

/** What it is told to show. */
export interface ViewFlags {
  readonly progress: (typeof PROGRESS)[number]
  /** Only what went wrong. */
  readonly quiet: boolean
}

/** One line of `--progress json`. */
export type ViewRecord =
  | ({ readonly type: 'progress' } & ProgressRecord)
  | { readonly type: 'message'; readonly message: string }
  | ({
      readonly type: 'end'
      readonly status: number
      readonly summary: string
      readonly reason: string | null
    } & ProgressRecord)

/** How often there is a line, in ms: for machines, and in a log, where silence looks like a hang. */
const JSON_EVERY = 1_000
const LOG_EVERY = 30_000

// constructors

/** What it sees of the outside. */
type Screen = Pick<Terminal, 'stderr' | 'env'>

export const view = (terminal: Screen, { progress, quiet }: ViewFlags, watch: Watch): View => {
  const { stderr } = terminal
  const write = (text: string): void => {
    stderr.write(`${text}\n`)
  }
  const say = (text: string): void => write(oneLine(text))
  if (quiet) {
    return ending(
      new Subscription(),
      () => {},
      ({ reason }) => failed(say, reason),
    )
  }
  if (progress === 'json') return inJson(write, watch)
  if (progress === 'none') return ending(new Subscription(), say, lastWords(say))
  return canDraw(terminal) ? drawn(terminal, say, watch) : logged(say, watch)
}

const canDraw = ({ stderr, env }: Screen): boolean =>
  stderr.isTTY === true && env.TERM !== 'dumb' && stderr.columns !== 0 && stderr.rows !== 0

const logged = (say: (text: string) => void, { readings }: Watch): View =>
  ending(readings.pipe(spaced(LOG_EVERY), map(logLine)).subscribe(say), say, lastWords(say))

const drawn = ({ stderr, env }: Screen, say: (text: string) => void, watch: Watch): View => {
  const line = createLogUpdate(stderr)
  const colours = (env.NO_COLOR ?? '') === ''
  const drawing = watch.readings.subscribe((reading) =>
    line(lines({ columns: stderr.columns ?? 80, colours }, reading)),
  )
  drawing.add(() => {
    line.clear()
    line.done()
  })
  const above = (text: string): void => {
    line.clear()
    say(text)
  }
  return ending(drawing, above, lastWords(say))
}

const inJson = (write: (text: string) => void, { readings, now }: Watch): View => {
  const put = (said: ViewRecord): void => write(JSON.stringify(said))
  return ending(
    readings
      .pipe(spaced(JSON_EVERY))
      .subscribe((reading) => put({ type: 'progress', ...progressRecord(reading) })),
    (message) => put({ type: 'message', message }),
    ({ status, summary, reason = null }) =>
      put({ type: 'end', status, summary, reason, ...progressRecord(now()) }),
  )
}

const ending = (
  showing: Subscription,
  say: (line: string) => void,
  last: (last: Last) => void,
): View => ({
  say,
  end: (said) => {
    showing.unsubscribe()
    if (said !== undefined) last(said)
  },
})

const lastWords =
  (say: (line: string) => void) =>
  ({ status, summary, reason }: Last): void => {
    if (status !== WRONG_USE) say(summary) // else nothing was done
    failed(say, reason)
  }

const failed = (say: (line: string) => void, reason: string | undefined): void => {
  if (reason !== undefined) say(`payments-rx: ${reason}`)
}

/** One reading for each stretch of so many ms, from the second stretch on. */
const spaced = (every: number): MonoTypeOperatorFunction<Reading> => {
  let stretch = 0
  return filter(({ ms }) => {
    const now = Math.floor(ms / every)
    const isNew = now > stretch
    stretch = Math.max(stretch, now)
    return isNew
  })
}
