/** `follow`: prints new and changed rows as JSON lines, or keeps a table current. */
import { Command, Option } from 'commander'
import { concatMap, EMPTY, from, type Observable, of, switchMap } from 'rxjs'
import { limits, unlimited } from '../api/limits.js'
import type { Changes } from '../changes/ChangesOptions.js'
import { type Client, createClient } from '../client/createClient.js'
import { type ExplainOptions, explainSync, type FollowOptions, follow } from '../export/index.js'
import type { Sweep } from '../export/sync/SyncOptions.js'
import { E, withoutUndefined } from '../fp.js'
import { firstLines } from './accountLine.js'
import {
  allowGoneOption,
  dryRunOption,
  leaseOption,
  noLimitsOption,
  progressOption,
  quietOption,
  type SimulationFlags,
  withSandbox,
} from './commonOptions.js'
import {
  addConnectionOptions,
  type Connection,
  type ConnectionFlags,
  connect,
  connectionFrom,
  flagOf,
  SANDBOX_ACCOUNT,
} from './connection.js'
import { dryRun } from './endings.js'
import { exportClient } from './export/exportClient.js'
import { batchTransfers, charges, type Simulated, sandboxData } from './export/resources.js'
import { followTable } from './followTable.js'
import { documented, GROUP, statuses } from './help.js'
import { nonEmpty, nonNegativeInteger, patience, timeSpanFrom, timestamp } from './optionParsers.js'
import { type CommandContext, UsageError } from './output.js'
import type { ViewFlags } from './progress/ProgressView.js'
import { type CommandRun, type Ending, runCommand } from './runCommand.js'

interface FollowFlags extends ConnectionFlags, SimulationFlags, ViewFlags {
  readonly every: number
  readonly since?: string
  readonly limits: boolean
  readonly dryRun: boolean
  // following into a table
  readonly table?: string
  readonly prove?: string
  readonly sweep?: Sweep
  readonly maxRejects?: number
  readonly allowGone?: number
  readonly lease?: number
  readonly patience?: number
}

/** Flags that require DEST. */
const OF_TABLE = [
  ...(['table', 'prove', 'sweep', 'maxRejects', 'allowGone', 'lease', 'patience'] as const),
]

const ABOUT = `
Without DEST, each line is a JSON object:
  kind      added or changed
  value     the row in its current state; states between polls are skipped
  position  emitted: number of changes emitted before this one
            upTo: all new rows up to this time were emitted; pass it as
            --since to a later run
The output starts with the rows that can still change.

DEST is a table with one row per id, in its latest version:
  NAME.sqlite, NAME.db   a database, created if missing
  postgres://HOST/DB     an existing database; PGUSER and PGPASSWORD keep user
                         and password off the command line
follow and "payments-rx sync" share one lease and one state in DEST, so each
continues where the other stopped. Only sync can write to folders and buckets.

follow runs until stopped. It reports an outage on stderr and keeps polling.`

const PROOF = `
Each day at --prove, follow checks that DEST has all charges: it compares their
number with the service's, in total and by final status, in eight time ranges,
up to an hour ago. Where the counts differ, it finds and re-reads the rows that
differ. Rows that no longer exist at the service are kept and marked in the
column _gone_at. Some errors do not change the counts. To find them, --sweep
re-reads part of the rows in full. A line on stderr reports the result.`

const STATUS = {
  ...statuses(1, 2, 3, 130, 141),
  1: 'the service failed at the start, or writing to DEST failed; rerun the\nsame command to continue',
}

export const followCommand = (context: CommandContext): Command =>
  new Command('follow')
    .description(
      'Print new and changed rows as JSON lines, or keep a table up to date. Runs until stopped.',
    )
    .addCommand(followCharges(context))
    .addCommand(followBatches(context))

const followCharges = (context: CommandContext): Command =>
  documented(
    withOptions(new Command('charges'), charges.simulated)
      .description('Follow charges.')
      .optionsGroup(GROUP.filters)
      .option(
        '--since <time>',
        'created at or after, such as 24h (ago) [now; with DEST: everything; later runs default to the first run’s value]',
        timestamp('00:00:00', () => context.terminal.timer.now()),
      )
      .option(
        '--prove <time>',
        "DEST: when to compare its row counts with the service's each day, in UTC [02:00]",
        nonEmpty,
      )
      .addOption(
        new Option(
          '--sweep <how>',
          'DEST: re-read all rows: a thirtieth each day (30d), all at once (now), or never (off) [30d]',
        ).choices(['30d', 'now', 'off']),
      ),
    {
      about: `${ABOUT}\n${PROOF}`,
      statuses: STATUS,
      examples: [
        'payments-rx follow charges charges.sqlite',
        "payments-rx follow charges | jq -r '[.kind, .value.id, .value.status] | @tsv'",
        'payments-rx follow charges --since 2026-01-31 --every 1m',
        'payments-rx follow charges charges.sqlite --dry-run',
        'payments-rx follow charges postgres://db.example/finance --prove 01:30',
      ],
    },
  ).action((to: string | undefined, flags: FollowFlags) =>
    followed(context, to, flags, {
      simulated: charges.simulated,
      changesOf: ({ charges }) =>
        charges.changes({ every: flags.every, ...withoutUndefined({ since: flags.since }) }),
      tableOf: ({ charges }, options) => follow(charges, options),
      explain: ({ charges }, options) => explainSync(charges, options),
    }),
  )

const followBatches = (context: CommandContext): Command =>
  documented(
    withOptions(new Command('batch-transfers'), batchTransfers.simulated).description(
      'Follow batch transfers. Each poll reads the whole list, in pages of 50.',
    ),
    {
      about: ABOUT,
      statuses: STATUS,
      examples: [
        'payments-rx follow batch-transfers batches.sqlite --every 1m',
        'payments-rx follow batch-transfers --every 1m',
      ],
    },
  ).action((to: string | undefined, flags: FollowFlags) =>
    followed(context, to, flags, {
      note: 'each poll reads the whole list, with one request per 50 batches',
      simulated: batchTransfers.simulated,
      changesOf: ({ batchTransfers }) => batchTransfers.changes({ every: flags.every }),
      tableOf: ({ batchTransfers }, options) => follow(batchTransfers.list(), options),
      explain: ({ batchTransfers }, options) => explainSync(batchTransfers.list(), options),
    }),
  )

const withOptions = (command: Command, simulated: Simulated | undefined): Command =>
  withSandbox(
    addConnectionOptions(
      command.argument(
        '[dest]',
        'NAME.sqlite, NAME.db or postgres://HOST/DATABASE [stdout]',
        nonEmpty,
      ),
    )
      .optionsGroup(GROUP.output)
      .addOption(
        new Option('--every <time>', 'polling interval')
          .helpGroup(GROUP.speed)
          .argParser(timeSpanFrom(1))
          .default(10_000, '10s'),
      )
      .option('--table <name>', 'DEST: name of the table [name of the list]', nonEmpty)
      .option(
        '--max-rejects <n>',
        'DEST: stop when more rows than this are rejected [1000]',
        nonNegativeInteger,
      )
      .addOption(allowGoneOption('DEST: '))
      .addOption(leaseOption('DEST: '))
      .addOption(dryRunOption())
      .addOption(progressOption())
      .addOption(quietOption())
      .optionsGroup(GROUP.speed)
      .option(
        '--patience <time>',
        'DEST: how long to keep retrying while the service is failing (a duration or "forever") [1m]',
        patience,
      ),
    simulated,
    'start a local sandbox on a free port and follow it',
  ).addOption(noLimitsOption())

interface Followed {
  /** A line printed to stderr at the start. */
  readonly note?: string
  /** Size of the list in a sandbox that the command starts. */
  readonly simulated: Simulated | undefined
  readonly changesOf: (client: Client) => Changes<unknown>
  readonly tableOf: (client: Client, options: FollowOptions<unknown>) => ReturnType<typeof follow>
  readonly explain: (client: Client, options: ExplainOptions) => ReturnType<typeof explainSync>
}

const followed = (
  context: CommandContext,
  to: string | undefined,
  flags: FollowFlags,
  { note, simulated, changesOf, tableOf, explain }: Followed,
): Promise<void> => {
  const given = OF_TABLE.find((name) => flags[name] !== undefined)
  if (to === undefined && given !== undefined) {
    throw new UsageError(`${flagOf(given)} requires DEST`)
  }
  return runCommand(context, flags, {
    stopsInOrder: to !== undefined && !flags.dryRun,
    run: (run) =>
      connect(run.terminal, flags, {
        connection: connectionFrom,
        simulated: sandboxData(simulated, flags.rows),
      }).pipe(
        switchMap((connection) => {
          const first = [
            ...firstLines(flags, connection),
            ...(note === undefined || flags.dryRun ? [] : [note]),
          ]
          if (flags.dryRun) {
            const { every, since, sweep } = flags
            const of = to === undefined ? 'changes' : 'follow'
            const options = {
              of,
              every,
              timer: run.terminal.timer,
              ...withoutUndefined({ since, sweep }),
            } as const
            return dryRun(explain(clientOf(run, flags, connection), options), run, first)
          }
          return to === undefined
            ? print(run, clientOf(run, flags, connection), changesOf, first)
            : keep(run, to, flags, connection, tableOf, first)
        }),
      ),
  })
}

/** Keeps a table current. */
const keep = (
  run: CommandRun,
  to: string,
  flags: FollowFlags,
  connection: Connection,
  tableOf: Followed['tableOf'],
  first: ReadonlyArray<string>,
): Promise<Ending> => {
  const { every, table, since, prove, sweep, maxRejects, allowGone, sandbox = false } = flags
  const { patience: seconds = 60, limits } = flags
  const settings = { exact: false, share: 1, patience: seconds, sandbox, limits }
  const client = exportClient(run.terminal, settings, connection)
  const { env: _, deadline: __, ...given } = run.options
  return followTable(run, client, to, first, (onReject) =>
    tableOf(client, {
      ...{ to, every, onReject },
      ...withoutUndefined({ table, since, prove, sweep, maxRejects, allowGone }),
      ...(sandbox ? { account: SANDBOX_ACCOUNT } : {}),
      ...given,
    }),
  )
}

const clientOf = (
  { terminal: { timer, timeout } }: CommandRun,
  flags: FollowFlags,
  connection: Connection,
): Client =>
  createClient({
    ...connection,
    ...withoutUndefined({ timeout }),
    limits: flags.limits ? limits[connection.environment] : unlimited,
    timer,
  })

/** Prints changes until stdout is closed. On one terminal, a live line would mix with the rows. */
const print = (
  run: CommandRun,
  client: Client,
  changesOf: Followed['changesOf'],
  first: ReadonlyArray<string>,
): Observable<Ending> => {
  const watch = run.watch(client)
  first.forEach(run.say)
  const print = async (change: unknown): Promise<number | undefined> => {
    const status = await run.output.writeRows(`${JSON.stringify(change)}\n`)
    watch.count((counters) => ({ ...counters, rows: counters.rows + 1 }))
    return status
  }
  watch.count((counters) => ({ ...counters, ended: true }))
  if (run.terminal.stdout.isTTY !== true) watch.begin()
  return changesOf(client)
    .drain((event) => {
      if (E.isRight(event)) return from(print(event.right))
      run.say(event.left.message)
      return EMPTY
    })
    .pipe(concatMap((status) => (status === undefined ? EMPTY : of({ status }))))
}
