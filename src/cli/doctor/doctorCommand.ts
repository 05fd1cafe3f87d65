import { Command } from 'commander'
import { concat, defer, EMPTY, from, lastValueFrom, type Observable, of, tap, toArray } from 'rxjs'
import { kyTransport } from '../../http/transport/kyTransport.js'
import {
  addConnectionOptions,
  type Connection,
  type ConnectionFlags,
  environmentFrom,
} from '../connection.js'
import { fraction } from '../optionParsers.js'
import type { Printer } from '../output.js'
import { EXIT_COMPLETE, EXIT_INCOMPLETE, type Terminal } from '../Terminal.js'
import { sandboxOption, withSandbox } from '../withSandbox.js'
import { type CheckedConfiguration, checkConfiguration } from './configuration.js'
import { type Finding, findingText, ok, skipped, worst } from './Finding.js'
import { networkProbe } from './NetworkProbe.js'
import { checkNetwork } from './network.js'
import { checkService, skipService } from './service.js'

interface DoctorFlags extends ConnectionFlags {
  readonly share: number
  readonly sandbox?: boolean
  readonly json: boolean
}

const HELP = `
It logs in and reads a small page of charges a few times; nothing is changed.

Exit status:
  0  nothing failed
  1  something failed: its line says what to do
  2  wrong use`

/** What it sees of the outside. */
interface Outside extends Pick<Terminal, 'env' | 'timer' | 'timeout'> {
  readonly stdout: Printer
}

/** `doctor`: what would keep an export from working. */
export const doctorCommand = (terminal: Outside, done: (status: number) => void): Command =>
  addConnectionOptions(
    new Command('doctor').description('Check settings, network, login, clock and limits.'),
  )
    .addOption(sandboxOption('start a sandbox on a free port, and check that'))
    .option('--share <part>', 'of the limits to use, for those who share an account', fraction, 1)
    .option('--json', 'what was found as one JSON object', false)
    .addHelpText('after', HELP)
    .action(async (flags: DoctorFlags) => done(await doctor(terminal, flags)))

const doctor = async (terminal: Outside, flags: DoctorFlags): Promise<number> => {
  const { json, sandbox, share, ...connecting } = flags
  if (sandbox !== true) {
    return examine(terminal, { json, share }, checkConfiguration(connecting, terminal.env))
  }
  const environment = environmentFrom(flags, terminal.env)
  return withSandbox({ environment }, (connection) => {
    const findings = [
      ok('configuration', `a sandbox with the limits of ${environment}`),
      ok('base URL', connection.baseUrl),
    ]
    return examine(terminal, { json, share }, { findings, connection })
  })
}

const examine = async (
  terminal: Outside,
  { json, share }: Pick<DoctorFlags, 'json' | 'share'>,
  { findings, connection }: CheckedConfiguration,
): Promise<number> => {
  const put = (text: string): void => {
    terminal.stdout.write(`${text}\n`)
  }
  const all = await lastValueFrom(
    concat(
      from(findings),
      connection === undefined
        ? EMPTY
        : checks(terminal, connection, share, worst(findings) !== 'failed'),
    ).pipe(
      tap((finding) => json || put(findingText(finding))),
      toArray(),
    ),
  )
  const status = worst(all)
  if (json) put(JSON.stringify({ status, findings: all }, null, 2))
  return status === 'failed' ? EXIT_INCOMPLETE : EXIT_COMPLETE
}

/** The service is asked only where it can be reached, and with settings that can work. */
const checks = (
  { timer, timeout, env }: Outside,
  connection: Connection,
  share: number,
  canAsk: boolean,
): Observable<Finding> => {
  let isReached = true
  const asked = defer(() => {
    if (!isReached) return EMPTY
    if (!canAsk) return from(skipService('not with these settings: see configuration'))
    return checkService({
      connection,
      share,
      transport: kyTransport({ timer }),
      timer,
      ...(timeout && { timeout }),
    })
  })
  const found =
    env.NODE_USE_ENV_PROXY === '1'
      ? of(skipped('connection', 'through a proxy, as NODE_USE_ENV_PROXY says'))
      : checkNetwork(
          { reach: networkProbe, timer, ...(timeout && { stepTimeout: timeout.connect }) },
          connection.baseUrl,
        )
  return concat(
    found.pipe(
      tap(({ verdict }) => {
        if (verdict === 'failed') isReached = false
      }),
    ),
    asked,
  )
}
