/** Runs an export: shows how it goes, and says what came of it. */
import { dirname, join } from 'node:path'
import {
  combineLatest,
  lastValueFrom,
  type Observable,
  Subject,
  Subscription,
  switchMap,
  take,
  tap,
} from 'rxjs'
import { isFolder } from '../../export/file/paths.js'
import type {
  ExportBegun,
  ExportEvent,
  ExportProgress,
  ManifestRun,
  Since,
} from '../../export/index.js'
import { defined, E } from '../../fp.js'
import { DAY, HOUR, MINUTE, plural } from '../../report/text.js'
import { steadyTimer } from '../../stream/steadyTimer.js'
import { EXIT_BY_SIGNAL, EXIT_INCOMPLETE } from '../output.js'
import { countEvent, countProgress, NO_COUNTERS, summary } from '../progress/ExportCounters.js'
import { type MonitoredRun, monitorProgress } from '../progress/ProgressMonitor.js'
import { retryNotes, showProgress } from '../progress/ProgressView.js'
import type { Signal, Terminal } from '../Terminal.js'
import { conclusion, type Output, outputState } from './conclusion.js'
import type { ExportFlags } from './exportFlags.js'
import type { RejectedRows } from './rejectedRows.js'
import { reportFacts } from './reportFacts.js'

/** An export, ready to be subscribed to. */
export interface PreparedExport extends Output {
  readonly client: MonitoredRun['client']
  readonly events: Observable<ExportEvent>
  /** The signal that stopped it, if one did. */
  readonly stopped: () => Signal | undefined
  /** Rows that an output without a file for them rejected. */
  readonly rejected?: RejectedRows
  /** The parameters of its list. */
  readonly query: Readonly<Record<string, unknown>>
  /** The title of its report. */
  readonly title: string
}

/** Resolves with the exit status. Rejects with what can only be a bug; all is unsubscribed then. */
export const performExport = async (
  terminal: Terminal,
  flags: Pick<ExportFlags, 'formulas' | 'parallel' | 'quiet' | 'progress' | 'report' | 'resume'>,
  prepared: PreparedExport,
): Promise<number> => {
  const { client, events, name } = prepared
  const { version } = terminal
  const timer = steadyTimer(terminal.timer)
  const began = terminal.timer.now()
  const reporting = await reportingTo(flags.report)
  const started = timer.now()
  let counters = NO_COUNTERS
  let progress: ExportProgress | undefined

  const listening = new Subscription()
  const watching = monitorProgress({
    client,
    counters: () => counters,
    timer,
    parallel: flags.parallel,
  })
  listening.add(watching.close)
  const report = reporting?.({ client, timer }, watching)
  listening.add(report?.close)
  const begun = new Subject<void>()
  const shown = showProgress(terminal, flags, {
    ...watching,
    // an export that is refused before that shows why, and no more
    samples: begun.pipe(
      take(1),
      switchMap(() => watching.samples),
    ),
  })
  const noteRetry = retryNotes(timer)
  const skewed = new Subject<string>()
  // once, after the notes of the beginning: a clock that drifts is told of again and again
  combineLatest([skewed, begun])
    .pipe(take(1))
    .subscribe(([message]) => shown.say(message))
  const counting = client.events.subscribe((event) => {
    counters = countEvent(counters, event)
    const note = event._tag === 'Retrying' ? noteRetry(event) : undefined
    if (note !== undefined) shown.say(note)
    if (event._tag === 'ClockSkewed') skewed.next(event.message)
  })
  listening.add(counting)
  listening.add(prepared.rejected?.notes.subscribe(shown.say))
  const took = tap((event: ExportEvent) => {
    if (E.isLeft(event)) return
    progress = event.right
    const { reread, rows, waiting } = progress
    if (waiting !== undefined) {
      const { path, ms } = waiting
      shown.say(
        `${path} is of another run: waiting ${Math.ceil(ms / 1_000)} s at most, to see whether it lives`,
      )
      return
    }
    counters = countProgress(progress)(counters)
    if (reread !== undefined) shown.say(`${REREAD}: ${reread.message}`)
    if (progress.begun === undefined) return
    for (const note of beginning(progress.begun, rows)) shown.say(note)
    begun.next()
  })

  const event = await lastValueFrom(events.pipe(took), { defaultValue: undefined }).finally(() =>
    listening.unsubscribe(),
  )
  await prepared.rejected?.close()
  for (const note of findings(progress, flags)) shown.say(note)
  const ending = { event, progress, stopped: prepared.stopped() }
  const ended = conclusion(ending, prepared)
  const ms = Math.max(0, timer.now() - started) // a clock of the caller may be set back
  const { run } = { ...progress }
  const { ms: spent = ms, requests = counters.requests, refused = counters.refused } = run ?? {}
  const state = outputState(ending, prepared)
  const line = summary({ ...counters, requests, refused }, spent, writtenTo(name, run), state) // of all starts
  const unwritten = await report?.write(
    reportFacts({
      prepared,
      run,
      counters,
      conclusion: ended,
      began,
      ms,
      summary: line,
      version,
    }),
  )
  const reason = ended.reason ?? unwritten
  const status = unwritten === undefined ? ended.status : Math.max(ended.status, EXIT_INCOMPLETE)
  shown.end(
    status === EXIT_BY_SIGNAL.SIGPIPE
      ? undefined
      : { status, summary: line, ...defined({ reason }) },
  )
  return status
}

const REREAD =
  'the list is read from its beginning again, without the rows that are there: its bookmark was refused'

/** Where the rows of a run are: a file that is not complete has a name of its own. */
const writtenTo = (name: string, run: ManifestRun | undefined): string => {
  const [file, ...others] = run?.files ?? []
  const isUnfinished = run?.ended === false && file !== undefined && others.length === 0
  return isUnfinished && !isFolder(name) ? join(dirname(name), file.path) : name
}

/** Describes how a run begins. */
const beginning = (
  { resumed, tookOver, since }: ExportBegun,
  rows: number,
): ReadonlyArray<string> => [
  ...(since === undefined ? [] : [sinceNote(since)]),
  ...(tookOver ? ['took over from a run that ended without saying so'] : []),
  ...(resumed ? [`resumed after ${plural(rows, 'row')}`] : []),
]

/** Describes what was found in texts. */
const findings = (
  { loneSurrogates = 0, formulas = 0 }: Partial<ExportProgress> = {},
  flags: Pick<ExportFlags, 'formulas'>,
): ReadonlyArray<string> => [
  ...(loneSurrogates === 0
    ? []
    : [`texts: ${plural(loneSurrogates, 'half surrogate pair')} written as U+FFFD`]),
  ...(formulas === 0
    ? []
    : [
        flags.formulas === 'mask'
          ? `formulas: ${plural(formulas, 'text')} masked`
          : `formulas: a spreadsheet would run ${plural(formulas, 'text')}: --formulas mask puts ' before them`,
      ]),
]

/** Describes from when on an export reads, and why. */
const sinceNote = ({ manifest, from, of, isFolderStart, lookback, rejects = 0 }: Since): string => {
  if (from === undefined) return `no run in ${manifest} was read to its end: everything is read`
  const ended = `the ${of} of the last run`
  const before = lookback === 0 ? ended : `${span(lookback)} before ${ended}`
  const later = lookback === 0 ? 'after' : 'less than'
  const what = isFolderStart ? `the beginning of the folder, ${later} ${before}` : before
  const missing =
    rejects === 0 ? '' : `; ${plural(rejects, 'row')} that earlier runs rejected stay missing`
  return `since ${from}: ${what}${missing}`
}

/** `7 days`, `12 hours`, `90 minutes`. */
const span = (ms: number): string => {
  if (ms % DAY === 0) return plural(ms / DAY, 'day')
  return ms % HOUR === 0 ? plural(ms / HOUR, 'hour') : plural(ms / MINUTE, 'minute')
}

/** The recorder is loaded only for a report. */
const reportingTo = async (path: string | undefined) => {
  if (path === undefined) return undefined
  const { reportTo } = await import('../report/report.js') // or not, to start fast
  return reportTo(path)
}
