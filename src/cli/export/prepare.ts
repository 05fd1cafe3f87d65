/** An export, ready to be subscribed to, from what was said on the command line. */
import { type Observable, tap } from 'rxjs'
import type { Client } from '../../client/createClient.js'
import { type Purpose, pathsOf, type RunProgress, runExport, targetOf } from '../../export/index.js'
import { isThere, wholeDisk } from '../../export/run/SmallFiles.js'
import { defined } from '../../fp.js'
import type { AnyFailure } from '../../http/Failure.js'
import type { Page } from '../../stream/index.js'
import type { Signal, Terminal } from '../Terminal.js'
import { checkBegun } from './checkBegun.js'
import { clientFor } from './clientFor.js'
import type { Output } from './conclusion.js'
import type { ExportFlags } from './ExportFlags.js'
import { formatFor } from './formatFor.js'
import { outputPlan } from './outputPlan.js'
import { perSecond, widthOf } from './pace.js'
import type { Resource } from './Resource.js'
import { since } from './since.js'
import { stoppable } from './stoppable.js'
import { toStdout } from './toStdout.js'
import { type Connected, wantedOf } from './wantedOf.js'

// model

export interface Prepared extends Output {
  readonly client: Client
  readonly run: Observable<RunProgress>
  /** Which signal stopped it, if one did. */
  readonly stopped: () => Signal | undefined
  /** Whether what was written can be gone on with. */
  readonly canResume: boolean
  readonly query: Purpose['query']
  /** What it is called in a report. */
  readonly title: string
  /** To be said when it begins. */
  readonly notes: ReadonlyArray<string>
}

/** How often all that was read is made durable, in ms. */
const EVERY = 1_000
/** The same for Parquet. */
const ROW_GROUPS_EVERY = 10_000

// constructors

/** Throws a `WrongUse` or an `InvalidOption`; touches nothing. */
export const prepare =
  <A, Q, P extends Page<AnyFailure, A, Q>, Flags, Filter extends object>(
    resource: Resource<A, Q, P, Flags, Filter>,
  ) =>
  async (
    terminal: Terminal,
    flags: ExportFlags & Flags,
    connection: Connected,
  ): Promise<Prepared> => {
    const { timer } = terminal
    const plan = await outputPlan(flags)
    const paths = pathsOf(plan.out, flags.checkpoint)
    const format = formatFor(resource, plan)
    const { client, allowed, shown } = clientFor(terminal, flags, connection)
    const most = perSecond(allowed, flags.share)

    const wanted = wantedOf(resource.name, connection, flags)
    const asked = resource.filter(flags)
    const last =
      flags.sinceLast === undefined
        ? undefined
        : await since({
            plan,
            sinceLast: flags.sinceLast,
            ...defined({
              lookback: flags.lookback,
              checkpoint: flags.resume ? paths.checkpoint : undefined,
            }),
            purpose: wanted(asked),
            format,
            files: wholeDisk,
          })
    const filter = last?.from === undefined ? asked : (resource.since?.(last.from, asked) ?? asked)
    const purpose = wanted(filter)
    const goesOn = flags.resume && (await isThere(wholeDisk, paths.checkpoint))
    if (!goesOn) {
      checkBegun(last?.from === undefined ? '--from' : '--since-last', purpose.query, timer.now())
    }
    const requests = flags.parallel ?? widthOf(allowed, flags.share)
    const source = resource.source(client, filter, requests)

    let stopped: Signal | undefined
    const signals = terminal.signals.pipe(
      tap((signal) => {
        stopped = signal
      }),
    )
    // a commit ends a row group: they should not be small
    const every = plan.options.format === 'parquet' ? ROW_GROUPS_EVERY : EVERY
    const common = { maxRejects: flags.maxRejects, every, timer, shown }
    const target = targetOf<A>({
      out: plan.out,
      format,
      ...defined({ checkpoint: flags.checkpoint }),
      rotation: defined({ rows: flags.rotateRows, bytes: flags.rotateBytes }),
    })
    return {
      client,
      query: purpose.query,
      title: `Export of ${resource.name}`,
      notes: last === undefined ? [] : [last.note],
      name: plan.kind === 'stdout' ? 'stdout' : plan.out,
      rejectsName: plan.kind === 'stdout' ? 'stderr' : paths.rejects(1),
      canResume: plan.kind !== 'stdout',
      canAdd: resource.since !== undefined,
      stopped: () => stopped,
      run: stoppable(signals, (stop) =>
        plan.kind === 'stdout'
          ? toStdout(terminal, format, source, { ...common, stop })
          : runExport<A, Q, P>({
              ...common,
              stop,
              source,
              target,
              purpose,
              begin: flags.restart ? 'restart' : flags.resume ? 'resume' : 'new',
              adds: flags.sinceLast !== undefined,
              client,
              ...defined({ perSecond: Number.isFinite(most) ? most : undefined }),
              runner: terminal.runner,
            }),
      ),
    }
  }
