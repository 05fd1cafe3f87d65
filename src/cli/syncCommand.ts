/** `sync`: a list kept up to date in a table, by the same command each night. */
import { Command, Option } from 'commander'
import { lastValueFrom, switchMap, tap } from 'rxjs'
import type { Client } from '../client/createClient.js'
import {
  isExportError,
  type SyncEvent,
  type SyncOptions,
  type SyncProgress,
  sync,
} from '../export/index.js'
import { destinationName, type Sweep } from '../export/sync/SyncOptions.js'
import { defined, E } from '../fp.js'
import { duration, number, plural } from '../report/text.js'
import {
  addConnectionOptions,
  addPartnerOptions,
  type Connection,
  type ConnectionFlags,
  connect,
  connectionFrom,
  type PartnerFlags,
  partnerConnectionFrom,
  SANDBOX_ACCOUNT,
} from './connection.js'
import { isFinal, withAdvice } from './export/conclusion.js'
import { exportClient } from './export/exportClient.js'
import { withSandbox as sandboxOptions, withPace, withView } from './export/exportCommand.js'
import type { ExportFlags } from './export/exportFlags.js'
import { rejectedRows, rejectsIn } from './export/rejectedRows.js'
import { batchTransfers, charges, type Simulated, sandboxData } from './export/resources.js'
import { unremovedEnd, unremovedNotes } from './export/unremoved.js'
import { integer, nonEmpty, nonNegativeInteger, timeSpan, timestamp } from './optionParsers.js'
import {
  type CommandContext,
  EXIT_BY_SIGNAL,
  EXIT_COMPLETE,
  EXIT_INCOMPLETE,
  EXIT_LOCKED,
  EXIT_USAGE,
} from './output.js'
import { countProgress, type ExportCounters } from './progress/ExportCounters.js'
import { isProven, provenText, whyNotProven } from './proofText.js'
import { type CommandRun, type Ending, runCommand } from './runCommand.js'
import type { Signal, Terminal } from './Terminal.js'

// model

interface SyncFlags
  extends ConnectionFlags,
    PartnerFlags,
    Pick<
      ExportFlags,
      | 'progress'
      | 'quiet'
      | 'limits'
      | 'share'
      | 'guard'
      | 'patience'
      | 'parallel'
      | 'sandbox'
      | 'rows'
    > {
  readonly table?: string
  readonly format?: 'ndjson' | 'parquet'
  readonly adopt?: boolean
  readonly since?: string
  /** In ms. */
  readonly lookback?: number
  readonly sweep?: Sweep
  readonly maxRejects?: number
  /** In ms. */
  readonly deadline?: number
  /** In ms. */
  readonly lease?: number
  readonly batch?: string
  readonly pageSize?: number
}

/** A list that can be synced. */
interface SyncedList {
  readonly name: string
  readonly description: string
  readonly withOptions: (command: Command) => Command
  readonly connection: (flags: SyncFlags, env: Terminal['env']) => Connection
  readonly simulated?: Simulated | undefined
  readonly start: (
    client: Client,
    flags: SyncFlags,
    options: SyncOptions,
  ) => ReturnType<typeof sync>
}

// lists

const account = { withOptions: addConnectionOptions, connection: connectionFrom }

const lists: ReadonlyArray<SyncedList> = [
  {
    ...account,
    name: 'charges',
    description: 'New and changed charges.',
    simulated: charges.simulated,
    withOptions: (command) =>
      addConnectionOptions(command)
        .option(
          '--since <time>',
          'created at or after this time [that of the first run; all]',
          timestamp('00:00:00'),
        )
        .option('--lookback <time>', 'how far back charges may have changed [7d]', timeSpan)
        .addOption(
          new Option(
            '--sweep <how>',
            'read existing rows again: a thirtieth each night, all of them now, or none [30d]',
          ).choices(['30d', 'now', 'off']),
        )
        .option(
          '--parallel <n>',
          'concurrent requests [auto: enough to use the full rate limit]',
          integer(1, 100),
        )
        .option('--page-size <n>', 'rows per request, 10 to 2000', integer(10, 2_000), 2_000),
    start: ({ charges }, { pageSize = 2_000 }, options) =>
      sync(
        {
          snapshot: (filter) => charges.snapshot({ page_size: pageSize, ...filter }),
          ledger: charges.ledger,
        },
        options,
      ),
  },
  {
    ...account,
    name: 'batch-transfers',
    description: 'Batches of transfers, replaced completely.',
    simulated: batchTransfers.simulated,
    start: (client, _, options) => sync(client.batchTransfers.list(), options),
  },
  {
    ...account,
    name: 'batch-items',
    description: 'Items of one batch of transfers, replaced completely.',
    simulated: batchTransfers.simulated,
    withOptions: (command) =>
      addConnectionOptions(command).requiredOption('--batch <id>', 'id of the batch', nonEmpty),
    start: (client, { batch = '' }, options) =>
      sync(client.batchTransfers.items({ id: batch }), options),
  },
  {
    ...account,
    name: 'webhooks',
    description: 'Webhooks, without their secrets, replaced completely.',
    start: (client, _, options) => sync(client.webhooks.list(), options),
  },
  {
    withOptions: addPartnerOptions,
    connection: partnerConnectionFrom,
    name: 'partner-webhooks',
    description: 'Webhooks of a partner’s application, without their secrets, replaced completely.',
    start: (client, _, options) =>
      sync(client.partnerWebhooks.list(), { ...options, untilStable: true }),
  },
]

const HELP = `
DEST is one of
  NAME.sqlite, NAME.db   a database, created if missing
  postgres://HOST/DB     an existing database; PGUSER and PGPASSWORD keep
                         user and password off the command line
  FOLDER/                files, created if missing
  s3://BUCKET/PREFIX/    objects; region, endpoint and credentials are read
                         like in the AWS tools (AWS_REGION, ...)
The table has the name of the list, or that of --table. Files have each row
once, in its latest version; _manifest.json lists them.

The first run reads everything, or everything created since --since. Each later
run resumes an interrupted one, and reads what is new or may have changed. All
state is kept in DEST: run the same command each night, on any machine.

Charges are then proven: the service is asked how many it has, in all, settled
and failed, in eight stretches of time each, up to an hour before. Where its
counts differ from those of DEST, the difference is searched for, and read. Rows
that the service no longer has are marked in the column _gone_at, and stay.
--sweep reads a part of the rows whole, to find what counts cannot: opposite
errors in one stretch. The last line says up to when DEST is proven complete.

Exit status:
  0    complete: DEST is up to the time that the last line says
  1    incomplete or not proven: the last line says why; the same command
       continues
  2    wrong use, or DEST cannot be used: nothing was changed
  3    another run is writing to DEST
  130  stopped by Ctrl-C (143 by SIGTERM); the same command continues

Examples:
  payments-rx sync charges charges.sqlite --since 2026-01-01
  payments-rx sync charges postgres://db.example/sales --table pay.charges
  payments-rx sync charges s3://bucket/charges/ --format parquet
  payments-rx sync charges charges.sqlite --patience forever --deadline 6h
  payments-rx sync charges trial.sqlite --sandbox --rows 10000`

/** `sync`: a list, kept up to date at a destination. */
export const syncCommand = (context: CommandContext): Command =>
  lists.reduce(
    (all, list) => all.addCommand(commandOf(list, context)),
    new Command('sync').description('Keep a list up to date in a table, a folder or a bucket.'),
  )

const commandOf = (list: SyncedList, context: CommandContext): Command =>
  sandboxOptions(
    withView(
      withPace(
        list
          .withOptions(new Command(list.name).description(list.description))
          .argument(
            '<dest>',
            'NAME.sqlite, NAME.db, postgres://HOST/DATABASE, FOLDER/ or s3://BUCKET/PREFIX/',
            nonEmpty,
          )
          .option('--table <name>', 'databases: name of the table [name of the list]', nonEmpty)
          .addOption(
            new Option('--format <name>', 'folders and buckets: file format [ndjson]').choices([
              'ndjson',
              'parquet',
            ]),
          )
          .option(
            '--adopt',
            'folders and buckets: take over the output of export --since-last or of an earlier version; keep only the latest version of each row',
          )
          .option(
            '--max-rejects <n>',
            'stop when more rows than this cannot be written [1000]',
            nonNegativeInteger,
          )
          .option('--lease <time>', 'how long the lease lasts without renewal [15s]', timeSpan)
          .option(
            '--deadline <time>',
            'stop after this time; the same command continues [never]',
            timeSpan,
          ),
      ),
    ),
    list.simulated,
  )
    .addHelpText('after', HELP)
    .action((to: string, flags: SyncFlags) =>
      runCommand(context, flags, {
        stopsInOrder: true,
        run: (run) =>
          connect(run.terminal, flags, {
            connection: list.connection,
            simulated: sandboxData(list.simulated, flags.rows),
          }).pipe(switchMap((connection) => perform(list, run, to, flags, connection))),
      }),
    )

// running

const perform = async (
  list: SyncedList,
  run: CommandRun,
  to: string,
  flags: SyncFlags,
  connection: Connection,
): Promise<Ending> => {
  const client = exportClient(run.terminal, { exact: false, ...flags }, connection)
  const { table, format, adopt, since, lookback, sweep, maxRejects, parallel, sandbox } = flags
  const rejected = rejectedRows()
  const events = list.start(client, flags, {
    to,
    ...run.options,
    ...defined({ table, format, adopt, since, lookback, sweep, maxRejects, parallel }),
    ...(sandbox === true ? { account: SANDBOX_ACCOUNT } : {}),
    onReject: rejected.take,
  })
  const watch = run.watch(client)
  const noting = rejected.notes.subscribe(run.say)
  let progress: SyncProgress | undefined
  const note = tap((event: SyncEvent) => {
    if (E.isLeft(event)) return
    progress = event.right
    const { begun, waiting } = progress
    if (waiting !== undefined) run.say(waitNote(waiting))
    watch.count(countProgress(progress))
    if (begun === undefined) return
    run.say(beginning(begun))
    watch.begin()
  })
  const event = await lastValueFrom(events.pipe(note)).finally(() => noting.unsubscribe())
  await rejected.close()
  for (const note of [...rereadNotes(progress), ...unremovedNotes(progress)]) run.say(note)
  const rejectsName = rejectsIn(to, table ?? list.name.replaceAll('-', '_'))
  return {
    ...conclusion(event, progress, run.stopped(), rejectsName),
    summary: summary(destinationName(to), watch.counters(), watch.elapsed(), progress),
  }
}

// what is said

const waitNote = ({ ms }: Required<SyncProgress>['waiting']): string =>
  `another run has it, or was killed: waiting up to ${duration(ms)} to take over`

const beginning = ({ resumed, from, doubted }: Required<SyncProgress>['begun']): string => {
  const since = from === undefined ? 'everything is read' : `since ${from}`
  const why =
    doubted === undefined ? '' : ` (a clock of the last run was ahead: it said ${doubted})`
  const what = `${since}${why}`
  return resumed ? `goes on with a run that did not come to its end: ${what}` : what
}

const rereadNotes = ({ rereads }: Partial<SyncProgress> = {}): ReadonlyArray<string> => {
  if (rereads === undefined || rereads.done + rereads.gone === 0) return []
  const { done, gone } = rereads
  const without = gone === 0 ? '' : `; the service has ${number(gone)} no more`
  return [`${plural(done, 'charge')} listed as open, or read since they have left${without}`]
}

const summary = (
  to: string,
  { rows, requests, refused, rejects }: ExportCounters,
  ms: number,
  progress: SyncProgress | undefined,
): string =>
  [
    outcome(progress, rejects),
    `${plural(rows, 'row')} written to ${to}`,
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

const NEXT = 'the same command goes on'

/** Returns the exit status, and why. */
const conclusion = (
  event: SyncEvent,
  progress: SyncProgress | undefined,
  stopped: Signal | undefined,
  rejectsName: string,
): { readonly status: number; readonly reason?: string } => {
  if (E.isRight(event)) {
    if (stopped !== undefined && !event.right.ended) {
      return { status: EXIT_BY_SIGNAL[stopped], reason: `stopped by ${stopped}; ${NEXT}` }
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
      : { status: EXIT_BY_SIGNAL[stopped], reason: `stopped by ${stopped}; ${NEXT}` }
  }
  const isUsage = isExportError(left)
    ? USAGE.includes(left._tag)
    : isFinal(left) && (progress?.pages ?? 0) === 0
  const why = isExportError(left) ? left.message : withAdvice(left)
  return isUsage
    ? { status: EXIT_USAGE, reason: why }
    : { status: EXIT_INCOMPLETE, reason: `${why}; ${NEXT}` }
}

/** Errors that stay until something is done about them. */
const USAGE: ReadonlyArray<string> = [
  'UnusableDestination',
  'UnusablePath',
  'SpecMismatch',
  'ChecksumMismatch',
  'Damaged',
  'NewerVersion',
]
