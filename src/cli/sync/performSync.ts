/** One sync on the command line: what it says, and its exit status. */
import { lastValueFrom, tap } from 'rxjs'
import {
  type ExportError,
  isExportError,
  isRetryable,
  type SyncEvent,
  type SyncProgress,
} from '../../export/index.js'
import { destinationName } from '../../export/sync/SyncOptions.js'
import { E, withoutUndefined } from '../../fp.js'
import { duration, number, plural } from '../../report/text.js'
import { type Connection, SANDBOX_ACCOUNT } from '../connection.js'
import {
  isFinal,
  NEXT,
  stoppedBy,
  unremovedEnd,
  unremovedNotes,
  withAdvice,
} from '../export/conclusion.js'
import { exportClient } from '../export/exportClient.js'
import { rejectedRows, rejectsIn } from '../export/rejectedRows.js'
import { reportingTo } from '../export/reportFacts.js'
import { EXIT_COMPLETE, EXIT_INCOMPLETE, EXIT_LOCKED, EXIT_USAGE } from '../output.js'
import { countProgress, type ExportCounters } from '../progress/ExportCounters.js'
import { isProven, provenText, whyNotProven } from '../proofText.js'
import type { CommandRun, Ending } from '../runCommand.js'
import type { Signal } from '../Terminal.js'
import type { SyncFlags } from './syncFlags.js'
import type { SyncedList } from './syncLists.js'
import { checkReport, syncFacts } from './syncReport.js'

// running

export const performSync = async (
  list: SyncedList,
  run: CommandRun,
  to: string,
  flags: SyncFlags,
  connection: Connection,
): Promise<Ending> => {
  const client = exportClient(run.terminal, { exact: false, ...flags }, connection)
  if (flags.report !== undefined) await checkReport(flags.report, to)
  const { table, format, adopt, since, lookback, sweep, maxRejects, parallel, sandbox } = flags
  const { allowEmpty, replaceNul } = flags
  const rejected = rejectedRows()
  const events = list.start(client, flags, {
    to,
    ...run.options,
    ...withoutUndefined({ table, format, adopt, since, lookback, sweep, maxRejects, parallel }),
    ...withoutUndefined({ allowEmpty, replaceNul }),
    ...(sandbox === true ? { account: SANDBOX_ACCOUNT } : {}),
    onReject: rejected.take,
  })
  const began = run.terminal.timer.now()
  const reporting = await reportingTo(flags.report)
  const watch = run.watch(client)
  const report = reporting?.({ client, timer: watch.timer }, watch.monitor)
  const noting = rejected.notes.subscribe(run.say)
  let progress: SyncProgress | undefined
  const note = tap((event: SyncEvent) => {
    if (E.isLeft(event)) return
    progress = event.right
    const { begun } = progress
    watch.count(countProgress(progress))
    if (begun === undefined) return
    run.say(beginning(begun))
    watch.begin()
  })
  const event = await lastValueFrom(events.pipe(note)).finally(() => {
    noting.unsubscribe()
    report?.close()
  })
  await rejected.close()
  for (const note of [...rereadNotes(progress), ...unremovedNotes(progress)]) run.say(note)
  const kept = table ?? list.table(flags)
  const { status, reason } = conclusion(event, progress, run.stopped(), rejectsIn(to, kept))
  const [counters, elapsed] = [watch.counters(), watch.elapsed()]
  const line = summary(destinationName(to), counters, elapsed, progress)
  const unwritten = await report?.write(
    syncFacts({
      ...{ list: list.name, to, table: kept, progress, counters, status, reason, began, elapsed },
      outcome: outcome(progress, counters.rejects),
      ...{ summary: line, version: run.terminal.version },
    }),
  )
  return {
    status: unwritten === undefined ? status : Math.max(status, EXIT_INCOMPLETE),
    summary: line,
    ...withoutUndefined({ reason: reason ?? unwritten }),
  }
}

// what is said

const beginning = ({
  resumed,
  from,
  doubted,
  added = [],
}: Required<SyncProgress>['begun']): string => {
  const since = from === undefined ? 'everything is read' : `since ${from}`
  const doubt =
    doubted === undefined ? '' : ` (a clock of the last run was ahead: it said ${doubted})`
  const are = added.length === 1 ? 'is a new column' : 'are new columns'
  const filled =
    added.length === 0
      ? ''
      : `; ${added.join(', ')} ${are}, empty in rows that are not read again: --lookback 400d or --sweep now fills them`
  const start = `${since}${doubt}${filled}`
  return resumed ? `continues an interrupted run: ${start}` : start
}

const rereadNotes = ({ rereads }: Partial<SyncProgress> = {}): ReadonlyArray<string> => {
  if (rereads === undefined || rereads.done + rereads.gone === 0) return []
  const { done, gone } = rereads
  const without = gone === 0 ? '' : `; the service has ${number(gone)} no more`
  return [`${plural(done, 'open or just closed charge')} read again${without}`]
}

const summary = (
  to: string,
  { rows, requests, refused, rejects }: ExportCounters,
  ms: number,
  progress: SyncProgress | undefined,
): string =>
  [
    outcome(progress, rejects),
    `${plural(rows, 'row')} read into ${to}`,
    duration(ms),
    plural(requests, 'request'),
    `${number(refused)} refused`,
    `${plural(rejects, 'row')} rejected${unremovedEnd(progress)}`,
  ].join(', ')

/** Says up to when the rows are there, and what was proven of that. */
const outcome = (progress: SyncProgress | undefined, rejects: number): string => {
  if (progress?.upTo === undefined) return 'incomplete'
  const { upTo, proof } = progress
  const word = rejects === 0 ? 'complete' : 'incomplete'
  if (proof === undefined) return `${word}: up to ${upTo}`
  if (!isProven(proof)) return `not proven: up to ${upTo}`
  return `${word} and ${provenText(proof)}`
}

/** Says what to do about files and states that were changed, which no later run puts right. */
const wayOut = (tag: ExportError['_tag']): string =>
  tag === 'Damaged' || tag === 'ChecksumMismatch'
    ? ': restore it, or name another table or folder, which gets all rows again'
    : ''

/** Returns the exit status, and why. */
const conclusion = (
  event: SyncEvent,
  progress: SyncProgress | undefined,
  stopped: Signal | undefined,
  rejectsName: string,
): { readonly status: number; readonly reason?: string } => {
  if (E.isRight(event)) {
    if (stopped !== undefined && !event.right.ended) {
      return stoppedBy(stopped)
    }
    const { proof, rejects } = event.right
    const reasons = [
      ...(rejects === 0
        ? []
        : [`rows could not be written: see ${rejectsName}; the next run reads them again`]),
      ...(proof === undefined || isProven(proof)
        ? []
        : [`not proven complete: ${whyNotProven(proof)}`]),
    ]
    return reasons.length === 0
      ? { status: EXIT_COMPLETE }
      : { status: EXIT_INCOMPLETE, reason: reasons.join('; ') }
  }
  const { left } = event
  if (isExportError(left) && left._tag === 'Locked') {
    return stopped === undefined
      ? { status: EXIT_LOCKED, reason: left.message }
      : stoppedBy(stopped)
  }
  const isUsage = isExportError(left)
    ? !isRetryable(left)
    : isFinal(left) && (progress?.pages ?? 0) === 0
  const message = isExportError(left) ? `${left.message}${wayOut(left._tag)}` : withAdvice(left)
  return isUsage
    ? { status: EXIT_USAGE, reason: message }
    : { status: EXIT_INCOMPLETE, reason: `${message}; ${NEXT}` }
}
