import { Command } from 'commander'
import { concat, defer, EMPTY, from, map, type Observable, of, switchMap, tap, toArray } from 'rxjs'
import { kyTransport } from '../../http/transport/kyTransport.js'
import { shareOption } from '../commonOptions.js'
import {
  addConnectionOptions,
  type ConnectionFlags,
  environmentFrom,
  openSandbox,
  sandboxOption,
} from '../connection.js'
import { type CommandContext, EXIT_COMPLETE, EXIT_INCOMPLETE, UsageError } from '../output.js'
import { type CommandRun, type Ending, runCommand } from '../runCommand.js'
import type { Terminal } from '../Terminal.js'
import { type CheckedConfiguration, checkConfiguration } from './configuration.js'
import { type Finding, failed, found, skipped } from './Finding.js'
import { checkNetwork } from './network.js'
import { checkService, skipService } from './service.js'

interface DoctorFlags extends ConnectionFlags {
  readonly share: number
  readonly sandbox?: boolean
  readonly json: boolean
}

const COLOURS = { failed: 'red', warning: 'yellow', ok: 'green', skipped: 'dim' } as const

const HELP = `
It logs in and reads a small page of charges a few times. It changes nothing.

Exit status:
  0  nothing failed
  1  something failed: its line says what to do
  2  wrong use`

/** `doctor`: finds what would keep an export from working. */
export const doctorCommand = (context: CommandContext): Command =>
  addConnectionOptions(
    new Command('doctor').description('Check settings, network, login, clock and limits.'),
  )
    .addOption(sandboxOption('start a sandbox on a free port, and check that'))
    .addOption(shareOption().default(1))
    .option('--json', 'print the findings as one JSON object', false)
    .addHelpText('after', HELP)
    .action((flags: DoctorFlags) => runCommand(context, {}, { run: (run) => doctor(run, flags) }))

const doctor = (
  { terminal, options, output: { print } }: CommandRun,
  { json, sandbox, share, ...flags }: DoctorFlags,
): Observable<Ending> =>
  configurationOf(terminal, flags, sandbox).pipe(
    switchMap((configuration) =>
      concat(checks(terminal, share, configuration), checkQueue(options)).pipe(
        tap((finding) => json || print(textOf(finding), COLOURS[finding.verdict])),
        toArray(),
      ),
    ),
    map((findings) => {
      const status = worst(findings)
      return {
        status: status === 'failed' ? EXIT_INCOMPLETE : EXIT_COMPLETE,
        ...(json ? { summary: JSON.stringify({ status, findings }, null, 2) } : {}),
      }
    }),
  )

/** Formats `ok       clock          0.1 s behind the service's`, with the advice on a line of its own. */
const textOf = ({ verdict, check, found: text, advice }: Finding): string => {
  const line = `${verdict.padEnd(8)} ${check.padEnd(14)} ${text}`
  return advice === undefined ? line : `${line}\n${' '.repeat(24)}${advice}`
}

const worst = (findings: ReadonlyArray<Finding>): 'failed' | 'warning' | 'ok' =>
  (['failed', 'warning'] as const).find((bad) => findings.some(({ verdict }) => verdict === bad)) ??
  'ok'

const configurationOf = (
  { env, timer }: Terminal,
  flags: ConnectionFlags,
  isSandbox = false,
): Observable<CheckedConfiguration> => {
  if (!isSandbox) return of(checkConfiguration(flags, env))
  const environment = environmentFrom(flags, env)
  return openSandbox({ environment, timer }).pipe(
    map((connection) => ({
      findings: [
        { check: 'configuration', ...found(`a sandbox with the limits of ${environment}`) },
        { check: 'base URL', ...found(connection.baseUrl) },
      ],
      connection,
    })),
  )
}

/** Checks the network where there is a base URL, and the service where the network and the settings are well. */
const checks = (
  { env, timer, timeout }: Terminal,
  share: number,
  { findings, connection }: CheckedConfiguration,
): Observable<Finding> => {
  if (connection === undefined) return from(findings)
  const isProxied = env.NODE_USE_ENV_PROXY === '1'
  let isReached = true
  const network = isProxied
    ? of({ check: 'connection', ...skipped('through a proxy, as NODE_USE_ENV_PROXY says') })
    : checkNetwork({ baseUrl: connection.baseUrl, timer, stepTimeout: timeout?.connect }).pipe(
        tap(({ verdict }) => {
          isReached &&= verdict !== 'failed'
        }),
      )
  const service = defer(() => {
    if (!isReached) return []
    if (worst(findings) === 'failed') {
      return skipService('not with these settings: see configuration')
    }
    const transport = kyTransport({ timer })
    return checkService({ ...connection, share, transport, timer, ...(timeout && { timeout }) })
  })
  return concat(findings, network, service)
}

/** Checks the Redis of `--queue`, where the environment names one. */
const checkQueue = (options: CommandRun['options']): Observable<Finding> =>
  options.env.PAYMENTS_QUEUE_URL
    ? defer(async () => {
        const { openQueue } = await import('../queue/openQueue.js') // or not, to start fast
        try {
          const queue = await openQueue({ ...options, url: true, isPlain: false })
          queue?.close()
          const text = `Redis at ${queue?.host} takes what --queue and worker need`
          return { check: 'queue', ...found(text) }
        } catch (error) {
          if (!(error instanceof UsageError)) throw error
          const advice = 'check PAYMENTS_QUEUE_URL, and the rights of its user'
          return { check: 'queue', ...failed(error.message, undefined, advice) }
        }
      })
    : EMPTY
