/** Shows a run in progress on stderr: as a live line, as log lines, as JSON, or not at all. */
import { createLogUpdate } from 'log-update'
import { filter, type SchedulerLike, Subscription } from 'rxjs'
import type { PaySummary } from '../../client/pay/PayOptions.js'
import { escapeInvisible, oneLine, withoutCredentials } from '../../decode/redact.js'
import type { ClientEvent } from '../../http/ClientEvent.js'
import { duration, number, percent, plural, roundedDuration, truncate } from '../../report/text.js'
import {
  EXIT_COMPLETE,
  EXIT_LOCKED,
  EXIT_USAGE,
  fitted,
  hasColours,
  painter,
  type TextStyle,
} from '../output.js'
import type { Terminal } from '../Terminal.js'
import { IDLE_SAMPLE, type ProgressMonitor, type ProgressSample } from './ProgressMonitor.js'
import { describeStall } from './StallReason.js'

/** `auto`: a live line on a terminal; in a log, a line every half minute. */
export const PROGRESS_MODES = ['auto', 'json', 'none'] as const

export interface ViewFlags {
  readonly progress: (typeof PROGRESS_MODES)[number]
  /** True to print only errors. */
  readonly quiet: boolean
}

export interface ProgressView {
  /** Prints a JSON line. Absent unless the mode is `json`. */
  readonly tell?: (line: JsonLine) => void
  /** Prints a permanent line. */
  readonly say: (line: string) => void
  /** Stops. Prints the outcome if there is one. */
  readonly end: (outcome?: ViewEnd) => void
}

export interface ViewEnd {
  /** The exit status. */
  readonly status: number
  readonly summary?: string
  /** The reason why the run is not complete. */
  readonly reason?: string
}

/** Intervals of output, in ms. In a log, a longer silence looks like a hang. */
const JSON_INTERVAL = 1_000
const LOG_INTERVAL = 30_000

/** Statuses without a summary, unless something was done. */
const NOTHING_DONE: ReadonlyArray<number> = [EXIT_USAGE, EXIT_LOCKED]

type Screen = Pick<Terminal, 'stderr' | 'env'>

export const showProgress = (
  screen: Screen,
  { progress, quiet }: ViewFlags,
  monitor: ProgressMonitor,
): ProgressView => {
  const say = (text: string): void => {
    screen.stderr.write(`${fitted(screen.stderr, oneLine(text))}\n`)
  }
  const complain = ({ reason }: ViewEnd): void => {
    if (reason !== undefined) say(`payments-rx: ${reason}`)
  }
  const paint = painter(canRedraw(screen) && hasColours(screen.stderr, screen.env))
  const conclude = (outcome: ViewEnd): void => {
    const style = outcome.status === EXIT_COMPLETE ? 'green' : 'red'
    const { status, summary } = outcome
    const isDone = monitor.current().counters.pages > 0
    if (summary !== undefined && (isDone || !NOTHING_DONE.includes(status))) {
      const lines = fitted(screen.stderr, oneLine(summary))
      screen.stderr.write(`${lines.replace(/^\w+/, (verdict) => paint(style, verdict))}\n`)
    }
    complain(outcome)
  }
  if (quiet) return viewOf(Subscription.EMPTY, () => {}, complain)
  if (progress === 'json') return writeJson(screen, monitor)
  if (progress === 'none') return viewOf(Subscription.EMPTY, say, conclude)
  if (canRedraw(screen)) return redraw(screen, say, conclude, monitor)
  const [isLogged, isNewWait] = [isDue(LOG_INTERVAL), isWaitBegun()]
  const logging = monitor.samples
    .pipe(
      // once a follow has caught up, a log shows only its notes
      filter((sample) =>
        [isLogged(sample) && !sample.counters.ended, isNewWait(sample)].includes(true),
      ),
    )
    .subscribe((sample) => say(progressLogLine(sample)))
  return viewOf(logging, say, conclude)
}

const viewOf = (
  showing: Subscription,
  say: ProgressView['say'],
  conclude: (outcome: ViewEnd) => void,
): ProgressView => ({
  say,
  end: (outcome) => {
    showing.unsubscribe()
    if (outcome !== undefined) conclude(outcome)
  },
})

const canRedraw = ({ stderr, env }: Screen): boolean =>
  stderr.isTTY === true && env.TERM !== 'dumb' && stderr.columns !== 0 && stderr.rows !== 0

const redraw = (
  screen: Screen,
  say: ProgressView['say'],
  conclude: (outcome: ViewEnd) => void,
  { samples }: ProgressMonitor,
): ProgressView => {
  const { stderr } = screen
  const line = createLogUpdate(stderr)
  const colours = hasColours(stderr, screen.env)
  const drawing = samples.subscribe((sample) =>
    line(progressLines({ columns: stderr.columns ?? 80, colours }, sample)),
  )
  drawing.add(() => {
    line.clear()
    line.done()
  })
  const sayAbove = (text: string): void => {
    line.clear()
    say(text)
  }
  return viewOf(drawing, sayAbove, conclude)
}

/** Returns a function that returns true for the first sample in each interval of `ms`. */
const isDue = (ms: number) => {
  let last = 0
  return ({ elapsedMs }: ProgressSample): boolean => {
    const period = Math.floor(elapsedMs / ms)
    const isNew = period > last
    last = Math.max(last, period)
    return isNew
  }
}

/** Returns a function that returns true if a wait for a response has just started. */
const isWaitBegun = () => {
  let waited = false
  return ({ stallReasons }: ProgressSample): boolean => {
    const waits = stallReasons.some(({ _tag }) => _tag === 'Silence')
    const isNew = waits && !waited
    waited = waits
    return isNew
  }
}

// waits

/**
 * Describes retries, waits for the destination, and a shared quota that cannot be used. The first event of a kind is described
 * immediately. Later ones are described once per half minute, with their number.
 */
export const waitNotes = (timer: Pick<SchedulerLike, 'now'>) => {
  const kinds = new Map<string, { readonly at: number; readonly unsaid: number }>()
  const noted = (kind: string, text: string): string | undefined => {
    const now = timer.now()
    const { at, unsaid } = kinds.get(kind) ?? { at: Number.NEGATIVE_INFINITY, unsaid: 0 }
    if (now - at < LOG_INTERVAL) {
      kinds.set(kind, { at, unsaid: unsaid + 1 })
      return undefined
    }
    kinds.set(kind, { at: now, unsaid: 0 })
    const more = unsaid === 0 ? '' : ` (and ${number(unsaid)} more like it)`
    return `${text}${more}`
  }
  return (event: ClientEvent): string | undefined => {
    if (event._tag === 'DestinationWait') {
      return event.isOver ? undefined : noted(event.message, event.message)
    }
    if (event._tag === 'QuotaChanged') {
      return event.isAvailable ? undefined : noted(event.message, event.message)
    }
    if (event._tag !== 'Retrying') return undefined
    const { endpoint, failure, pause } = event
    const kind = [endpoint, failure._tag, 'status' in failure ? failure.status : ''].join(' ')
    return noted(kind, `retrying in ${duration(pause)}: ${failure.message}`)
  }
}

// lines

/** A part of a line. Parts with the lowest priority are dropped first. */
interface LinePart {
  readonly text: string
  readonly priority: number
  readonly style?: TextStyle
}

const GAP = '  '

/** Returns the width of the bar in columns; 0 on narrow terminals. It is fixed, so that the line does not jump. */
const barColumns = (columns: number): number => {
  if (columns < 70) return 0
  return columns < 100 ? 10 : 20
}

/**
 * Formats a sample for a terminal: the parts that fit on a line, and a second line with the most severe reason for a stall. A
 * bar, the share, the rows, the rate and the time left always fit in 80 columns.
 */
export const progressLines = (
  { columns, colours }: { readonly columns: number; readonly colours: boolean },
  sample: ProgressSample,
): string => {
  const paint = painter(colours)
  const wide = Math.max(1, columns - 1) // text in the last column makes some terminals wrap
  const { share } = sample.counters
  const ofBar = share === undefined ? 0 : barColumns(columns)
  const room = ofBar === 0 ? wide : wide - ofBar - GAP.length
  const texts = fitToWidth(parts(sample, ofBar > 0), room)
  const first = [
    ...(share === undefined || ofBar === 0 ? [] : [bar(share, ofBar, paint)]),
    ...texts.map(({ text, style }) => paint(style, text)),
  ].join(GAP)
  const [reason] = sample.stallReasons
  if (reason === undefined) return first
  const explanation = truncate(oneLine(describeStall(reason)), wide)
  return `${first}\n${paint(COLOURS[reason._tag], explanation)}`
}

/** Formats a sample for a log, in which nothing is redrawn. */
export const progressLogLine = (sample: ProgressSample): string => {
  const explanations = sample.stallReasons
    .slice(0, 1)
    .map((reason) => oneLine(describeStall(reason)))
  return [...parts(sample).map(({ text }) => text), ...explanations].join(', ')
}

const COLOURS = {
  Fault: 'red',
  Refused: 'yellow',
  Silence: 'yellow',
  Destination: 'yellow',
  Quota: 'yellow',
  Lowered: 'yellow',
  Width: 'yellow',
  Limit: 'dim',
} as const

/** Returns the parts of a line. `hasBar`: the rate and the time left take precedence over rejected rows. */
const parts = (sample: ProgressSample, hasBar = false): ReadonlyArray<LinePart> => {
  const { elapsedMs, msLeft, quota } = sample
  const { rows, rejects, refused, failed, share } = sample.counters
  const refusals: LinePart = { text: `${number(refused)} refused`, priority: 2 }
  if (sample.isCounting) {
    return [
      { text: 'counting', priority: 10 },
      { text: duration(elapsedMs), priority: 2.5 },
    ]
  }
  return [
    ...(share === undefined ? [] : [{ text: percent(share), priority: 9, style: 'bold' } as const]),
    { text: plural(rows, 'row'), priority: 10 },
    { text: `${number(sample.rowsPerSecond)} rows/s`, priority: 7 },
    ...(quota === undefined ? [] : [{ text: `${percent(quota)} of the quota`, priority: 3 }]),
    refused > 0 ? { ...refusals, priority: 4, style: 'yellow' } : refusals,
    ...(failed > 0
      ? [{ text: `${number(failed)} failed`, priority: 5, style: 'red' } as const]
      : []),
    ...(rejects > 0
      ? [
          {
            text: `${number(rejects)} rejected`,
            priority: hasBar ? 6 : 8,
            style: 'red',
          } as const,
        ]
      : []),
    { text: duration(elapsedMs), priority: 2.5 },
    ...(msLeft === undefined
      ? []
      : [{ text: `about ${roundedDuration(msLeft)} left`, priority: 8 }]),
  ]
}

const bar = (share: number, columns: number, paint: ReturnType<typeof painter>): string => {
  const full = Math.floor(share * columns)
  return paint('green', '█'.repeat(full)) + paint('dim', '░'.repeat(columns - full))
}

const widthOf = (some: ReadonlyArray<LinePart>): number =>
  some.map(({ text }) => text).join(GAP).length

const fitToWidth = (all: ReadonlyArray<LinePart>, columns: number): ReadonlyArray<LinePart> => {
  if (widthOf(all) <= columns) return all
  if (all.length <= 1) return all.map((part) => ({ ...part, text: truncate(part.text, columns) }))
  const least = Math.min(...all.map(({ priority }) => priority))
  const leaving = all.findIndex(({ priority }) => priority === least)
  return fitToWidth(all.toSpliced(leaving, 1), columns)
}

// JSON

/** One line of `--progress json`. */
export type JsonLine =
  | ({ readonly type: 'progress' } & ProgressJson)
  | { readonly type: 'message'; readonly message: string }
  | ({ readonly type: 'quote' } & PaySummary)
  | ({
      readonly type: 'end'
      readonly status: number
      readonly summary: string | null
      readonly reason: string | null
    } & ProgressJson)

/** A sample as JSON. The fields are documented in `docs/reference/exports.md`, and are never removed. */
export type ProgressJson = ReturnType<typeof progressJson>

export const putJson =
  ({ stderr }: Pick<Screen, 'stderr'>) =>
  (line: JsonLine): void =>
    void stderr.write(`${escapeInvisible(withoutCredentials(JSON.stringify(line)))}\n`)

export const endLine = ({ status, summary, reason }: ViewEnd, sample = IDLE_SAMPLE): JsonLine => ({
  ...{ type: 'end', status, summary: summary ?? null, reason: reason ?? null },
  ...progressJson(sample),
})

const writeJson = (screen: Screen, { samples, current }: ProgressMonitor): ProgressView => {
  const put = putJson(screen)
  const writing = samples
    .pipe(filter(isDue(JSON_INTERVAL)))
    .subscribe((sample) => put({ type: 'progress', ...progressJson(sample) }))
  const say = (message: string): void => put({ type: 'message', message })
  return { ...viewOf(writing, say, (outcome) => put(endLine(outcome, current()))), tell: put }
}

/** Flattens a sample; `null` means unknown. */
export const progressJson = (sample: ProgressSample) => {
  const { counters, scheduler, msLeft } = sample
  const { rows, rejects, pages, requests, refused, failed } = counters
  return {
    elapsedMs: Math.round(sample.elapsedMs),
    rows,
    rejects,
    pages,
    rowsPerSecond: Math.round(sample.rowsPerSecond),
    share: counters.share ?? null,
    msLeft: msLeft === undefined ? null : Math.round(msLeft),
    requests,
    refused,
    failed,
    quota: sample.quota ?? null,
    inFlight: scheduler.inFlight,
    waiting: scheduler.waiting,
    backingOff: scheduler.backingOff + sample.paused,
    waits: sample.stallReasons.map(describeStall),
  }
}
