import { Command } from 'commander'
import { concat, defer, from, map, type Observable, of, switchMap, tap, toArray } from 'rxjs'
import { kyTransport } from '../../http/transport/kyTransport.js'
import { accountLine } from '../accountLine.js'
import { shareOption } from '../commonOptions.js'
import {
  addConnectionOptions,
  type ConnectionFlags,
  environmentFrom,
  openSandbox,
  sandboxOption,
} from '../connection.js'
import { documented, GROUP, STOPPED, statuses } from '../help.js'
import { type CommandContext, EXIT_COMPLETE, EXIT_INCOMPLETE } from '../output.js'
import { type CommandRun, type Ending, runCommand } from '../runCommand.js'
import type { Terminal } from '../Terminal.js'
import { type CheckedConfiguration, checkConfiguration } from './configuration.js'
import { type Finding, found, skipped } from './Finding.js'
import { checkNetwork } from './network.js'
import { checkService, skipService } from './service.js'

interface DoctorFlags extends ConnectionFlags {
  readonly share: number
  readonly sandbox?: boolean
  readonly json: boolean
}

const COLOURS = { failed: 'red', warning: 'yellow', ok: 'green', skipped: 'dim' } as const

/** `doctor`: finds problems that would prevent an export. */
export const doctorCommand = (context: CommandContext): Command =>
  documented(
    addConnectionOptions(
      new Command('doctor')
        .description('Check settings, network, login, clock and limits.')
        .optionsGroup(GROUP.output)
        .option('--json', 'print the findings as one JSON object', false),
    )
      .addOption(sandboxOption('start a local sandbox on a free port and check it'))
      .addOption(shareOption().default(1)),
    {
      about: 'Logs in and reads a small page of charges a few times. Changes nothing.',
      statuses: {
        ...statuses(0, 1, 2, 130),
        0: 'no check failed',
        1: 'a check failed: its line says what to do',
        2: 'usage error: nothing was checked',
        130: STOPPED,
      },
      examples: ['payments-rx doctor', 'payments-rx doctor --json'],
    },
  ).action((flags: DoctorFlags) => runCommand(context, {}, { run: (run) => doctor(run, flags) }))

const doctor = (
  { terminal, output: { print } }: CommandRun,
  { json, sandbox, share, ...flags }: DoctorFlags,
): Observable<Ending> =>
  configurationOf(terminal, flags, sandbox).pipe(
    switchMap((configuration) => {
      const { connection } = configuration
      const account = connection && accountLine(connection)
      if (account !== undefined && !json) print(account)
      return checks(terminal, share, configuration).pipe(
        tap((finding) => json || print(textOf(finding), COLOURS[finding.verdict])),
        toArray(),
        map((findings) => {
          const status = worst(findings)
          return {
            status: status === 'failed' ? EXIT_INCOMPLETE : EXIT_COMPLETE,
            ...(json ? { summary: JSON.stringify({ account, status, findings }, null, 2) } : {}),
          }
        }),
      )
    }),
  )

/** Formats a finding as `ok       clock          0.1 s behind the service's`, with advice on a separate line. */
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
        { check: 'configuration', ...found(`a local sandbox with the limits of ${environment}`) },
        { check: 'base URL', ...found(connection.baseUrl) },
      ],
      connection,
    })),
  )
}

/** Checks the network if there is a base URL, and the service if the settings and the network are fine. */
const checks = (
  { env, timer, timeout }: Terminal,
  share: number,
  { findings, connection }: CheckedConfiguration,
): Observable<Finding> => {
  if (connection === undefined) return from(findings)
  const isProxied = env.NODE_USE_ENV_PROXY === '1'
  let isReached = true
  const network = isProxied
    ? of({ check: 'connection', ...skipped('through a proxy (NODE_USE_ENV_PROXY)') })
    : checkNetwork({ baseUrl: connection.baseUrl, timer, stepTimeout: timeout?.connect }).pipe(
        tap(({ verdict }) => {
          isReached &&= verdict !== 'failed'
        }),
      )
  const service = defer(() => {
    if (!isReached) return []
    if (worst(findings) === 'failed') {
      return skipService('cannot be checked with these settings: see configuration')
    }
    const transport = kyTransport({ timer })
    return checkService({ ...connection, share, transport, timer, ...(timeout && { timeout }) })
  })
  return concat(findings, network, service)
}
