import { Command } from 'commander'
import { concat, defer, from, lastValueFrom, type Observable, of, tap, toArray } from 'rxjs'
import { kyTransport } from '../../http/transport/kyTransport.js'
import {
  addConnectionOptions,
  type Connection,
  type ConnectionFlags,
  environmentFrom,
  sandboxOption,
  withSandbox,
} from '../connection.js'
import { fraction } from '../optionParsers.js'
import { type CommandContext, EXIT_COMPLETE, EXIT_INCOMPLETE } from '../output.js'
import type { Terminal } from '../Terminal.js'
import { type CheckedConfiguration, checkConfiguration } from './configuration.js'
import { type Finding, findingText, ok, skipped, worst } from './Finding.js'
import { checkNetwork, nodeProbe } from './network.js'
import { checkService, skipService } from './service.js'

interface DoctorFlags extends ConnectionFlags {
  readonly share: number
  readonly sandbox?: boolean
  readonly json: boolean
}

interface DoctorContext extends Pick<CommandContext, 'output' | 'exit'> {
  readonly terminal: Pick<Terminal, 'env' | 'timer' | 'timeout'>
}

const HELP = `
It logs in and reads a small page of charges a few times. It changes nothing.

Exit status:
  0  nothing failed
  1  something failed: its line says what to do
  2  wrong use`

/** `doctor`: finds what would keep an export from working. */
export const doctorCommand = (context: DoctorContext): Command =>
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
    .action(async (flags: DoctorFlags) => context.exit(await doctor(context, flags)))

const doctor = async (context: DoctorContext, flags: DoctorFlags): Promise<number> => {
  const { json, sandbox, share, ...connecting } = flags
  const { env } = context.terminal
  if (sandbox !== true) {
    return report(context, json, checks(context, share, checkConfiguration(connecting, env)))
  }
  const environment = environmentFrom(flags, env)
  return withSandbox({ environment }, (connection) => {
    const findings = [
      ok('configuration', `a sandbox with the limits of ${environment}`),
      ok('base URL', connection.baseUrl),
    ]
    return report(context, json, checks(context, share, { findings, connection }))
  })
}

/** Prints findings as they come, or at the end as JSON; returns the exit status. */
const report = async (
  { output: { print } }: DoctorContext,
  json: boolean,
  checks: Observable<Finding>,
): Promise<number> => {
  const findings = await lastValueFrom(
    checks.pipe(
      tap((finding) => json || print(findingText(finding))),
      toArray(),
    ),
  )
  const status = worst(findings)
  if (json) print(JSON.stringify({ status, findings }, null, 2))
  return status === 'failed' ? EXIT_INCOMPLETE : EXIT_COMPLETE
}

/** Checks the network where there is a base URL, and the service where the network and the settings are well. */
const checks = (
  { terminal }: DoctorContext,
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

const networkOf = (
  { env, timer, timeout }: DoctorContext['terminal'],
  { baseUrl }: Connection,
): Observable<Finding> =>
  env.NODE_USE_ENV_PROXY === '1'
    ? of(skipped('connection', 'through a proxy, as NODE_USE_ENV_PROXY says'))
    : checkNetwork(
        { probe: nodeProbe, timer, ...(timeout && { stepTimeout: timeout.connect }) },
        baseUrl,
      )
