/** Runs `pay`: from a file to outcomes, with the quote in between. */
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import {
  filter,
  ignoreElements,
  lastValueFrom,
  type MonoTypeOperatorFunction,
  map,
  type Observable,
  switchMap,
  takeUntil,
  tap,
  using,
} from 'rxjs'
import type { Client } from '../../client/createClient.js'
import { isDraft } from '../../client/pay/fillBatch.js'
import type { PayFailure } from '../../client/pay/PayFailure.js'
import type { PayEvent, PayReport, PaySummary } from '../../client/pay/PayOptions.js'
import type { BatchTransfer, QuoteValidity } from '../../codec/BatchTransfer.js'
import { ITEMS_PER_CALL } from '../../codec/NewBatchItem.js'
import { E, withoutUndefined } from '../../fp.js'
import { duration, number, plural, shellWord } from '../../report/text.js'
import { codeOf } from '../../store/FileSystem.js'
import type { PaceFlags, SimulationFlags } from '../commonOptions.js'
import { type Connection, type ConnectionFlags, connect, connectionFrom } from '../connection.js'
import { isFinal, NEXT, stoppedBy, withAdvice } from '../export/conclusion.js'
import { exportClient } from '../export/exportClient.js'
import {
  type CommandContext,
  EXIT_COMPLETE,
  EXIT_INCOMPLETE,
  EXIT_USAGE,
  UsageError,
} from '../output.js'
import type { ViewFlags } from '../progress/ProgressView.js'
import { type CommandRun, type Ending, runCommand, type Watch } from '../runCommand.js'
import type { Signal } from '../Terminal.js'
import { type PayFileOptions, type PayFormat, rowsOf } from './payFile.js'
import { readMap } from './payMap.js'
import { aboveLimits, quoteTable, type SpendingLimits } from './quoteTable.js'
import { Results } from './Results.js'

// model

export interface PayFlags
  extends ConnectionFlags,
    PaceFlags,
    ViewFlags,
    Pick<SimulationFlags, 'sandbox'> {
  readonly run?: string
  readonly yes: boolean
  readonly max?: SpendingLimits
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

// paying

export const performPay = (
  context: CommandContext,
  { run, file, format }: PayTarget,
  flags: PayFlags,
): Promise<void> =>
  runCommand(context, flags, {
    stopsInOrder: true,
    run: (running) =>
      connected(running, flags).pipe(
        switchMap(async (connection) => {
          const map = flags.map === undefined ? undefined : await readMap(flags.map)
          const base = { name: file, format, run, map }
          if (file !== '-') return pay(running, { ...base, path: file }, file, flags, connection)
          return spooled(running, (path) =>
            pay(running, { ...base, name: 'stdin', path }, run, flags, connection),
          )
        }),
      ),
  })

/** The connection of the flags, or a sandbox without charges. */
const connected = ({ terminal }: CommandRun, flags: PayFlags): Observable<Connection> =>
  connect(terminal, flags, { connection: connectionFrom, simulated: { charges: 0 } })

/** Keeps stdin in a file that only its owner can read, since it is read more than once; removes it at the end. */
const spooled = async (
  { terminal: { stdin }, options: { stop } }: CommandRun,
  work: (path: string) => Promise<Ending>,
): Promise<Ending> => {
  const folder = await mkdtemp(join(tmpdir(), 'payments-rx-')) // for its owner alone
  const reading = new AbortController()
  const stopping = stop.subscribe(() => reading.abort())
  try {
    const path = join(folder, 'stdin')
    const file = createWriteStream(path, { flags: 'wx', mode: 0o600 })
    await pipeline(stdin, file, { signal: reading.signal }).catch((error: unknown) => {
      if (!reading.signal.aborted) throw error
    })
    return await work(path)
  } finally {
    stopping.unsubscribe()
    await rm(folder, { recursive: true, force: true })
  }
}

const pay = async (
  running: CommandRun,
  file: PayFileOptions,
  beside: string,
  flags: PayFlags,
  connection: Connection,
): Promise<Ending> => {
  const { output, options, terminal } = running
  const { run } = file
  const client = exportClient(terminal, { exact: true, ...flags }, connection)
  const watch = running.watch(client, { writesRows: false })
  const results = new Results(beside, file)
  let refusal: Ending | undefined
  const submitted: Array<BatchTransfer> = []
  const approve = (summary: PaySummary): boolean => {
    for (const line of quoteTable(summary)) output.print(line)
    refusal = refusalOf(summary, submitted, flags)
    return flags.yes && refusal === undefined
  }
  const noteSubmission = (event: E.Either<PayFailure, PayEvent>): void => {
    if (E.isLeft(event)) return
    const { right: what } = event
    const isBefore = what._tag === 'Filled' && !isDraft(what.batch) // by an earlier run
    if (what._tag === 'Submitted' || isBefore) submitted.push(what.batch)
  }
  const { name, transferDate, fundingSource, validity, wait, withoutInvalid, max } = flags
  const tolerance = max === undefined ? flags.tolerance : 0 // --max judges each quote, however much worse
  const batch = withoutUndefined({
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
      ...withoutUndefined({ validity, tolerance, limit: wait }),
    })(items)
    .pipe(
      takeUntil(options.stop),
      counted(running, watch, client),
      tap(results.note),
      tap(noteSubmission),
    )
  const last = await lastValueFrom(events, { defaultValue: undefined }).catch(
    async (error: unknown) => {
      await results.discard()
      throw error
    },
  )
  const report = reportOf(last)
  const written = await results.publish({ isWhole: report !== undefined }).catch((error) => {
    throw new UsageError(`cannot write beside ${beside} (${codeOf(error) ?? 'an error'})`)
  })
  if (report?.isDeclined && refusal === undefined) {
    output.print(`quoted, nothing submitted. This pays:\n${payingLine(file, flags)}`)
  }
  for (const line of written) running.say(line)
  const { requests, refused } = watch.counters()
  const effort = `${duration(watch.elapsed())}, ${plural(requests, 'request')}, ${number(refused)} refused`
  return {
    ...conclude(last, {
      refusal,
      stopped: running.stopped(),
      isPartlySubmitted: submitted.length > 0,
    }),
    summary: `${verdict(report)}, ${effort}`,
  }
}

const reportOf = (last: E.Either<PayFailure, PayEvent> | undefined): PayReport | undefined =>
  last !== undefined && E.isRight(last) && last.right._tag === 'Reported'
    ? last.right.report
    : undefined

/** The line that pays, in place of the one that quoted. The API key is left to the environment. */
const payingLine = ({ name, run }: PayFileOptions, flags: PayFlags): string => {
  const { max } = flags
  const options: ReadonlyArray<readonly [name: string, value: string | number | undefined]> = [
    ['environment', flags.environment],
    ['base-url', flags.baseUrl],
    ['api-version', flags.apiVersion],
    ['client-id', flags.clientId],
    ['login-as', flags.loginAs],
    ['on-behalf-of', flags.onBehalfOf],
    ['max', max && Array.from(max, (pair) => pair.join('=')).join(',')],
    ['map', flags.map],
    ['format', flags.format],
    ['name', flags.name],
    ['transfer-date', flags.transferDate],
    ['funding-source', flags.fundingSource],
    ['validity', flags.validity],
    ['tolerance', flags.tolerance],
  ]
  return [
    `payments-rx pay ${shellWord(name === 'stdin' ? '-' : name)} --run ${run} --yes`,
    ...(flags.sandbox === true ? ['--sandbox'] : []),
    ...(flags.plainHttp === true ? ['--plain-http'] : []),
    ...options.flatMap(([option, value]) =>
      value === undefined ? [] : [`--${option} ${shellWord(String(value))}`],
    ),
    ...(flags.withoutInvalid ? ['--without-invalid'] : []),
  ].join(' ')
}

// the gate

/** Returns why a quote is not paid, though `--yes` is given. */
const refusalOf = (
  summary: PaySummary,
  submitted: ReadonlyArray<BatchTransfer>,
  { max, yes }: PayFlags,
): Ending | undefined => {
  if (max !== undefined) {
    const above = aboveLimits(summary, submitted, max)
    if (above === undefined) return undefined
    return submitted.length === 0
      ? { status: EXIT_USAGE, reason: `${above}: nothing was submitted` }
      : { status: EXIT_INCOMPLETE, reason: `${above}: nothing more was submitted` }
  }
  return yes && summary.isWorse
    ? {
        status: EXIT_INCOMPLETE,
        reason: `quotes expired, and the new ones are worse; the same command accepts them`,
      }
    : undefined
}

// the end

interface PayEnd {
  readonly refusal: Ending | undefined
  readonly stopped: Signal | undefined
  /** Some batches are submitted, by this run or an earlier one: then it does not end with the status that says none are. */
  readonly isPartlySubmitted: boolean
}

const conclude = (
  last: E.Either<PayFailure, PayEvent> | undefined,
  { refusal, stopped, isPartlySubmitted }: PayEnd,
): Ending => {
  if (last !== undefined && E.isLeft(last)) {
    const failure = last.left
    const isOfRun = 'run' in failure // its message says what to do: the same command ends like this again
    const message = isOfRun ? failure.message : withAdvice(failure)
    if ((isOfRun || isFinal(failure)) && !isPartlySubmitted) {
      return { status: EXIT_USAGE, reason: message }
    }
    return { status: EXIT_INCOMPLETE, reason: isOfRun ? message : `${message}; ${NEXT}` }
  }
  const report = reportOf(last)
  if (report === undefined) {
    return stopped === undefined ? { status: EXIT_INCOMPLETE, reason: NEXT } : stoppedBy(stopped)
  }
  if (report.isDeclined) return refusal ?? { status: EXIT_COMPLETE }
  if (report.unknown > 0) {
    const some = `the outcome of ${plural(report.unknown, 'payment')} is not shown yet`
    return { status: EXIT_INCOMPLETE, reason: `${some}; ${NEXT}` }
  }
  return { status: report.isPaid ? EXIT_COMPLETE : EXIT_NOT_ALL }
}

// watching

/** Counts the payments that are in batches, and says when their wait begins. */
const counted = (
  { say }: CommandRun,
  watch: Watch,
  client: Client,
): MonoTypeOperatorFunction<E.Either<PayFailure, PayEvent>> => {
  let total = 0
  let filled = 0
  let isWaiting = false
  const reached = (rows: number): void =>
    watch.count((counters) => {
      const most = Math.min(total, Math.max(rows, counters.rows))
      return { ...counters, rows: most, share: total === 0 ? 0 : most / total }
    })
  const adding = client.events.pipe(
    filter((event) => event._tag === 'Ended'),
    filter(({ endpoint, outcome }) => outcome === 'succeeded' && endpoint.endsWith('/add_items')),
    tap(() => reached(watch.counters().rows + ITEMS_PER_CALL)),
    ignoreElements(),
  )
  const count = (event: E.Either<PayFailure, PayEvent>): void => {
    if (E.isLeft(event)) return
    switch (event.right._tag) {
      case 'Checked':
        total = event.right.items
        watch.begin()
        return
      case 'Filled': // by an earlier run, perhaps
        filled += event.right.batch.total_item_count
        reached(filled)
        return
      case 'Submitted':
        if (!isWaiting) say('submitting what was approved, and waiting until it is booked')
        isWaiting = true
        return
      default:
    }
  }
  return (events) =>
    using(
      () => adding.subscribe(),
      () => events.pipe(tap(count)),
    )
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
  const outcome = isPaid ? 'complete' : unknown > 0 ? 'incomplete' : 'finished'
  return `${outcome}: ${[`${number(booked)} of ${plural(items, 'payment')} of ${run} booked`, ...rest].join(', ')}`
}

// discarding

export const performDiscard = (
  context: CommandContext,
  run: string,
  flags: PayFlags,
): Promise<void> =>
  runCommand(
    context,
    {},
    {
      run: (running) =>
        connected(running, flags).pipe(
          switchMap((connection) => {
            const client = exportClient(running.terminal, { exact: false, ...flags }, connection)
            return client.batchTransfers.discardRun({ run })
          }),
          map((answer): Ending => {
            if (E.isLeft(answer)) {
              const { left } = answer
              const message = 'run' in left ? left.message : withAdvice(left)
              return 'run' in left || isFinal(left)
                ? { status: EXIT_USAGE, reason: message }
                : { status: EXIT_INCOMPLETE, reason: `${message}; ${NEXT}` }
            }
            const { deleted, submitted } = answer.right
            const kept =
              submitted === 0 ? '' : `; ${number(submitted)} submitted before, which stay`
            const summary = `${run}: ${plural(deleted, 'draft')} deleted${kept}`
            return { status: EXIT_COMPLETE, summary }
          }),
        ),
    },
  )
