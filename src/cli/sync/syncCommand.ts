/** `sync`: a list kept up to date in a table, by the same command each night; or all lists. */
import { Command } from 'commander'
import { concat, defer, from, map, type Observable, switchMap, toArray } from 'rxjs'
import { withSandbox as sandboxOptions, withPace, withReport, withView } from '../commonOptions.js'
import { type Connection, connect, connectionFrom } from '../connection.js'
import { exportClient } from '../export/exportClient.js'
import { batchTransfers, charges, type Simulated, sandboxData } from '../export/resources.js'
import type { CommandContext } from '../output.js'
import { type CommandRun, type Ending, runCommand } from '../runCommand.js'
import { performSync } from './performSync.js'
import { flagsFor, readableLists, skippedText, syncAll, withEveryOption, worse } from './syncAll.js'
import { type SyncFlags, withDestination, withPlace } from './syncFlags.js'
import { lists, type SyncedList } from './syncLists.js'

const PLACES = `
DEST is one of
  NAME.sqlite, NAME.db   a database, created if missing
  postgres://HOST/DB     an existing database; PGUSER and PGPASSWORD keep
                         user and password off the command line
  FOLDER/                files, created if missing
  s3://BUCKET/PREFIX/    objects; region, endpoint and credentials are read
                         like in the AWS tools (AWS_REGION, ...)
`

const STATUS = `
Exit status:
  0    complete: DEST is up to the time that the last line says
  1    incomplete or not proven: the last line says why; the same command
       continues
  2    wrong use, or a refusal of DEST that needs action: the last line says
       what to do; rows written so far are kept
  3    another run is writing to DEST
  130  stopped by Ctrl-C (143 by SIGTERM); the same command continues
`

const FORM = `${PLACES}The table has the name of the list, or that of --table. Files have each row
once, in its latest version; _manifest.json lists them.
`

const CHARGES_HELP = `${FORM}
The first run reads everything; with --since, charges created since then, and
those that can still change. Each later run resumes an interrupted one, and
reads new charges and those that may have changed. All state is kept in DEST:
run the same command each night, on any machine.

Charges are then proven: the service is asked how many it has, in all, settled
and failed, in eight stretches of time each, up to an hour before. Where its
counts differ from those of DEST, sync finds the rows that differ, and reads
them again. Rows that the service no longer has are marked in the column
_gone_at, and stay. --sweep reads a part of the rows whole, to find what counts
cannot: opposite errors in one stretch. The last line says up to when DEST is
proven complete.
${STATUS}
Examples:
  payments-rx sync charges charges.sqlite --since 2026-01-01
  payments-rx sync charges charges.sqlite --dry-run
  payments-rx sync charges postgres://db.example/sales --table pay.charges
  payments-rx sync charges s3://bucket/charges/ --format parquet
  payments-rx sync charges charges.sqlite --patience forever --deadline 6h
  payments-rx sync charges trial.sqlite --sandbox --rows 10000`

const helpOf = ({ name, isTimed = false }: SyncedList): string =>
  isTimed
    ? CHARGES_HELP
    : `${FORM}
Each run resumes an interrupted one. All state is kept in DEST: run the same
command each night, on any machine.
${STATUS}
Examples:
  payments-rx sync ${name} payments.sqlite
  payments-rx sync ${name} postgres://db.example/sales
  payments-rx sync ${name} s3://bucket/${name}/ --format parquet`

const HELP_ALL = `${PLACES}A database has a table for each list: charges, batch_transfers, batch_items,
webhooks and partner_api_webhooks. A folder or prefix has a folder for each:
charges/, batch-transfers/, batch-items/, webhooks/ and partner-webhooks/.

Lists whose credentials are missing are skipped; stderr says which. The exit
status is the worst of all lists: 0, 3, 1, then 2. --deadline limits all of
them together.
${STATUS}
Examples:
  payments-rx sync all payments.sqlite
  payments-rx sync all s3://bucket/payments/ --format parquet --deadline 6h
  payments-rx sync all trial/ --sandbox --rows 10000`

/** `sync`: lists, kept up to date at a destination. */
export const syncCommand = (context: CommandContext): Command =>
  lists
    .reduce(
      (all, list) => all.addCommand(commandOf(list, context)),
      new Command('sync').description('Keep a list up to date in a table, a folder or a bucket.'),
    )
    .addCommand(allCommand(context))

const commandOf = (list: SyncedList, context: CommandContext): Command =>
  withCommon(
    withReport(
      withPlace(
        list.withOptions(new Command(list.name).description(list.description), () =>
          context.terminal.timer.now(),
        ),
      ),
    ),
    list.simulated,
  )
    .addHelpText('after', helpOf(list))
    .action((to: string, flags: SyncFlags) =>
      runCommand(context, flags, {
        stopsInOrder: !flags.dryRun,
        run: (run) =>
          connect(run.terminal, flags, {
            connection: list.connection,
            simulated: sandboxData(list.simulated, flags.rows),
          }).pipe(
            switchMap((connection) =>
              flags.dryRun
                ? explained(list, run, flags, connection)
                : performSync(list, run, to, flags, connection),
            ),
          ),
      }),
    )

const allCommand = (context: CommandContext): Command =>
  withCommon(
    withEveryOption(
      new Command('all').description(
        'Every list, one after the other; those without credentials are skipped.',
      ),
      () => context.terminal.timer.now(),
    ),
    charges.simulated,
  )
    .addHelpText('after', HELP_ALL)
    .action((to: string, flags: SyncFlags) =>
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

/** Emits the connection to a sandbox with data of every list; undefined without `--sandbox`. */
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
): Observable<Ending> =>
  defer(() => {
    const client = exportClient(run.terminal, { exact: false, ...flags }, connection)
    return list.dryRun(client, flags, run)
  })

const explainedAll = (
  run: CommandRun,
  flags: SyncFlags,
  sandbox: Connection | undefined,
): Observable<Ending> => {
  const { readable, skipped } = readableLists(run, flags, sandbox)
  for (const note of skipped) run.say(skippedText(note))
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
