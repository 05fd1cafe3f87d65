/** Runs `pay`: from a file to outcomes, with the quote in between. */
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { lastValueFrom, ReplaySubject, take, takeUntil, tap } from 'rxjs'
import type { Client } from '../../client/createClient.js'
import type { PayFailure } from '../../client/pay/PayFailure.js'
import type { PayEvent, PayReport, PaySummary } from '../../client/pay/PayOptions.js'
import type { QuoteValidity } from '../../codec/BatchTransfer.js'
import { ITEMS_PER_CALL } from '../../codec/NewBatchItem.js'
import { defined, E } from '../../fp.js'
import { duration, number, plural } from '../../report/text.js'
import { codeOf } from '../../store/FileSystem.js'
import { steadyTimer } from '../../stream/steadyTimer.js'
import {
  type Connection,
  type ConnectionFlags,
  connectionFrom,
  environmentFrom,
  withSandbox,
} from '../connection.js'
import { isFinal, withAdvice } from '../export/conclusion.js'
import { exportClient } from '../export/exportClient.js'
import type { ExportFlags } from '../export/exportFlags.js'
import {
  type CommandContext,
  EXIT_BY_SIGNAL,
  EXIT_COMPLETE,
  EXIT_INCOMPLETE,
  EXIT_USAGE,
  UsageError,
} from '../output.js'
import { countEvent, type ExportCounters, NO_COUNTERS } from '../progress/ExportCounters.js'
import { monitorProgress } from '../progress/ProgressMonitor.js'
import { type ProgressView, showProgress } from '../progress/ProgressView.js'
import type { Signal, Terminal } from '../Terminal.js'
import { type PayFileOptions, type PayFormat, rowsOf } from './payFile.js'
import { readMap } from './payMap.js'
import { aboveLimits, type Limits, quoteTable } from './quoteTable.js'
import { Results } from './Results.js'

// model

export interface PayFlags
  extends ConnectionFlags,
    Pick<
      ExportFlags,
      'progress' | 'quiet' | 'limits' | 'share' | 'guard' | 'patience' | 'timeout' | 'sandbox'
    > {
  readonly run?: string
  readonly yes: boolean
  readonly max?: Limits
  readonly withoutInvalid: boolean
  readonly map?: string
  readonly format?: PayFormat
  readonly name?: string
  readonly transferDate?: string
  readonly fundingSource?: string
  readonly validity?: QuoteValidity
  readonly tolerance?: number
  /** In ms. */
  readonly wait?: number
  readonly discard: boolean
  readonly template: boolean
}

interface PayTarget {
  readonly run: string
  readonly file: string
  readonly format: PayFormat
}

/** Finished, but not all payments are booked. */
const EXIT_NOT_ALL = 4

const NEXT = 'the same command goes on'

// paying

export const performPay = async (
  context: CommandContext,
  target: PayTarget,
  flags: PayFlags,
): Promise<number> => {
  const { file, format, run } = target
  const map = flags.map === undefined ? undefined : await readMap(flags.map)
  const base = { name: file, format, run, map }
  return connected(context.terminal, flags, (connection) =>
    file === '-'
      ? spooled(context.terminal, (path) =>
          pay(context, { ...base, name: 'stdin', path }, run, flags, connection),
        )
      : pay(context, { ...base, path: file }, file, flags, connection),
  )
}

/** Pays at the connection of the flags, or in a sandbox. */
const connected = (
  terminal: Terminal,
  flags: PayFlags,
  work: (connection: Connection) => Promise<number>,
): Promise<number> =>
  flags.sandbox === true
    ? withSandbox(
        {
          environment: environmentFrom(flags, terminal.env),
          charges: 0,
          ...(flags.limits ? {} : { limits: false as const }),
        },
        work,
      )
    : work(connectionFrom(flags, terminal.env))

/** Keeps stdin in a file that only its owner can read, since it is read more than once; removes it at the end. */
const spooled = async <A>({ stdin }: Terminal, work: (path: string) => Promise<A>): Promise<A> => {
  const folder = await mkdtemp(join(tmpdir(), 'payments-rx-')) // for its owner alone
  try {
    const path = join(folder, 'stdin')
    await pipeline(stdin, createWriteStream(path, { flags: 'wx', mode: 0o600 }))
    return await work(path)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const pay = async (
  { terminal, output }: CommandContext,
  file: PayFileOptions,
  beside: string,
  flags: PayFlags,
  connection: Connection,
): Promise<number> => {
  const { run } = file
  const client = exportClient(terminal, { exact: true, ...flags }, connection)
  const watch = watched(terminal, flags, client)
  const results = new Results(beside, file)
  let refusal: Refusal | undefined
  const approve = (summary: PaySummary): boolean => {
    for (const line of quoteTable(summary)) output.print(line)
    refusal = refusalOf(summary, flags)
    return flags.yes && refusal === undefined
  }
  const { name, transferDate, fundingSource, validity, tolerance, wait, withoutInvalid } = flags
  const batch = defined({
    name,
    transfer_date: transferDate,
    funding_source: fundingSource === undefined ? undefined : { id: fundingSource },
  })
  const items = async function* () {
    for await (const { item } of rowsOf(file)) yield item
  }
  const events = client.batchTransfers
    .payAll({
      run,
      approve,
      batch,
      withoutInvalid,
      ...defined({ validity, tolerance, limit: wait }),
    })(items)
    .pipe(takeUntil(watch.stop), tap(watch.count), tap(results.note))
  const last = await lastValueFrom(events, { defaultValue: undefined })
    .catch(async (error: unknown) => {
      watch.view.end()
      await results.discard()
      throw error
    })
    .finally(watch.close)
  const ended = conclude(last, refusal, watch.stopped())
  const written = await results.publish().catch((error: unknown) => {
    throw new UsageError(`cannot write beside ${beside} (${codeOf(error) ?? 'an error'})`)
  })
  const report = reportOf(last)
  if (report?.isDeclined && refusal === undefined) {
    output.print(`quoted, nothing submitted. This pays: ${payingLine(file, flags)}`)
  }
  for (const line of written) watch.view.say(line)
  watch.end(ended, report)
  return ended.status
}

const reportOf = (last: E.Either<PayFailure, PayEvent> | undefined): PayReport | undefined =>
  last !== undefined && E.isRight(last) && last.right._tag === 'Reported'
    ? last.right.report
    : undefined

/** The line that pays, in place of the one that quoted. */
const payingLine = ({ name, run }: PayFileOptions, flags: PayFlags): string => {
  const { max, map, format, withoutInvalid } = flags
  const limits = max && Array.from(max, (pair) => pair.join('=')).join(',')
  return [
    `payments-rx pay ${name === 'stdin' ? '-' : name} --run ${run} --yes`,
    ...(limits === undefined ? [] : [`--max ${limits}`]),
    ...(map === undefined ? [] : [`--map ${map}`]),
    ...(format === undefined ? [] : [`--format ${format}`]),
    ...(withoutInvalid ? ['--without-invalid'] : []),
  ].join(' ')
}

// the gate

/** Why a quote is not paid, though `--yes` is given. */
interface Refusal {
  readonly status: number
  readonly reason: string
}

const refusalOf = (summary: PaySummary, { max, yes }: PayFlags): Refusal | undefined => {
  if (max !== undefined) {
    const above = aboveLimits(summary, max)
    return above === undefined
      ? undefined
      : { status: EXIT_USAGE, reason: `${above}: nothing was submitted` }
  }
  return yes && summary.isWorse
    ? {
        status: EXIT_INCOMPLETE,
        reason: `quotes expired, and the new ones are worse; the same command accepts them`,
      }
    : undefined
}

// the end

interface Ending {
  readonly status: number
  readonly reason?: string
}

const conclude = (
  last: E.Either<PayFailure, PayEvent> | undefined,
  refusal: Refusal | undefined,
  stopped: Signal | undefined,
): Ending => {
  if (last !== undefined && E.isLeft(last)) {
    const failure = last.left
    if ('run' in failure) return { status: EXIT_USAGE, reason: failure.message }
    return isFinal(failure)
      ? { status: EXIT_USAGE, reason: withAdvice(failure) }
      : { status: EXIT_INCOMPLETE, reason: `${withAdvice(failure)}; ${NEXT}` }
  }
  const report = reportOf(last)
  if (report === undefined) {
    return stopped === undefined
      ? { status: EXIT_INCOMPLETE, reason: NEXT }
      : { status: EXIT_BY_SIGNAL[stopped], reason: `stopped by ${stopped}; ${NEXT}` }
  }
  if (report.isDeclined) return refusal ?? { status: EXIT_COMPLETE }
  return { status: report.isPaid ? EXIT_COMPLETE : EXIT_NOT_ALL }
}

// watching

/** Progress, counts and signals of a run. */
const watched = (terminal: Terminal, flags: PayFlags, client: Client) => {
  const steady = steadyTimer(terminal.timer)
  const started = steady.now()
  let counters: ExportCounters = NO_COUNTERS
  let total = 0
  let stopped: Signal | undefined
  const stop = new ReplaySubject<Signal>(1)
  const monitor = monitorProgress({ client, counters: () => counters, timer: steady })
  const view: ProgressView = showProgress(terminal, flags, monitor)
  const hearing = terminal.signals.pipe(take(1)).subscribe((signal) => {
    stopped = signal
    stop.next(signal)
  })
  hearing.add(monitor.close)
  hearing.add(
    client.events.subscribe((event) => {
      counters = countEvent(counters, event)
      if (event._tag !== 'Ended' || event.outcome !== 'succeeded') return
      if (!event.endpoint.endsWith('/add_items')) return
      reached(Math.min(total, counters.rows + ITEMS_PER_CALL))
    }),
  )
  const reached = (rows: number): void => {
    counters = { ...counters, rows, share: total === 0 ? 0 : rows / total }
  }
  let filled = 0
  let isWaiting = false
  const count = (event: E.Either<PayFailure, PayEvent>): void => {
    if (E.isLeft(event)) return
    switch (event.right._tag) {
      case 'Checked':
        total = event.right.items
        return
      case 'Filled': // by an earlier run, perhaps
        filled += event.right.batch.total_item_count
        reached(Math.min(total, Math.max(filled, counters.rows)))
        return
      case 'Submitted':
        if (!isWaiting) view.say('submitting what was approved, and waiting until it is booked')
        isWaiting = true
        return
      default:
    }
  }
  const end = ({ status, reason }: Ending, report: PayReport | undefined): void => {
    const ms = Math.max(0, steady.now() - started)
    const { requests, refused } = counters
    const effort = `${duration(ms)}, ${plural(requests, 'request')}, ${number(refused)} refused`
    view.end({ status, summary: `${verdict(report)}, ${effort}`, ...defined({ reason }) })
  }
  return { view, stop, count, end, close: () => hearing.unsubscribe(), stopped: () => stopped }
}

const verdict = (report: PayReport | undefined): string => {
  if (report === undefined) return 'incomplete'
  const { run, isPaid, isDeclined, items, booked, failed, leftOut, unknown } = report
  if (isDeclined) return `quoted: ${plural(items, 'payment')} of ${run}, ${number(booked)} booked`
  const others = [
    [failed, 'failed'],
    [leftOut, 'left out'],
    [unknown, 'unknown'],
  ] as const
  const rest = others.filter(([n]) => n > 0).map(([n, what]) => `${number(n)} ${what}`)
  const how = isPaid ? 'complete' : 'finished'
  return `${how}: ${[`${number(booked)} of ${plural(items, 'payment')} of ${run} booked`, ...rest].join(', ')}`
}

// discarding

export const performDiscard = (
  { terminal, output }: CommandContext,
  run: string,
  flags: PayFlags,
): Promise<number> =>
  connected(terminal, flags, async (connection) => {
    const client = exportClient(terminal, { exact: false, ...flags }, connection)
    const answer = await lastValueFrom(client.batchTransfers.discardRun({ run }))
    if (E.isLeft(answer)) {
      output.complain(
        `${'run' in answer.left ? answer.left.message : withAdvice(answer.left)}; ${NEXT}`,
      )
      return EXIT_INCOMPLETE
    }
    const { deleted, submitted } = answer.right
    const kept = submitted === 0 ? '' : `; ${number(submitted)} submitted before, which stay`
    output.print(`${run}: ${plural(deleted, 'draft')} deleted${kept}`)
    return EXIT_COMPLETE
  })
