/** Runs a prepared export: shows how it goes, and says what came of it. */

import { lastValueFrom, Subject, Subscription, switchMap, take, tap } from 'rxjs'
import type { Begun, RunProgress } from '../../export/index.js'
import { NO_PROGRESS } from '../../export/Progress.js'
import { defined } from '../../fp.js'
import { isSnapshotPosition } from '../../stream/snapshot/Slice.js'
import { EXIT_BY_SIGNAL, EXIT_INCOMPLETE } from '../output.js'
import { countEvent, countProgress, NO_COUNTERS, summary } from '../progress/ExportCounters.js'
import { type MonitoredRun, monitorProgress } from '../progress/ProgressMonitor.js'
import { showProgress } from '../progress/ProgressView.js'
import type { Terminal } from '../Terminal.js'
import { plural } from '../text.js'
import { type Conclusion, conclusion, writeFailure } from './conclusion.js'
import type { ExportFlags } from './ExportFlags.js'
import { factsOf } from './facts.js'
import { outputAfter } from './outputAfter.js'
import type { Prepared } from './prepare.js'

/** What it needs of the flags. */
type PerformFlags = Pick<ExportFlags, 'quiet' | 'progress' | 'report' | 'resume'>

/** What it needs of a prepared export. */
export interface Performed extends Omit<Prepared, 'client'> {
  readonly client: MonitoredRun['client']
}

/** Answers with the exit status. Throws wrong use, and what can only be a bug; listens to nothing any more. */
export const perform = async (
  terminal: Terminal,
  flags: PerformFlags,
  prepared: Performed,
): Promise<number> => {
  const { client, run, name } = prepared
  const { timer, version } = terminal
  const reporting = await reportingTo(flags.report)
  const started = timer.now()
  let counters = NO_COUNTERS
  let last: RunProgress = NO_PROGRESS
  let isBegun = false
  let isBroken = false

  const listening = new Subscription()
  const watching = monitorProgress({ client, counters: () => counters, timer })
  listening.add(watching.close)
  const report = reporting?.({ client, timer }, watching)
  listening.add(report?.close)
  const begun = new Subject<void>()
  const shown = showProgress(terminal, flags, {
    ...watching,
    // who is refused before that reads why, and no more
    samples: begun.pipe(
      take(1),
      switchMap(() => watching.samples),
    ),
  })
  const counting = client.events.subscribe((event) => {
    counters = countEvent(counters, event)
    if (event._tag === 'Retrying') {
      shown.say(`waiting ${(event.pause / 1_000).toFixed(1)} s: ${event.failure.message}`)
    }
  })
  listening.add(counting)

  const took = tap((progress: RunProgress) => {
    isBegun = true
    last = progress
    const { next } = progress
    counters = countProgress(progress, isSnapshotPosition(next) ? next : undefined)(counters)
    if (progress.anew !== undefined) shown.say(`${ANEW}: ${progress.anew.message}`)
    if (progress.begun === undefined) return
    for (const note of [...prepared.notes, ...beginning(progress.begun, progress.rows, flags)])
      shown.say(note)
    begun.next()
  })

  const ended: Conclusion = await lastValueFrom(run.pipe(took), { defaultValue: last })
    .then((progress) => conclusion(progress, prepared.stopped(), prepared))
    .catch((error: unknown) => {
      isBroken = true
      const canResume = prepared.canResume && last.pages > 0
      return writeFailure(error, prepared, { isBegun, canResume })
    })
    .finally(() => listening.unsubscribe())

  const ms = Math.max(0, timer.now() - started) // the clock may have been set back
  const output = prepared.canResume ? outputAfter(last, { isBegun, isBroken }) : 'written'
  const {
    ms: spent = ms,
    requests = counters.requests,
    refused = counters.refused,
  } = last.entry ?? {}
  const line = summary({ ...counters, requests, refused }, spent, name, output) // of all starts
  const unwritten = await report?.write(
    factsOf({
      prepared,
      last,
      counters,
      conclusion: ended,
      began: started,
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

const ANEW =
  'the list is read from its beginning again, without the rows that are there: its bookmark was refused'

/** What is said of how a run begins. */
const beginning = (
  { resumed, dead }: Begun,
  rows: number,
  { resume }: Pick<ExportFlags, 'resume'>,
): ReadonlyArray<string> => [
  ...(dead === undefined ? [] : [`took over the lock of process ${dead.pid}, which is no more`]),
  ...(resumed ? [`resumed after ${plural(rows, 'row')}`] : []),
  ...(resume && !resumed ? ['there is no checkpoint to resume: it starts anew'] : []),
]

/** The recorder is for those who want a report. */
const reportingTo = async (path: string | undefined) => {
  if (path === undefined) return undefined
  const { reportTo } = await import('../report/report.js') // or not, to start fast
  return reportTo(path)
}
