/** Exports a resource from an account or a sandbox. */

import { firstValueFrom, map, switchMap } from 'rxjs'
import { checkPaths } from '../../export/file/checkPaths.js'
import { pathsOf } from '../../export/file/paths.js'
import { explainExport, exportTo, isExportError } from '../../export/index.js'
import { filesOf } from '../../export/location/Location.js'
import { firstLines } from '../accountLine.js'
import { type Connection, connect, flagOf, type SettingName, variableOf } from '../connection.js'
import { dryRun } from '../endings.js'
import { type CommandContext, EXIT_COMPLETE, UsageError } from '../output.js'
import { type CommandRun, type Ending, runCommand } from '../runCommand.js'
import { exportClient } from './exportClient.js'
import { type ExportFlags, exportOptions, locationFrom } from './exportFlags.js'
import { performExport } from './performExport.js'
import { rejectedRows } from './rejectedRows.js'
import { type ExportableList, sandboxData } from './resources.js'

/** Runs an export. Rejects with a `UsageError`; any other error is a bug. */
export const exportResource =
  <A, Flags, Filter extends object>(resource: ExportableList<A, Flags, Filter>) =>
  (context: CommandContext, flags: ExportFlags & Flags): Promise<void> =>
    runCommand(context, flags, {
      stopsInOrder: !flags.dryRun,
      run: (run) =>
        connect(run.terminal, flags, {
          connection: resource.connection,
          simulated: sandboxData(resource.simulated, flags.rows),
        }).pipe(
          switchMap((connection) => exported(resource, run, flags, connection)),
          map((ending) =>
            ending.status === EXIT_COMPLETE && flags.sandbox === true
              ? { ...ending, hint: nextStep(resource.name, resource.needed) }
              : ending,
          ),
        ),
    })

const exported = async <A, Flags, Filter extends object>(
  resource: ExportableList<A, Flags, Filter>,
  run: CommandRun,
  flags: ExportFlags & Flags,
  connection: Connection,
): Promise<Ending> => {
  const { terminal } = run
  if (flags.out === undefined && !flags.dryRun && terminal.stdout.isTTY === true) {
    throw new UsageError(
      'rows would flood this terminal: use --out FILE to write a file, or --out - to print them',
    )
  }
  const at = await locationFrom(flags)
  const files = at.kind === 'stdout' || flags.inPlace ? undefined : at
  const isStream = files === undefined
  if (flags.rejects !== undefined && !isStream) {
    throw new UsageError(
      '--rejects requires --out - or --in-place: otherwise, rejected rows go to a file next to the output',
    )
  }
  const client = exportClient(terminal, flags, connection)
  const filter = resource.filter(flags)
  const source = resource.source(client, filter, flags.parallel)
  const rejected = rejectedRows(flags.rejects)
  const events = exportTo(source, {
    ...exportOptions<A>(flags, at, run, rejected.take),
    ...(resource.untilStable === true ? { untilStable: true } : {}),
  })
  const first = firstLines(flags, connection)
  const checkpoint = flags.checkpoint === undefined ? undefined : filesOf(flags.checkpoint)
  await checkPaths({ out: files, checkpoint }, flagOf).catch(refused)
  if (flags.dryRun) return firstValueFrom(dryRun(explainExport(source), run, first))
  return performExport(run, flags, {
    client,
    events,
    first,
    filter,
    ...{ files, name: at.name },
    rejectsName: isStream ? (flags.rejects ?? 'stderr') : pathsOf(files).rejects(1),
    rejected,
    canResume: !isStream,
  })
}

const refused = (error: unknown): never => {
  if (!isExportError(error) || error._tag !== 'UnusablePath') throw error
  const isPipe = error.option === 'out' && error.message.endsWith('not a file')
  throw new UsageError(`${error.message}${isPipe ? ': use --in-place, or --out - for stdout' : ''}`)
}

/** Returns the next step for users who have tried out the sandbox. */
const nextStep = (name: string, needed: ReadonlyArray<SettingName>): string => {
  const variables = needed.map((setting) => variableOf(setting))
  const all = `${variables.slice(0, -1).join(', ')} and ${variables.at(-1)}`
  return `next: set your own ${all}, and drop --sandbox; for all options, run: npx payments-rx export ${name} --help`
}
