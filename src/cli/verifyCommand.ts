/** `verify`: compares the files of an export with their manifest, or a copy of the charges with the service. */
import { Command } from 'commander'
import { map, type Observable, reduce, switchMap, tap } from 'rxjs'
import { oneLine } from '../decode/redact.js'
import { type Proof, proveCopy, verify } from '../export/index.js'
import { COPIES, locationOf } from '../export/location/Location.js'
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
import { failureEnding } from './endings.js'
import { exportClient } from './export/exportClient.js'
import { charges, sandboxData } from './export/resources.js'
import { documented, STOPPED, statuses } from './help.js'
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
import { whyMissing } from './whyUnread.js'

interface VerifyFlags
  extends ConnectionFlags,
    SimulationFlags,
    Pick<PaceFlags, 'limits' | 'patience'> {
  readonly againstService?: boolean
  readonly table?: string
}

const ABOUT = `
Without --against-service, verify compares each file with the manifest and sends
no request. With it, verify compares the number of charges with the service's,
in total and by final status, in eight time ranges, up to the time recorded in
the table or the manifest. Charges that were open in the copy and have since
settled or failed do not count as differences. verify writes nothing;
"payments-rx sync" finds and re-reads the rows that differ.`

/** Flags that do not apply if only files are compared. */
const OF_SERVICE = ['table', 'sandbox', 'rows'] as const

export const verifyCommand = (context: CommandContext): Command =>
  documented(
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
          .option('--against-service', "compare the number of charges with the service's")
          .option('--table <name>', 'databases: name of the table [charges]', nonEmpty),
      ).addOption(patienceOption()),
      charges.simulated,
      'compare with a local sandbox on a free port (for a copy made with --sandbox)',
    ).addOption(noLimitsOption()),
    {
      about: ABOUT,
      statuses: {
        ...statuses(0, 1, 2, 130),
        0: `every file matches the size, hash and rows in the manifest; with
--against-service: the counts are equal`,
        1: `a file differs, the export is incomplete, or counts differ: one line per
difference`,
        130: STOPPED,
      },
      examples: [
        'payments-rx verify charges.csv',
        'payments-rx verify charges.sqlite --against-service',
        'payments-rx verify postgres://db.example/finance --against-service',
        'payments-rx verify s3://bucket/charges/ --against-service',
      ],
    },
  ).action((path: string, flags: VerifyFlags) =>
    runCommand(
      context,
      {},
      {
        run: (run) =>
          flags.againstService ? proveAt(run, path, flags) : verifyFiles(run, path, flags),
      },
    ),
  )

const isTable = (path: string): boolean =>
  ['sqlite', 'postgres'].includes(locationOf('PATH', path, COPIES).kind)

const proveAt = (run: CommandRun, path: string, flags: VerifyFlags): Observable<Ending> => {
  const { terminal, output } = run
  const { table, sandbox = false, rows, ...pace } = flags
  if (table !== undefined && !isTable(path)) {
    throw new UsageError('--table is only for databases')
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
    map(
      E.match(
        (failure): Ending => failureEnding(failure, { next: '' }),
        (proof) => endingOf(output, proof),
      ),
    ),
  )
}

const endingOf = ({ print }: Output, proof: Proof): Ending => {
  const { differences, uncountable } = proof
  for (const difference of differences) print(differenceText(difference))
  if (uncountable !== undefined) print(`cannot count the rows at the service: ${uncountable}`)
  return isProven(proof)
    ? { status: EXIT_COMPLETE, summary: provenText(proof) }
    : { status: EXIT_INCOMPLETE, ...(differences.length > 0 && { reason: DIFFERENT }) }
}

/** Advice for a copy whose counts differ from the service's. */
const DIFFERENT =
  'the copy differs from the service: rerun the sync that keeps it, or the export with --restart'

const verifyFiles = (
  { terminal: { env, timer }, output, say }: CommandRun,
  path: string,
  flags: VerifyFlags,
): Observable<Ending> => {
  const given = OF_SERVICE.find((name) => flags[name] !== undefined)
  if (given !== undefined) throw new UsageError(`--${given} requires --against-service`)
  if (isTable(path)) {
    throw new UsageError('a database has no manifest: use --against-service to compare counts')
  }
  return verify(path, { env, timer, onWait: say }).pipe(
    map((check) => {
      if (E.isRight(check)) return check.right
      const isOnDisk = ['file', 'folder'].includes(locationOf('PATH', path, COPIES).kind)
      const missing = check.left._tag === 'NoManifest' && isOnDisk ? whyMissing(path) : undefined
      throw missing === undefined ? check.left : new UsageError(missing)
    }),
    tap(({ path, differences }) => {
      for (const { message } of differences) output.print(oneLine(`${path}: ${message}`))
    }),
    reduce(
      // a run is listed under the name of its manifest, and is not a file
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
