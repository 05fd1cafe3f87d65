/** `follow`: what comes and changes, as lines of JSON, or kept in a table. */
import { Command, Option } from 'commander'
import { concatMap, EMPTY, from, type Observable, of, switchMap } from 'rxjs'
import { limits, unlimited } from '../api/limits.js'
import type { Changes } from '../changes/ChangesOptions.js'
import { type Client, createClient } from '../client/createClient.js'
import { type FollowOptions, follow } from '../export/index.js'
import type { Sweep } from '../export/sync/SyncOptions.js'
import { E, withoutUndefined } from '../fp.js'
import {
  dryRunOption,
  leaseOption,
  noLimitsOption,
  type SimulationFlags,
  withSandbox,
} from './commonOptions.js'
import {
  addConnectionOptions,
  type Connection,
  type ConnectionFlags,
  connect,
  connectionFrom,
  SANDBOX_ACCOUNT,
} from './connection.js'
import { exportClient } from './export/exportClient.js'
import { batchTransfers, charges, type Simulated, sandboxData } from './export/resources.js'
import { dryRunBatches, dryRunCharges } from './followDryRun.js'
import { followTable } from './followTable.js'
import { nonEmpty, nonNegativeInteger, patience, timeSpanFrom, timestamp } from './optionParsers.js'
import { type CommandContext, UsageError } from './output.js'
import { type CommandRun, type Ending, runCommand } from './runCommand.js'

interface FollowFlags extends ConnectionFlags, SimulationFlags {
  readonly every: number
  readonly since?: string
  readonly limits: boolean
  readonly dryRun: boolean
  // of a table
  readonly table?: string
  readonly prove?: string
  readonly sweep?: Sweep
  readonly maxRejects?: number
  readonly lease?: number
  readonly patience?: number
}

/** Flags that go with DEST. */
const OF_TABLE = ['table', 'prove', 'sweep', 'maxRejects', 'lease', 'patience'] as const

const HELP = `
Without DEST, each line is a JSON object:
  kind      added, or changed
  value     the row in its current state; states between polls are not emitted
  position  emitted: number of changes before; upTo: the time up to which all
            new rows were emitted, for --since of a later run
It begins with the rows that can still change.

DEST is a table with one row for each id, in its latest version:
  NAME.sqlite, NAME.db   a database, created if missing
  postgres://HOST/DB     an existing database; PGUSER and PGPASSWORD keep user
                         and password off the command line
It has the lease and the state of "payments-rx sync": one continues where the
other ended. Folders and buckets are kept by sync alone.

It runs until stopped. An outage is reported on stderr; polling continues.
`

const PROOF = `
Each day at --prove, the charges of DEST are proven: the service is asked how
many it has, in all, settled and failed, in eight stretches of time each, up to
an hour before. Where its counts differ from those of the table, follow finds
the rows that differ, and reads them again. Rows that the service no longer has
are marked in the column _gone_at, and stay. --sweep reads a part of the rows
whole, to find what counts cannot. The result is a line on stderr.
`

const STATUS = `
Exit status:
  1    DEST cannot be written, or the service failed at the start
  2    wrong use, or DEST cannot be used
  3    another run is writing to DEST, or has taken over
  130  stopped by Ctrl-C (143 by SIGTERM); the same command continues
  141  the reader of stdout went away

`

export const followCommand = (context: CommandContext): Command =>
  new Command('follow')
    .description(
      'Print rows that come or change as lines of JSON, or keep a table current, until stopped.',
    )
    .addCommand(followCharges(context))
    .addCommand(followBatches(context))

const followCharges = (context: CommandContext): Command =>
  withOptions(new Command('charges'), charges.simulated)
    .description('Follow charges.')
    .option(
      '--since <time>',
      'created at or after this time, such as 24h (ago) [now; with DEST: that of the first run; all]',
      timestamp('00:00:00', () => context.terminal.timer.now()),
    )
    .option('--prove <time>', 'DEST: time of day of the proof, in UTC [02:00]', nonEmpty)
    .addOption(
      new Option(
        '--sweep <how>',
        'DEST: read existing rows again: a thirtieth each day, all of them each day, or none [30d]',
      ).choices(['30d', 'now', 'off']),
    )
    .addHelpText(
      'after',
      `${HELP}${PROOF}${STATUS}Examples:
  payments-rx follow charges | jq -r '[.kind, .value.id, .value.status] | @tsv'
  payments-rx follow charges --since 2026-01-31 --every 1m
  payments-rx follow charges charges.sqlite
  payments-rx follow charges charges.sqlite --dry-run
  payments-rx follow charges postgres://db.example/finance --prove 01:30`,
    )
    .action((to: string | undefined, flags: FollowFlags) =>
      followed(context, to, flags, {
        simulated: charges.simulated,
        changesOf: ({ charges }) =>
          charges.changes({ every: flags.every, ...withoutUndefined({ since: flags.since }) }),
        tableOf: ({ charges }, options) => follow(charges, options),
        dryRun: (client, run) =>
          dryRunCharges(client, { ...flags, isTable: to !== undefined }, run),
      }),
    )

const followBatches = (context: CommandContext): Command =>
  withOptions(new Command('batch-transfers'), batchTransfers.simulated)
    .description('Follow batch transfers. Reads the whole list each time, in pages of 50.')
    .addHelpText(
      'after',
      `${HELP}${STATUS}Examples:
  payments-rx follow batch-transfers --every 1m
  payments-rx follow batch-transfers batches.sqlite --every 1m`,
    )
    .action((to: string | undefined, flags: FollowFlags) =>
      followed(context, to, flags, {
        note: 'the service lists batches only whole: each poll takes a request for 50 of them',
        simulated: batchTransfers.simulated,
        changesOf: ({ batchTransfers }) => batchTransfers.changes({ every: flags.every }),
        tableOf: ({ batchTransfers }, options) => follow(batchTransfers.list(), options),
        dryRun: (client) => dryRunBatches(client, flags),
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
      .addOption(
        new Option('--every <time>', 'time from one poll to the next')
          .argParser(timeSpanFrom(1))
          .default(10_000, '10s'),
      )
      .option('--table <name>', 'DEST: name of the table [name of the list]', nonEmpty)
      .option(
        '--max-rejects <n>',
        'DEST: stop when more rows than this cannot be written [1000]',
        nonNegativeInteger,
      )
      .addOption(leaseOption('DEST: '))
      .option(
        '--patience <time>',
        'DEST: how long to keep retrying a request while the service is failing: a time, or forever [1m]',
        patience,
      )
      .addOption(dryRunOption()),
    simulated,
    'start a sandbox on a free port, and follow it',
  ).addOption(noLimitsOption())

/** A list, and how it is followed. */
interface Followed {
  /** A line for stderr at the start. */
  readonly note?: string
  /** Size of the list in a sandbox that the command starts. */
  readonly simulated: Simulated | undefined
  readonly changesOf: (client: Client) => Changes<unknown>
  readonly tableOf: (client: Client, options: FollowOptions<unknown>) => ReturnType<typeof follow>
  readonly dryRun: (client: Client, run: CommandRun) => Promise<Ending>
}

const followed = (
  context: CommandContext,
  to: string | undefined,
  flags: FollowFlags,
  { note, simulated, changesOf, tableOf, dryRun }: Followed,
): Promise<void> => {
  const given = OF_TABLE.find((name) => flags[name] !== undefined)
  if (to === undefined && given !== undefined) {
    throw new UsageError(`--${given === 'maxRejects' ? 'max-rejects' : given} goes with DEST`)
  }
  return runCommand(context, withoutUndefined({ lease: flags.lease }), {
    stopsInOrder: to !== undefined && !flags.dryRun,
    run: (run) =>
      connect(run.terminal, flags, {
        connection: connectionFrom,
        simulated: sandboxData(simulated, flags.rows),
      }).pipe(
        switchMap((connection) => {
          if (flags.dryRun) return dryRun(clientOf(run, flags, connection), run)
          if (note !== undefined) run.say(note)
          return to === undefined
            ? print(run, changesOf(clientOf(run, flags, connection)))
            : keep(run, to, flags, connection, tableOf)
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
): Promise<Ending> => {
  const { every, table, since, prove, sweep, maxRejects, sandbox = false } = flags
  const { patience: seconds = 60, limits } = flags
  const settings = { exact: false, share: 1, patience: seconds, sandbox, limits }
  const client = exportClient(run.terminal, settings, connection)
  const { env: _, deadline: __, ...given } = run.options
  run.noteWaits(client)
  return followTable(run, (onReject) =>
    tableOf(client, {
      ...{ to, every, onReject },
      ...withoutUndefined({ table, since, prove, sweep, maxRejects }),
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

/** Prints changes until stdout takes no more. */
const print = ({ output }: CommandRun, changes: Changes<unknown>): Observable<Ending> =>
  changes
    .drain((event) => {
      if (E.isRight(event)) return from(output.writeRows(`${JSON.stringify(event.right)}\n`))
      output.complain(event.left.message)
      return EMPTY
    })
    .pipe(concatMap((status) => (status === undefined ? EMPTY : of({ status }))))
