/** Exports a resource, from an account or from a sandbox. */

import { defer, finalize, type Observable, ReplaySubject, take } from 'rxjs'
import type { Client } from '../../client/createClient.js'
import { checkPaths } from '../../export/file/checkPaths.js'
import { pathsOf } from '../../export/file/paths.js'
import {
  type ExportEvent,
  type ExportSource,
  exportTo,
  isExportError,
  type SliceSource,
} from '../../export/index.js'
import { InvalidOption } from '../../options/index.js'
import type { SandboxOptions } from '../../sandbox/index.js'
import { isS3 } from '../../store/S3Location.js'
import {
  type Connection,
  environmentFrom,
  type SettingName,
  variableOf,
  withSandbox,
} from '../connection.js'
import { EXIT_COMPLETE, UsageError } from '../output.js'
import type { Signal, Terminal } from '../Terminal.js'
import { dryRun } from './dryRun.js'
import { exportClient } from './exportClient.js'
import { type ExportFlags, exportOptions, flagOf, outputOf } from './exportFlags.js'
import { performExport } from './performExport.js'
import { rejectedRows } from './rejectedRows.js'
import type { Resource, Simulated } from './resources.js'

/** Resolves with the exit status. Rejects with a `UsageError`, and with what can only be a bug. */
export const exportResource =
  <A, Flags, Filter extends object>(resource: Resource<A, Flags, Filter>) =>
  async (terminal: Terminal, flags: ExportFlags & Flags): Promise<number> => {
    if (flags.sandbox !== true) {
      if (flags.rows !== undefined) throw new UsageError('--rows goes with --sandbox')
      return exported(resource, terminal, flags, resource.connection(flags, terminal.env))
    }
    const options = {
      timer: terminal.timer,
      ...(flags.limits ? {} : { limits: false as const }),
      ...sandboxOptions(resource.simulated, flags.rows),
      environment: environmentFrom(flags, terminal.env),
    }
    const status = await withSandbox(options, (connection) =>
      exported(resource, terminal, flags, connection),
    )
    if (status === EXIT_COMPLETE && !flags.quiet && flags.progress !== 'json')
      terminal.stderr.write(nextStep(resource.name, resource.needed))
    return status
  }

const exported = async <A, Flags, Filter extends object>(
  resource: Resource<A, Flags, Filter>,
  terminal: Terminal,
  flags: ExportFlags & Flags,
  connection: Connection,
): Promise<number> => {
  const out = await outputOf(flags.out)
  if (flags.queue !== undefined) {
    const { exportOnQueue } = await import('../queue/exportOnQueue.js') // or not, to start fast
    const sliced = (client: Client) => slicedSource(resource.source(client, resource.filter(flags)))
    return exportOnQueue(terminal, { out, flags, connection, source: sliced })
  }
  if (flags.slices !== undefined) throw new UsageError('--slices goes with --queue')
  const { checkpoint, report } = flags
  const isStdout = out === '-'
  const isStream = isStdout || flags.inPlace
  if (flags.rejects !== undefined && !isStream) {
    throw new UsageError(
      '--rejects goes with --out - and --in-place: other outputs have it beside them',
    )
  }
  const client = exportClient(terminal, flags, connection)
  const source = resource.source(client, resource.filter(flags), flags.parallel)
  const rejected = rejectedRows(flags.rejects)
  let stopped: Signal | undefined
  const stop = new ReplaySubject<Signal>(1)
  const options = {
    ...exportOptions<A>(flags, out, terminal, stop, rejected.take),
    ...(resource.untilStable === true ? { untilStable: true } : {}),
  }
  const events = inFlags(() => exportTo(source, options))
  const file = isStream || isS3(out) ? undefined : out
  await checkPaths({ out: file, checkpoint, report }, flagOf).catch(refused)
  if (flags.dryRun) return dryRun(terminal, source, flags.parallel)
  return performExport(terminal, flags, {
    client,
    query: source.describe().query,
    title: `Export of ${resource.name}`,
    name: isStdout ? 'stdout' : out,
    rejectsName: isStream ? (flags.rejects ?? 'stderr') : pathsOf(out).rejects(1),
    rejected,
    canResume: !isStream,
    canAdd: source.since !== undefined,
    sinceLast: flags.sinceLast !== undefined,
    stopped: () => stopped,
    events: untilSignal(terminal.signals, stop, events, (signal) => {
      stopped = signal
    }),
  })
}

/** Only what is listed by time can be cut into slices. */
const slicedSource = <A>(source: ExportSource<A>): SliceSource<A> => {
  if (isSliceSource(source)) return source
  throw new UsageError('--queue goes with charges')
}

const isSliceSource = <A>(source: ExportSource<A>): source is SliceSource<A> =>
  'split' in source && 'within' in source

/**
 * Stops an export at the first signal. It is heard from the beginning to the end, also while nothing is read: an
 * unheard one ends the process, and leaves its lock. The second does.
 */
const untilSignal = (
  signals: Observable<Signal>,
  stop: ReplaySubject<Signal>,
  events: Observable<ExportEvent>,
  onSignal: (signal: Signal) => void,
): Observable<ExportEvent> =>
  defer(() => {
    const hearing = signals.pipe(take(1)).subscribe((signal) => {
      onSignal(signal)
      stop.next(signal)
    })
    return events.pipe(finalize(() => hearing.unsubscribe()))
  })

/** Says of a wrong option which flag it is. */
const inFlags = <T>(make: () => T): T => {
  try {
    return make()
  } catch (error) {
    if (!(error instanceof InvalidOption)) throw error
    throw new UsageError(`${flagOf(error.option)}${error.message.slice(error.option.length)}`)
  }
}

const refused = (error: unknown): never => {
  if (!isExportError(error) || error._tag !== 'UnusablePath') throw error
  const isPipe = error.option === 'out' && error.message.endsWith('and no file')
  throw new UsageError(`${error.message}${isPipe ? ': use --in-place, or --out - for stdout' : ''}`)
}

/** For users who have seen the sandbox. */
const nextStep = (name: string, needed: ReadonlyArray<SettingName>): string => {
  const variables = needed.map((setting) => variableOf(setting))
  const all = `${variables.slice(0, -1).join(', ')} and ${variables.at(-1)}`
  return `next: your ${all} in place of --sandbox; all options: npx payments-rx export ${name} --help\n`
}

const sandboxOptions = (
  simulated: Simulated | undefined,
  rows: number | undefined,
): SandboxOptions => (simulated === undefined ? {} : { [simulated.what]: rows ?? simulated.count })
