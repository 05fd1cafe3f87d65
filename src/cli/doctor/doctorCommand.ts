import { Command } from 'commander'
import { concat, defer, EMPTY, from, map, type Observable, of, switchMap, tap, toArray } from 'rxjs'
import { kyTransport } from '../../http/transport/kyTransport.js'
import {
  addConnectionOptions,
  type Connection,
  type ConnectionFlags,
  environmentFrom,
  openSandbox,
  sandboxOption,
} from '../connection.js'
import { fraction } from '../optionParsers.js'
import { type CommandContext, EXIT_COMPLETE, EXIT_INCOMPLETE, UsageError } from '../output.js'
import { type CommandRun, type Ending, runCommand } from '../runCommand.js'
import type { Terminal } from '../Terminal.js'
import { type CheckedConfiguration, checkConfiguration } from './configuration.js'
import { type Finding, failed, findingText, ok, skipped, worst } from './Finding.js'
import { checkNetwork, nodeProbe } from './network.js'
import { checkService, skipService } from './service.js'

interface DoctorFlags extends ConnectionFlags {
  readonly share: number
  readonly sandbox?: boolean
  readonly json: boolean
}

const COLOURS = { ok: 'green', warning: 'yellow', failed: 'red', skipped: 'dim' } as const

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
    .option(
      '--share <part>',
      'share of the rate limits to use, if others use the account, too',
      fraction,
      1,
    )
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
        tap((finding) => json || print(findingText(finding), COLOURS[finding.verdict])),
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
        ok('configuration', `a sandbox with the limits of ${environment}`),
        ok('base URL', connection.baseUrl),
      ],
      connection,
    })),
  )
}

/** Checks the network where there is a base URL, and the service where the network and the settings are well. */
const checks = (
  terminal: Terminal,
  share: number,
  { findings, connection }: CheckedConfiguration,
): Observable<Finding> => {
  if (connection === undefined) return from(findings)
  let isReached = true
  const network = networkOf(terminal, connection).pipe(
    tap(({ verdict }) => {
      isReached &&= verdict !== 'failed'
    }),
  )
  const service = defer(() => {
    if (!isReached) return []
    if (worst(findings) === 'failed') {
      return skipService('not with these settings: see configuration')
    }
    const { timer, timeout } = terminal
    const transport = kyTransport({ timer })
    return checkService({ connection, share, transport, timer, ...(timeout && { timeout }) })
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
          return ok('queue', `Redis at ${queue?.host} takes what --queue and worker need`)
        } catch (error) {
          if (!(error instanceof UsageError)) throw error
          return failed('queue', error.message, {
            advice: 'check PAYMENTS_QUEUE_URL, and the rights of its user',
          })
        }
      })
    : EMPTY

const networkOf = (
  { env, timer, timeout }: Terminal,
  { baseUrl }: Connection,
): Observable<Finding> =>
  env.NODE_USE_ENV_PROXY === '1'
    ? of(skipped('connection', 'through a proxy, as NODE_USE_ENV_PROXY says'))
    : checkNetwork(
        { probe: nodeProbe, timer, ...(timeout && { stepTimeout: timeout.connect }) },
        baseUrl,
      )
