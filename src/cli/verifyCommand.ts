/** `verify`: the files of an export against their manifest, or a copy of the charges against the service. */
import { Command } from 'commander'
import { map, type Observable, reduce, switchMap, tap } from 'rxjs'
import { oneLine } from '../decode/redact.js'
import { isExportError, type Proof, proveCopy, verify } from '../export/index.js'
import { tableKind } from '../export/sync/SyncOptions.js'
import { E, withoutUndefined } from '../fp.js'
import { plural } from '../report/text.js'
import {
  noLimitsOption,
  type PaceFlags,
  patienceOption,
  type SimulationFlags,
  withSandbox,
} from './commonOptions.js'
import {
  addConnectionOptions,
  type ConnectionFlags,
  connect,
  connectionFrom,
  SANDBOX_ACCOUNT,
} from './connection.js'
import { failureEnding } from './export/conclusion.js'
import { exportClient } from './export/exportClient.js'
import { charges, sandboxData } from './export/resources.js'
import { nonEmpty } from './optionParsers.js'
import {
  type CommandContext,
  EXIT_COMPLETE,
  EXIT_INCOMPLETE,
  type Output,
  UsageError,
} from './output.js'
import { differenceText, isProven, provenText } from './proofText.js'
import { type CommandRun, type Ending, runCommand } from './runCommand.js'

interface VerifyFlags
  extends ConnectionFlags,
    SimulationFlags,
    Pick<PaceFlags, 'limits' | 'patience'> {
  readonly againstService?: boolean
  readonly table?: string
}

const HELP = `
Without --against-service, each file is compared with the manifest. No request
is sent. With it, the service is asked how many charges it has, in all, settled
and failed, in eight stretches of time each, and these counts are compared with
those of the table or the files, up to the time that they claim to have reached.
Charges that were open in the copy and are final now are no difference. Nothing
is written; "payments-rx sync" finds the rows that differ, and reads them.

Exit status:
  0  every file has the size, hash and rows of the manifest; with
     --against-service: the service has as many charges
  1  a file differs, the export is incomplete, or counts differ: one line for
     each difference
  2  there is no manifest or table, or it cannot be read or counted

Examples:
  payments-rx verify charges.csv
  payments-rx verify charges.sqlite --against-service
  payments-rx verify postgres://db.example/finance --against-service
  payments-rx verify s3://bucket/charges/ --against-service`

/** Flags that are of no use to files alone. */
const OF_SERVICE = ['table', 'sandbox', 'rows'] as const

/** `verify`: checks the files of an export against its manifest, or counts a copy against the service. */
export const verifyCommand = (context: CommandContext): Command =>
  withSandbox(
    addConnectionOptions(
      new Command('verify')
        .description(
          'Check an export against its manifest, or a copy of the charges against the service.',
        )
        .argument(
          '<path>',
          'file, folder or manifest, also s3://BUCKET/...; with --against-service also NAME.sqlite, NAME.db or postgres://HOST/DATABASE',
          nonEmpty,
        )
        .option('--against-service', 'compare counts of charges with those of the service'),
    )
      .option('--table <name>', 'databases: the table [charges]', nonEmpty)
      .addOption(patienceOption()),
    charges.simulated,
    'count a sandbox on a free port, for a copy that was made with --sandbox',
  )
    .addOption(noLimitsOption())
    .addHelpText('after', HELP)
    .action((path: string, flags: VerifyFlags) =>
      runCommand(
        context,
        {},
        {
          run: (run) =>
            flags.againstService ? proveAt(run, path, flags) : verifyFiles(run, path, flags),
        },
      ),
    )

const proveAt = (run: CommandRun, path: string, flags: VerifyFlags): Observable<Ending> => {
  const { terminal, output } = run
  const { table, sandbox = false, rows, ...pace } = flags
  if (table !== undefined && tableKind(path) === undefined) {
    throw new UsageError('--table goes with databases')
  }
  const { timer, env } = terminal
  const simulated = sandboxData(charges.simulated, rows)
  return connect(terminal, flags, { connection: connectionFrom, simulated }).pipe(
    switchMap((connection) => {
      const settings = { exact: false, share: 1, sandbox, ...pace }
      const client = exportClient(terminal, settings, connection)
      run.noteWaits(client)
      const account = sandbox ? { account: SANDBOX_ACCOUNT } : {}
      return proveCopy(client.charges, {
        copy: path,
        env,
        timer,
        ...withoutUndefined({ table }),
        ...account,
      })
    }),
    map((proof) => {
      if (E.isRight(proof)) return endingOf(output, proof.right)
      const { left } = proof
      if (isExportError(left)) throw new UsageError(left.message)
      return failureEnding(left)
    }),
  )
}

const endingOf = ({ print }: Output, proof: Proof): Ending => {
  const { differences, uncountable } = proof
  for (const difference of differences) print(differenceText(difference))
  if (uncountable !== undefined) print(`the service cannot be counted: ${uncountable}`)
  return isProven(proof)
    ? { status: EXIT_COMPLETE, summary: provenText(proof) }
    : { status: EXIT_INCOMPLETE }
}

const verifyFiles = (
  { terminal: { env, timer }, output, say }: CommandRun,
  path: string,
  flags: VerifyFlags,
): Observable<Ending> => {
  const given = OF_SERVICE.find((name) => flags[name] !== undefined)
  if (given !== undefined) throw new UsageError(`--${given} goes with --against-service`)
  if (tableKind(path) !== undefined) {
    throw new UsageError('a database has no manifest: --against-service compares its counts')
  }
  return verify(path, { env, timer, onWait: say }).pipe(
    map((check) => {
      if (E.isLeft(check)) throw new UsageError(check.left.message)
      return check.right
    }),
    tap(({ path, differences }) => {
      for (const { message } of differences) output.print(oneLine(`${path}: ${message}`))
    }),
    reduce(
      // a run is listed under the name of its manifest, and is no file
      ({ files, wrong }, { isFile, differences }) => ({
        files: files + (isFile ? 1 : 0),
        wrong: wrong + differences.length,
      }),
      { files: 0, wrong: 0 },
    ),
    map(({ files, wrong }) =>
      wrong > 0
        ? { status: EXIT_INCOMPLETE }
        : { status: EXIT_COMPLETE, summary: `matches the manifest: ${plural(files, 'file')}` },
    ),
  )
}
