/** `bench`: measures throughput, and what limits it. */

import { open, rm, stat } from 'node:fs/promises'
import { Argument, Command } from 'commander'
import { createLogUpdate } from 'log-update'
import { lastValueFrom, takeUntil, tap } from 'rxjs'
import type { BenchEvent, BenchFact, BenchOptions, BenchResult } from '../bench/index.js'
import { oneLine } from '../decode/redact.js'
import { fieldsOf } from '../decode/unknown.js'
import { E, withoutUndefined } from '../fp.js'
import { number, SECOND, truncate } from '../report/text.js'
import type { Guard } from '../scheduler/index.js'
import { isSystemError } from '../store/FileSystem.js'
import { parallelOption, shareOption } from './commonOptions.js'
import {
  addConnectionOptions,
  type ConnectionFlags,
  connectionFrom,
  environmentFrom,
  REQUIRED_SETTINGS,
  sandboxOption,
  variableOf,
} from './connection.js'
import { failureEnding } from './endings.js'
import { documented, GROUP, STOPPED, statuses } from './help.js'
import { guard, integer, nonEmpty, timeSpan, timeSpanFrom } from './optionParsers.js'
import {
  type CommandContext,
  EXIT_BY_SIGNAL,
  EXIT_COMPLETE,
  EXIT_INCOMPLETE,
  fitted,
  UsageError,
} from './output.js'
import { type CommandRun, type Ending, runCommand } from './runCommand.js'
import type { Terminal } from './Terminal.js'
import { whyMissing } from './whyUnread.js'

type WorkloadName = BenchResult['workload']

interface BenchFlags extends ConnectionFlags {
  readonly duration?: number
  readonly parallel?: number
  readonly pageSize?: number
  readonly share?: number
  readonly guard?: Guard
  readonly write: boolean
  readonly peers: boolean
  readonly against?: string
  readonly sandbox?: boolean
  readonly latency?: number
  readonly jitter?: number
  readonly rows?: number
  readonly json: boolean
  readonly report?: string
}

const WORKLOADS: ReadonlyArray<WorkloadName> = ['read', 'mixed', 'write', 'export']

const ABOUT = `
The workloads:
  read    reads pages of charges, up to the limit of one endpoint
  mixed   reads from eight endpoints, up to the global limit
  write   adds items to draft batches and deletes them; no money moves
  export  writes charges to a file and removes it

Without connection settings, bench starts a local sandbox and measures that.
With them, it measures the platform with your own account, within its rate
limits. The write workload requires --write and --environment test. bench uses
the whole quota while it runs; --share leaves some for others.

The program given by --against finds the sandbox in PAYMENTS_BASE_URL,
PAYMENTS_CLIENT_ID and PAYMENTS_API_KEY. It runs alone, and the sandbox counts
its requests. bench stops the program at the end.`

export const benchCommand = (context: CommandContext): Command =>
  documented(
    addConnectionOptions(
      new Command('bench')
        .description('Measure rows and requests per second, and what limits them.')
        .addArgument(
          new Argument('[workload]', 'workload to measure').choices(WORKLOADS).default('read'),
        )
        .option(
          '--duration <time>',
          'how long to measure, at least 2s [30s]',
          timeSpanFrom(2 * SECOND),
        )
        .option('--write', 'allow the write workload in your own test environment', false)
        .option(
          '--peers',
          'also measure a fetch loop, p-queue and bottleneck (takes up to 90 s in total)',
          false,
        )
        .option('--against <program>', 'also measure your own program', nonEmpty)
        .optionsGroup(GROUP.output)
        .option('--json', 'print the result as one JSON object', false)
        .option('--report <file>', 'write an HTML report', nonEmpty)
        .optionsGroup(GROUP.speed)
        .addOption(parallelOption())
        .option('--page-size <n>', 'rows per request, 10 to 2000 [2000]', integer(10, 2_000))
        .addOption(shareOption())
        .option(
          '--guard <how>',
          'margin for network jitter: learned, safe, or a time such as 50ms [learned]',
          guard,
        ),
    )
      .addOption(sandboxOption('start a local sandbox, even if connection settings are given'))
      .option('--latency <time>', 'response time of that sandbox [150ms]', timeSpan)
      .option('--jitter <time>', 'jitter of the response time [30ms]', timeSpan)
      .option('--rows <n>', 'number of charges in that sandbox [2000000]', integer(0, 2 ** 31)),
    {
      about: ABOUT,
      statuses: {
        ...statuses(0, 1, 2, 130),
        0: 'measured',
        1: 'the measurement failed: the last line says why',
        2: 'usage error, or a failure whose cause must be fixed first',
        130: STOPPED,
      },
      examples: [
        'payments-rx bench',
        'payments-rx bench read --parallel 8 --latency 490ms',
        'payments-rx bench --peers --against ./my-loop.mjs --report bench.html',
        'payments-rx bench --json > before.json',
      ],
    },
  ).action((workload: WorkloadName, flags: BenchFlags) =>
    runCommand(
      context,
      {},
      {
        run: (run) => measure(run, workload, flags),
        stopsInOrder: true,
      },
    ),
  )

const measure = async (
  { terminal, options: { stop }, stopped }: CommandRun,
  workload: WorkloadName,
  flags: BenchFlags,
): Promise<Ending> => {
  // loaded only here, for a fast start
  const [{ bench }, { benchPage }, { benchText }] = await Promise.all([
    import('../bench/index.js'),
    import('../bench/page.js'),
    import('../bench/text.js'),
  ])
  const { env, timer, version } = terminal
  const options = optionsOf(workload, flags, env)
  const events = bench({ ...options, timer })
  const report = flags.report === undefined ? undefined : await openReport(flags.report)
  const view = viewOf(terminal, options)
  const last = await lastValueFrom(events.pipe(tap(view.show), takeUntil(stop)), {
    defaultValue: undefined,
  }).finally(view.end)
  const signal = stopped()
  if (signal !== undefined) {
    await report?.discard()
    return { status: EXIT_BY_SIGNAL[signal] }
  }
  if (last === undefined || E.isLeft(last)) {
    await report?.discard()
    return last === undefined
      ? { status: EXIT_INCOMPLETE, reason: 'nothing was measured' }
      : failureEnding(last.left, { next: '' })
  }
  if (last.right._tag !== 'Measured') throw new Error('bench ended without a result')
  const { result } = last.right
  const summary = flags.json
    ? JSON.stringify({ ...result, version }, null, 2)
    : benchText(result).join('\n')
  const failure = await report?.write(benchPage(result, version))
  if (failure === undefined) return { status: EXIT_COMPLETE, summary }
  const reason = `cannot write ${flags.report}: ${failure.message}`
  return { status: EXIT_INCOMPLETE, summary, reason }
}

/**
 * Opens the file of a report before the run, because the run may use up the quota for some time. Existing content is kept until
 * there is a result. Rejects with a `UsageError`.
 */
const openReport = async (path: string) => {
  try {
    const isNew = await stat(path).then(
      () => false,
      () => true,
    )
    const file = await open(path, 'a')
    return {
      /** Writes the report. Resolves with the error if the system refuses to write it. */
      write: async (text: string): Promise<Error | undefined> => {
        try {
          if ((await file.stat()).isFile()) await file.truncate()
          await file.writeFile(text)
          await file.close()
          return undefined
        } catch (error) {
          if (isSystemError(error)) return error
          throw error
        }
      },
      /** Closes the file. Removes it if it is new. */
      discard: async (): Promise<void> => {
        await file.close()
        if (isNew) await rm(path, { force: true })
      },
    }
  } catch (error) {
    if (!isSystemError(error)) throw error
    throw new UsageError(`--report: cannot write ${path}: ${error.message}`)
  }
}

const optionsOf = (
  workload: WorkloadName,
  flags: BenchFlags,
  env: Terminal['env'],
): BenchOptions => {
  const { duration, parallel, pageSize, share, guard, write, peers, against } = flags
  const { sandbox, latency, jitter, rows } = flags
  const settings = withoutUndefined({ duration, parallel, pageSize, share, guard, against })
  if (sandbox !== true && isConnected(flags, env)) {
    for (const name of ['latency', 'jitter', 'rows'] as const) {
      if (flags[name] !== undefined) throw new UsageError(`--${name} requires --sandbox`)
    }
    const withSandbox = against === undefined ? (peers ? '--peers' : undefined) : '--against'
    if (withSandbox !== undefined) {
      throw new UsageError(
        `${withSandbox} would exceed the rate limits of the real account in your connection settings: add --sandbox`,
      )
    }
    return { workload, ...settings, write, peers, connection: connectionFrom(flags, env) }
  }
  // a name without a slash is a program on the PATH
  const missing =
    against !== undefined && /[\\/]|\.[cm]?[jt]s$/.test(against) && whyMissing(against)
  if (missing) throw new UsageError(`--against: ${missing}`)
  const environment = environmentFrom(flags, env)
  const simulated = withoutUndefined({ latency, jitter, charges: rows })
  return { workload, ...settings, write, peers, sandbox: { environment, ...simulated } }
}

/** Returns true if any connection setting is given. A missing one is then reported. */
const isConnected = (flags: BenchFlags, env: Terminal['env']): boolean =>
  flags.envFile !== undefined ||
  REQUIRED_SETTINGS.some(
    (name) => flagValue(flags, name) !== undefined || (env[variableOf(name)] ?? '') !== '',
  )

const flagValue = (flags: ConnectionFlags, name: string): unknown => fieldsOf(flags)[name]

// view

/** Shows a live line on a terminal. In a log, shows one line at the start of each part. */
const viewOf = ({ stderr, env }: Terminal, options: BenchOptions) => {
  const canRedraw = stderr.isTTY === true && env.TERM !== 'dumb' && stderr.columns !== 0
  const line = canRedraw ? createLogUpdate(stderr) : undefined
  const say = (text: string): void => {
    line?.clear()
    stderr.write(`${fitted(stderr, oneLine(text))}\n`)
  }
  const { connection, workload, duration = 30_000 } = options
  const service =
    connection === undefined
      ? 'an embedded sandbox'
      : `${connection.baseUrl}, within the limits of ${connection.environment}`
  say(`bench ${workload}: ${seconds(duration)} against ${service}`)
  return {
    show: (event: BenchEvent): void => {
      if (E.isLeft(event)) return
      const fact = event.right
      if (fact._tag === 'Measured') return
      if (line !== undefined) {
        line(truncate(progressLine(fact, duration), (stderr.columns ?? 80) - 1))
      } else if (fact._tag === 'PeerProgress' && fact.elapsed === 0) {
        say(`${fact.name}: ${seconds(fact.duration)}`)
      }
    },
    end: (): void => {
      line?.clear()
      line?.done()
    },
  }
}

type BenchProgress = Exclude<BenchFact, { readonly _tag: 'Measured' }>

const progressLine = (fact: BenchProgress, whole: number): string => {
  if (fact._tag === 'PeerProgress') {
    return `${seconds(fact.elapsed)} of ${seconds(fact.duration)}  ${fact.name}`
  }
  return [
    `${seconds(Math.min(fact.elapsed, whole))} of ${seconds(whole)}`,
    `${number(fact.rowsPerSecond)} rows/s`,
    `${fact.requestsPerSecond.toFixed(1)} requests/s`,
    `${number(fact.refused)} refused`,
    `${number(fact.width)} concurrent`,
  ].join('  ')
}

const seconds = (ms: number): string => `${Math.round(ms / 1_000)} s`
