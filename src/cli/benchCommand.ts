/** `bench`: throughput, measured, and what bounds it. */

import { open, readFile, rm, stat } from 'node:fs/promises'
import { Argument, Command } from 'commander'
import { createLogUpdate } from 'log-update'
import { lastValueFrom, takeUntil, tap } from 'rxjs'
import type { BenchEvent, BenchFact, BenchOptions, BenchResult } from '../bench/index.js'
import { oneLine } from '../decode/redact.js'
import { fieldsOf, parsed } from '../decode/unknown.js'
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
  readonly compare?: string
}

const WORKLOADS: ReadonlyArray<WorkloadName> = ['read', 'mixed', 'write', 'export']

const HELP = `
  read    pages of charges, up to the limit of one endpoint
  mixed   reads of eight endpoints, up to the global limit
  write   adds items to draft batches and deletes them; no money moves
  export  writes charges to a file and removes it

Without a connection, it starts a sandbox and measures against that. With one,
it measures your own environment within its limits, and only reads, unless
--write is given and --environment is sandbox. It uses the whole quota
meanwhile; --share leaves some for others.

A program of --against finds the sandbox in PAYMENTS_BASE_URL, PAYMENTS_CLIENT_ID
and PAYMENTS_API_KEY. It runs alone, its requests are counted where they arrive,
and it is stopped at the end.

Exit status:
  0    measured
  1    it could not be measured: the last line says why
  2    wrong use: nothing was sent
  130  stopped by Ctrl-C (143 by SIGTERM)

Examples:
  payments-rx bench
  payments-rx bench read --parallel 8 --latency 490ms
  payments-rx bench --peers --against ./my-loop.mjs --report bench.html
  payments-rx bench --json > before.json
  payments-rx bench --compare before.json`

export const benchCommand = (context: CommandContext): Command =>
  addConnectionOptions(
    new Command('bench')
      .description('Measure rows and requests per second, and what limits them.')
      .addArgument(
        new Argument('[workload]', 'kind of requests').choices(WORKLOADS).default('read'),
      ),
  )
    .option('--duration <time>', 'duration, at least 2s [30s]', timeSpanFrom(2 * SECOND))
    .addOption(parallelOption())
    .option('--page-size <n>', 'rows per request, 10 to 2000 [2000]', integer(10, 2_000))
    .addOption(shareOption())
    .option(
      '--guard <how>',
      'margin for network jitter: learned, safe, or a time such as 50ms [learned]',
      guard,
    )
    .option('--write', 'allow the workload write in your own sandbox environment', false)
    .option(
      '--peers',
      'also measure a fetch loop, p-queue and bottleneck (up to 90 s in total)',
      false,
    )
    .option('--against <program>', 'also measure your own program', nonEmpty)
    .addOption(sandboxOption('start a sandbox, even if the variables name a platform'))
    .option('--latency <time>', 'response time of that sandbox [150ms]', timeSpan)
    .option('--jitter <time>', 'jitter of that response time [30ms]', timeSpan)
    .option('--rows <n>', 'number of charges in that sandbox [2000000]', integer(0, 2 ** 31))
    .option('--json', 'print the result as one JSON object', false)
    .option('--report <file>', 'write an HTML report', nonEmpty)
    .option('--compare <file>', 'compare with an earlier result of --json', nonEmpty)
    .addHelpText('after', HELP)
    .action((workload: WorkloadName, flags: BenchFlags) =>
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
  const [{ bench }, { comparableOf, compare }, { benchPage }, { benchText }] = await Promise.all([
    import('../bench/index.js'),
    import('../bench/compare.js'),
    import('../bench/page.js'),
    import('../bench/text.js'),
  ])
  const { env, timer, version } = terminal
  const text = flags.compare === undefined ? undefined : await textIn(flags.compare)
  const options = optionsOf(workload, flags, env)
  const before = text === undefined ? undefined : comparableOf(parsed(text), workload)
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
    return { status: EXIT_INCOMPLETE, reason: last?.left.message ?? 'nothing was measured' }
  }
  if (last.right._tag !== 'Measured') throw new Error('the last fact is no result')
  const { result } = last.right
  const changes = before === undefined ? [] : compare(before, result)
  const compared = before === undefined ? {} : { changes }
  const summary = flags.json
    ? JSON.stringify({ ...result, ...compared, version }, null, 2)
    : benchText(result, changes).join('\n')
  const failure = await report?.write(benchPage(result, changes, version))
  if (failure === undefined) return { status: EXIT_COMPLETE, summary }
  const reason = `cannot write ${flags.report}: ${failure.message}`
  return { status: EXIT_INCOMPLETE, summary, reason }
}

/**
 * Opens the file of a report before the run, which may use the quota for a while. Its contents stay until there is a
 * result. Rejects with a `UsageError`.
 */
const openReport = async (path: string) => {
  try {
    const isNew = await stat(path).then(
      () => false,
      () => true,
    )
    const file = await open(path, 'a')
    return {
      /** Resolves with the error, where the system refuses it. */
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
      /** Leaves no empty file behind. */
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
      if (flags[name] !== undefined) throw new UsageError(`--${name} goes with --sandbox`)
    }
    return { workload, ...settings, write, peers, connection: connectionFrom(flags, env) }
  }
  const environment = environmentFrom(flags, env)
  const simulated = withoutUndefined({ latency, jitter, charges: rows })
  return { workload, ...settings, write, peers, sandbox: { environment, ...simulated } }
}

/** True if any setting of a connection is given, so that a missing one is reported. */
const isConnected = (flags: BenchFlags, env: Terminal['env']): boolean =>
  REQUIRED_SETTINGS.some(
    (name) => flagValue(flags, name) !== undefined || (env[variableOf(name)] ?? '') !== '',
  )

const flagValue = (flags: ConnectionFlags, name: string): unknown => fieldsOf(flags)[name]

const textIn = async (path: string): Promise<string> => {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (!isSystemError(error)) throw error
    throw new UsageError(`--compare: cannot read ${path}: ${error.message}`)
  }
}

// what is shown

/** Shows a line that changes on a terminal; in a log, one line at the start of each part. */
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
      } else if (fact._tag === 'Contending' && fact.elapsed === 0) {
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
  if (fact._tag === 'Contending') {
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
