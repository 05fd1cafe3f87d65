/** `sync`: brings a table up to date with a list, with one command that is run each night; or syncs all lists. */
import { Command } from 'commander'
import { concat, defer, from, map, type Observable, switchMap, toArray } from 'rxjs'
import { withoutUndefined } from '../../fp.js'
import { firstLines } from '../accountLine.js'
import { withSandbox as sandboxOptions, withPace, withView } from '../commonOptions.js'
import { type Connection, connect, connectionFrom } from '../connection.js'
import { dryRun } from '../endings.js'
import { exportClient } from '../export/exportClient.js'
import { batchTransfers, charges, type Simulated, sandboxData } from '../export/resources.js'
import { type Documentation, documented, statuses } from '../help.js'
import type { CommandContext } from '../output.js'
import { type CommandRun, type Ending, runCommand } from '../runCommand.js'
import { performSync } from './performSync.js'
import { flagsFor, readableLists, syncAll, withEveryOption, worse } from './syncAll.js'
import { type SyncFlags, withDestination, withPlace } from './syncFlags.js'
import { lists, type SyncedList } from './syncLists.js'

const PLACES = `
DEST is one of
  NAME.sqlite, NAME.db   a database, created if missing
  postgres://HOST/DB     an existing database; PGUSER and PGPASSWORD keep
                         user and password off the command line
  FOLDER/                files, created if missing
  s3://BUCKET/PREFIX/    objects; region, endpoint and credentials come from
                         the usual AWS settings (AWS_REGION, ...)
`

const STATUS = {
  ...statuses(0, 1, 2, 3, 130),
  0: 'done: DEST is complete up to the time in the last line',
  1: 'failed or incomplete, or row counts do not match: the last line says why;\nrerun the same command to continue',
}

const FORM = `${PLACES}The table is named after the list, or by --table. Files contain each row once,
in its latest version; _manifest.json lists them.
`

const CHARGES = `${FORM}
The first run reads everything, or, with --since, the charges created since then
and those that can still change. Each later run reads new charges and those that
may have changed. If a run was interrupted, the next one resumes it. All state
is kept in DEST: run the same command each night, on any machine.

Then sync checks that DEST is complete: it compares the number of charges with
the service's, in total and by final status, in eight time ranges, up to an hour
ago. Where the counts differ, it finds and re-reads the rows that differ. Rows
that no longer exist at the service are kept and marked in the column _gone_at.
Errors that cancel out within a time range do not change the counts. To find
them, --sweep also re-reads part of the rows in full. The last line gives the
time up to which the counts match.`

const documentationOf = ({ name, isTimed = false }: SyncedList): Documentation =>
  isTimed
    ? {
        about: CHARGES,
        statuses: STATUS,
        examples: [
          'payments-rx sync charges charges.sqlite --since 2026-01-01',
          'payments-rx sync charges charges.sqlite --dry-run',
          'payments-rx sync charges postgres://db.example/sales --table pay.charges',
          'payments-rx sync charges s3://bucket/charges/ --format parquet',
          'payments-rx sync charges charges.sqlite --patience forever --deadline 6h',
          'payments-rx sync charges trial.sqlite --sandbox --rows 10000',
        ],
      }
    : {
        about: `${FORM}
If a run was interrupted, the next one resumes it. All state is kept in DEST:
run the same command each night, on any machine.`,
        statuses: STATUS,
        examples: [
          `payments-rx sync ${name} payments.sqlite`,
          `payments-rx sync ${name} postgres://db.example/sales`,
          `payments-rx sync ${name} s3://bucket/files/ --format parquet`,
        ],
      }

const ALL: Documentation = {
  about: `${PLACES}A database has one table per list: charges, batch_transfers, batch_items,
webhooks and partner_api_webhooks. A folder or prefix has one folder per list:
charges/, batch-transfers/, batch-items/, webhooks/ and partner-webhooks/.

Lists without credentials are skipped and named on stderr. The exit status is
the worst of all lists, in the order 0, 3, 1, 2. --deadline limits all of them
together.`,
  statuses: STATUS,
  examples: [
    'payments-rx sync all payments.sqlite',
    'payments-rx sync all s3://bucket/payments/ --format parquet --deadline 6h',
    'payments-rx sync all trial/ --sandbox --rows 10000',
  ],
}

export const syncCommand = (context: CommandContext): Command =>
  lists
    .reduce(
      (all, list) => all.addCommand(commandOf(list, context)),
      new Command('sync').description('Keep a list up to date in a table, a folder or a bucket.'),
    )
    .addCommand(allCommand(context))

const commandOf = (list: SyncedList, context: CommandContext): Command =>
  documented(
    withCommon(
      withPlace(
        list.withOptions(new Command(list.name).description(list.description), () =>
          context.terminal.timer.now(),
        ),
      ),
      list.simulated,
    ),
    documentationOf(list),
  ).action((to: string, flags: SyncFlags) =>
    runCommand(context, flags, {
      stopsInOrder: !flags.dryRun,
      run: (run) =>
        connect(run.terminal, flags, {
          connection: list.connection,
          simulated: sandboxData(list.simulated, flags.rows),
        }).pipe(
          switchMap((connection) => {
            const first = firstLines(flags, connection)
            return flags.dryRun
              ? explained(list, run, flags, connection, first)
              : performSync(list, run, to, flags, connection, first)
          }),
        ),
    }),
  )

const allCommand = (context: CommandContext): Command =>
  documented(
    withCommon(
      withEveryOption(
        new Command('all').description(
          'Sync all lists, one after the other. Lists you have no credentials for are skipped.',
        ),
        () => context.terminal.timer.now(),
      ),
      charges.simulated,
    ),
    ALL,
  ).action((to: string, flags: SyncFlags) =>
    runCommand(context, flags, {
      stopsInOrder: !flags.dryRun,
      run: (run) =>
        sandboxFor(run, flags).pipe(
          switchMap((sandbox) =>
            flags.dryRun ? explainedAll(run, flags, sandbox) : syncAll(run, to, flags, sandbox),
          ),
        ),
    }),
  )

const withCommon = (command: Command, simulated: Simulated | undefined): Command =>
  sandboxOptions(withView(withPace(withDestination(command))), simulated)

/** Emits a connection to a sandbox that has data for every list; `undefined` without `--sandbox`. */
const sandboxFor = (
  { terminal }: CommandRun,
  flags: SyncFlags,
): Observable<Connection | undefined> =>
  flags.sandbox === true || flags.rows !== undefined
    ? connect(terminal, flags, {
        connection: connectionFrom,
        simulated: {
          ...sandboxData(charges.simulated, flags.rows),
          ...sandboxData(batchTransfers.simulated),
        },
      })
    : from([undefined])

// dry runs

const explained = (
  list: SyncedList,
  run: CommandRun,
  flags: SyncFlags,
  connection: Connection,
  first: ReadonlyArray<string> = [],
): Observable<Ending> =>
  defer(() => {
    const client = exportClient(run.terminal, { exact: false, ...flags }, connection)
    const { since, lookback, sweep } = flags
    const options = { ...withoutUndefined({ since, lookback, sweep }), timer: run.terminal.timer }
    return dryRun(list.explain(client, flags, options), run, first)
  })

const explainedAll = (
  run: CommandRun,
  flags: SyncFlags,
  sandbox: Connection | undefined,
): Observable<Ending> => {
  const { readable } = readableLists(run, flags, sandbox)
  return concat(
    ...readable.map(({ list, connection }) =>
      explained(list, run, flagsFor(list, flags), connection).pipe(
        map(({ status, summary, reason }) => ({
          status,
          text: `${list.name}\n${summary ?? `failed: ${reason}`}`.replaceAll('\n', '\n  '),
        })),
      ),
    ),
  ).pipe(
    toArray(),
    map((endings) => ({
      status: endings.map(({ status }) => status).reduce(worse),
      summary: endings.map(({ text }) => text).join('\n'),
    })),
  )
}
