/** Exports a resource, from an account or from a sandbox. */

import { firstValueFrom, map, switchMap } from 'rxjs'
import type { Client } from '../../client/createClient.js'
import { checkPaths } from '../../export/file/checkPaths.js'
import { pathsOf } from '../../export/file/paths.js'
import { type ExportSource, exportTo, isExportError, type SliceSource } from '../../export/index.js'
import { isS3 } from '../../store/S3Location.js'
import { type Connection, connect, flagOf, type SettingName, variableOf } from '../connection.js'
import { type CommandContext, EXIT_COMPLETE, UsageError } from '../output.js'
import { type CommandRun, type Ending, runCommand } from '../runCommand.js'
import { dryRun } from './dryRun.js'
import { exportClient } from './exportClient.js'
import { destinationOf, type ExportFlags, exportOptions } from './exportFlags.js'
import { performExport } from './performExport.js'
import { rejectedRows } from './rejectedRows.js'
import { type ExportableList, sandboxData } from './resources.js'

/** Runs an export. Rejects with a `UsageError`, and with what can only be a bug. */
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
  const out = await destinationOf(flags.out)
  if (flags.queue !== undefined) {
    const { exportOnQueue } = await import('../queue/exportOnQueue.js') // or not, to start fast
    const sliced = (client: Client) => slicedSource(resource.source(client, resource.filter(flags)))
    return exportOnQueue(run, { out, flags, connection, source: sliced })
  }
  if (flags.slices !== undefined) throw new UsageError('--slices goes with --queue')
  const { checkpoint, report } = flags
  const isStdout = out === '-'
  const isStream = isStdout || flags.inPlace
  if (flags.rejects !== undefined && !isStream) {
    throw new UsageError(
      '--rejects goes with --out - and --in-place: other destinations have it beside them',
    )
  }
  const client = exportClient(terminal, flags, connection)
  const source = resource.source(client, resource.filter(flags), flags.parallel)
  const rejected = rejectedRows(flags.rejects)
  const events = exportTo(source, {
    ...exportOptions<A>(flags, out, run, rejected.take),
    ...(resource.untilStable === true ? { untilStable: true } : {}),
  })
  const file = isStream || isS3(out) ? undefined : out
  await checkPaths({ out: file, checkpoint, report }, flagOf).catch(refused)
  if (flags.dryRun) return firstValueFrom(dryRun(source, flags.parallel))
  return performExport(run, flags, {
    client,
    events,
    query: source.describe().query,
    title: `Export of ${resource.name}`,
    name: isStdout ? 'stdout' : out,
    rejectsName: isStream ? (flags.rejects ?? 'stderr') : pathsOf(out).rejects(1),
    rejected,
    canResume: !isStream,
    canAdd: source.since !== undefined,
    sinceLast: flags.sinceLast !== undefined,
  })
}

/** Only what is listed by time can be cut into slices. */
const slicedSource = <A>(source: ExportSource<A>): SliceSource<A> => {
  if (isSliceSource(source)) return source
  throw new UsageError('--queue goes with charges')
}

const isSliceSource = <A>(source: ExportSource<A>): source is SliceSource<A> =>
  'split' in source && 'within' in source

const refused = (error: unknown): never => {
  if (!isExportError(error) || error._tag !== 'UnusablePath') throw error
  const isPipe = error.option === 'out' && error.message.endsWith('and no file')
  throw new UsageError(`${error.message}${isPipe ? ': use --in-place, or --out - for stdout' : ''}`)
}

/** For users who have seen the sandbox. */
const nextStep = (name: string, needed: ReadonlyArray<SettingName>): string => {
  const variables = needed.map((setting) => variableOf(setting))
  const all = `${variables.slice(0, -1).join(', ')} and ${variables.at(-1)}`
  return `next: your ${all} in place of --sandbox; all options: npx payments-rx export ${name} --help`
}
