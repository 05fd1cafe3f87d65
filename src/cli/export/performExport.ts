/** Runs an export: shows how it goes, and says what came of it. */
import { dirname, join } from 'node:path'
import { lastValueFrom, type Observable, tap } from 'rxjs'
import type {
  ExportBegun,
  ExportEvent,
  ExportProgress,
  ManifestRun,
  Since,
} from '../../export/index.js'
import { isFolder } from '../../export/storage/openFiles.js'
import { E, withoutUndefined } from '../../fp.js'
import { DAY, HOUR, MINUTE, plural } from '../../report/text.js'
import { EXIT_BY_SIGNAL, EXIT_INCOMPLETE } from '../output.js'
import { countProgress, summary } from '../progress/ExportCounters.js'
import type { MonitoredRun } from '../progress/ProgressMonitor.js'
import type { CommandRun, Ending, Watch } from '../runCommand.js'
import {
  conclusion,
  type DestinationNames,
  destinationState,
  unremovedEnd,
  unremovedNotes,
} from './conclusion.js'
import type { ExportFlags } from './exportFlags.js'
import type { RejectedRows } from './rejectedRows.js'
import { reportFacts, reportingTo } from './reportFacts.js'

/** An export, ready to be subscribed to. */
export interface PreparedExport extends DestinationNames {
  readonly client: MonitoredRun['client']
  readonly events: Observable<ExportEvent>
  /** Rows that a destination without a file for them rejected. */
  readonly rejected?: RejectedRows
  /** The parameters of its list. */
  readonly query: Readonly<Record<string, unknown>>
  /** The title of its report. */
  readonly title: string
}

/** Rejects with what can only be a bug; all is unsubscribed then. */
export const performExport = async (
  run: CommandRun,
  flags: Pick<ExportFlags, 'formulas' | 'report'>,
  prepared: PreparedExport,
): Promise<Ending> => {
  const { client, events, name, rejected } = prepared
  const { timer, version } = run.terminal
  const began = timer.now()
  const reporting = await reportingTo(flags.report)
  const watch = run.watch(client)
  const report = reporting?.({ client, timer: watch.timer }, watch.monitor)
  const noting = rejected?.notes.subscribe(run.say)
  let progress: ExportProgress | undefined
  const note = tap((event: ExportEvent) => {
    if (E.isLeft(event)) return
    progress = event.right
    noteProgress(run, watch, progress)
  })
  const event = await lastValueFrom(events.pipe(note), { defaultValue: undefined }).finally(() => {
    noting?.unsubscribe()
    report?.close()
  })
  await rejected?.close()
  for (const note of [...findings(progress, flags), ...unremovedNotes(progress)]) run.say(note)
  const ended = { event, progress, stopped: run.stopped() }
  const { status, reason } = conclusion(ended, prepared)
  const ms = watch.elapsed()
  const counters = watch.counters()
  const { run: whole } = { ...progress }
  const { ms: spent = ms, requests = counters.requests, refused = counters.refused } = whole ?? {}
  const line = summary(
    { ...counters, requests, refused }, // of all starts
    spent,
    writtenTo(name, whole),
    destinationState(ended, prepared),
  )
  const last = `${line}${unremovedEnd(progress)}`
  const unwritten = await report?.write(
    reportFacts({
      ...{
        prepared,
        run: whole,
        counters,
        conclusion: { status, ...withoutUndefined({ reason }) },
      },
      ...{ began, ms, summary: line, version },
    }),
  )
  if (status === EXIT_BY_SIGNAL.SIGPIPE) return { status }
  return {
    status: unwritten === undefined ? status : Math.max(status, EXIT_INCOMPLETE),
    summary: last,
    ...withoutUndefined({ reason: reason ?? unwritten }),
  }
}

/** Counts progress, and says what stays on the screen of it. */
const noteProgress = ({ say }: CommandRun, watch: Watch, progress: ExportProgress): void => {
  const { begun, reread, rows, waiting } = progress
  if (waiting !== undefined) return
  watch.count(countProgress(progress))
  if (reread !== undefined) say(`${REREAD}: ${reread.message}`)
  if (begun === undefined) return
  for (const note of beginning(begun, rows)) say(note)
  watch.begin()
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
  { resumed, tookOver, since, rejected }: ExportBegun,
  rows: number,
): ReadonlyArray<string> => [
  ...(since === undefined ? [] : [sinceNote(since)]),
  ...(tookOver ? ['took over from a run that ended without saying so'] : []),
  ...(rejected === undefined
    ? []
    : [`the export is at its end: reads ${plural(rejected, 'rejected row')} again`]),
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
  const gap = isFolderStart ? `the beginning of the folder, ${later} ${before}` : before
  const missing =
    rejects === 0
      ? ''
      : `; ${plural(rejects, 'row')} that earlier runs rejected stay missing (--resume reads them again)`
  return `since ${from}: ${gap}${missing}`
}

/** `7 days`, `12 hours`, `90 minutes`. */
const span = (ms: number): string => {
  if (ms % DAY === 0) return plural(ms / DAY, 'day')
  return ms % HOUR === 0 ? plural(ms / HOUR, 'hour') : plural(ms / MINUTE, 'minute')
}
