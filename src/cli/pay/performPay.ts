/** Runs `pay`: reads the file, shows the quote, and writes the outcomes. */
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
  type Observable,
  switchMap,
  takeUntil,
  tap,
  using,
} from 'rxjs'
import { batchTransfers } from '../../api/batchTransfers.js'
import type { Client } from '../../client/createClient.js'
import type { PaySummary, RunBatches } from '../../client/pay/PayOptions.js'
import type { QuoteValidity } from '../../codec/BatchTransfer.js'
import { ITEMS_PER_CALL, type NewBatchItem } from '../../codec/NewBatchItem.js'
import { E, withoutUndefined } from '../../fp.js'
import { duration, number, plural, shellWord } from '../../report/text.js'
import { disk } from '../../store/FileSystem.js'
import { accountLine } from '../accountLine.js'
import type { PaceFlags, SimulationFlags } from '../commonOptions.js'
import { type Connection, type ConnectionFlags, connect, connectionFrom } from '../connection.js'
import { exportClient } from '../export/exportClient.js'
import { type CommandContext, UsageError } from '../output.js'
import type { ViewFlags } from '../progress/ProgressView.js'
import { type CommandRun, type Ending, runCommand, type Watch } from '../runCommand.js'
import { conclude, type FileProblem, type PayStep, reportOf, verdict } from './ending.js'
import { boundFlags, convertedCurrency, type GateFlags, isUnbounded, refusalOf } from './gate.js'
import { type PayFileOptions, type PayFormat, rowsOf, type UnreadableRow } from './payFile.js'
import { readMap } from './payMap.js'
import { quoteTable } from './quoteTable.js'
import { Results } from './Results.js'
import { showSlips } from './slips.js'

export interface PayFlags
  extends ConnectionFlags,
    PaceFlags,
    ViewFlags,
    GateFlags,
    Pick<SimulationFlags, 'sandbox'> {
  readonly run?: string
  readonly withoutInvalid: boolean
  readonly allowEmpty: boolean
  readonly map?: string
  readonly format?: PayFormat
  readonly delimiter?: string
  readonly repeats?: number
  readonly name?: string
  readonly transferDate?: string
  readonly fundingSource?: string
  readonly validity?: QuoteValidity
  /** Time to wait, in ms. */
  readonly wait?: number
  readonly discard: boolean
  readonly template: boolean
}

interface PayTarget {
  readonly run: string
  readonly file: string
  readonly format: PayFormat
}

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
          running.output.print(accountLine(connection))
          const map = flags.map === undefined ? undefined : await readMap(flags.map)
          const base = { name: file, format, delimiter: flags.delimiter, run, map }
          if (file !== '-') return pay(running, { ...base, path: file }, file, flags, connection)
          return spooled(running, (path) =>
            pay(running, { ...base, name: 'stdin', path }, run, flags, connection),
          )
        }),
      ),
  })

/** Returns the connection given by flags, or a sandbox without charges. */
export const connected = ({ terminal }: CommandRun, flags: PayFlags): Observable<Connection> =>
  connect(terminal, flags, { connection: connectionFrom, simulated: { charges: 0 } })

/** Copies stdin to a private file, because the input is read more than once. Removes the file at the end. */
const spooled = async (
  { terminal: { stdin }, options: { stop } }: CommandRun,
  work: (path: string) => Promise<Ending>,
): Promise<Ending> => {
  const folder = await mkdtemp(join(tmpdir(), 'payments-rx-')) // only its owner can read it
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
  const results = new Results(terminal.files ?? disk, beside, file)
  await results.tryOut()
  const heldBack = await showSlips(running, client, file, flags)
  if (heldBack !== undefined) return heldBack
  let refusal: Ending | undefined
  let shown: PaySummary | undefined
  const approve = (summary: PaySummary): boolean => {
    refusal = refusalOf(summary, flags)
    return flags.yes && refusal === undefined
  }
  const show = (event: PayStep): void => {
    if (E.isLeft(event) || event.right._tag !== 'Quoted') return
    shown = event.right.summary
    running.tell({ type: 'quote', ...shown })
    for (const line of quoteTable(shown)) output.print(line)
  }
  let isSent = false
  let maySubmit = false
  const submitting = client.events
    .pipe(filter((event) => event._tag === 'Sent' && event.endpoint === SUBMIT))
    .subscribe(() => {
      maySubmit = true
    })
  let held: RunBatches | undefined
  const noteState = (event: PayStep): void => {
    if (E.isLeft(event)) return
    const { right: what } = event
    if (what._tag === 'Checked') isSent = true // requests are sent from here on
    if (what._tag === 'BatchesFound') held = what
  }
  const { name, transferDate, fundingSource, validity, wait, withoutInvalid, allowEmpty } = flags
  const batch = withoutUndefined({
    name,
    transfer_date: transferDate,
    funding_source: fundingSource === undefined ? undefined : { id: fundingSource },
  })
  const converted = new Set<string>()
  const items = async function* (): AsyncGenerator<
    E.Either<UnreadableRow | FileProblem, NewBatchItem>
  > {
    try {
      for await (const { item } of rowsOf(file)) {
        const currency = E.isRight(item) ? convertedCurrency(item.right) : undefined
        if (currency !== undefined) converted.add(currency)
        yield item
      }
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      yield E.left({ _tag: 'FileProblem', message: error.message })
    }
  }
  const events = client.batchTransfers
    .payAll({
      run,
      approve,
      batch,
      withoutInvalid,
      allowEmpty,
      ...withoutUndefined({ validity, limit: wait }),
    })(items)
    .pipe(
      takeUntil(options.stop),
      counted(running, watch, client),
      tap(results.note),
      tap(noteState),
      tap(show),
    )
  const last = await lastValueFrom(events, { defaultValue: undefined }).catch(
    async (error: unknown) => {
      await results.discard()
      throw error
    },
  )
  submitting.unsubscribe()
  const report = reportOf(last)
  const published = await results.publish()
  if (report?.isDeclined && shown !== undefined && (refusal === undefined || isUnbounded(flags))) {
    const what = shown.submittedBefore === 0 ? 'nothing submitted' : 'nothing more submitted'
    const bounds = boundFlags(shown, converted)
    output.print(`quoted, ${what}. To pay, run:\n${payingLine(file, flags, bounds)}`)
  }
  for (const line of published.lines) running.say(line)
  if (published.unwritten !== '') terminal.stderr.write(published.unwritten)
  const { requests, refused } = watch.counters()
  const effort = `${duration(watch.elapsed())}, ${plural(requests, 'request')}, ${number(refused)} refused`
  return {
    ...conclude({
      ...{ run, last, refusal, isSent, maySubmit, held, published },
      stopped: running.stopped(),
    }),
    summary: `${verdict(report)}${report?.isPaid && !maySubmit ? ', all of them submitted earlier' : ''}, ${effort}`,
  }
}

/** The only route with which a run submits payments. */
const SUBMIT = batchTransfers.submit.route

/** Returns the command line that pays the quote. It omits the API key, which is read from the environment. */
const payingLine = ({ name, run }: PayFileOptions, flags: PayFlags, bounds: string): string => {
  const options: ReadonlyArray<readonly [name: string, value: string | number | undefined]> = [
    ['env-file', flags.envFile],
    ['environment', flags.environment],
    ['base-url', flags.baseUrl],
    ['api-version', flags.apiVersion],
    ['client-id', flags.clientId],
    ['login-as', flags.loginAs],
    ['on-behalf-of', flags.onBehalfOf],
    ['map', flags.map],
    ['format', flags.format],
    ['delimiter', flags.delimiter === '\t' ? 'tab' : flags.delimiter],
    ['repeats', flags.repeats],
    ['name', flags.name],
    ['transfer-date', flags.transferDate],
    ['funding-source', flags.fundingSource],
    ['validity', flags.validity],
  ]
  return [
    `npx payments-rx pay ${shellWord(name === 'stdin' ? '-' : name)} --run ${run} --yes ${bounds}`,
    ...(flags.sandbox === true ? ['--sandbox'] : []),
    ...(flags.plainHttp === true ? ['--plain-http'] : []),
    ...options.flatMap(([option, value]) =>
      value === undefined ? [] : [`--${option} ${shellWord(String(value))}`],
    ),
    ...(flags.withoutInvalid ? ['--without-invalid'] : []),
    ...(flags.allowEmpty ? ['--allow-empty'] : []),
  ].join(' ')
}

// watching

/** Counts the payments in batches, and reports when it starts to wait for their outcome. */
const counted = (
  { say }: CommandRun,
  watch: Watch,
  client: Client,
): MonoTypeOperatorFunction<PayStep> => {
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
  const count = (event: PayStep): void => {
    if (E.isLeft(event)) return
    switch (event.right._tag) {
      case 'Checked':
        total = event.right.items
        watch.begin()
        return
      case 'Filled': // possibly by an earlier run
        filled += event.right.batch.total_item_count
        reached(filled)
        return
      case 'Submitted':
        if (!isWaiting) say('submitting the approved payments and waiting for them to be booked')
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
