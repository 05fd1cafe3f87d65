import { Command, Option } from 'commander'
import { firstValueFrom, merge, Subject } from 'rxjs'
import type { Environment } from '../api/limits.js'
import { isSystemError } from '../export/file/systemError.js'
import { defined } from '../fp.js'
import type { Listening, SandboxOptions } from '../sandbox/index.js'
import { sandboxCredentials, sandboxDefaults } from '../sandbox/options.js'
import { integer, nonNegativeInteger } from './optionParsers.js'
import type { Printing } from './output.js'
import { ENVIRONMENTS } from './settings.js'
import { EXIT_COMPLETE, EXIT_INCOMPLETE, type Terminal } from './Terminal.js'

interface SandboxFlags {
  readonly port: number
  readonly environment: Environment
  readonly rows?: number
  readonly batches?: number
  readonly seed?: number
  readonly latency?: number
  readonly jitter?: number
  readonly limits: boolean
}

/** What it sees of the outside. */
interface Outside extends Pick<Terminal, 'stderr' | 'signals'> {
  readonly stdout: Printing
}

/** `sandbox`: serves until it is stopped, or nobody can be told where. */
export const sandboxCommand = (terminal: Outside, done: (status: number) => void): Command =>
  new Command('sandbox')
    .description('Serve a sandbox of the platform on a port of this machine, until it is stopped.')
    .option('--port <n>', 'the port; 0 takes one that is free', integer(0, 65_535), 0)
    .addOption(
      new Option('--environment <name>', 'whose limits to enforce')
        .choices(ENVIRONMENTS)
        .default(sandboxDefaults.environment),
    )
    .option('--rows <n>', 'how many charges there are [100000]', integer(0, 2 ** 31))
    .option('--batches <n>', 'how many batch transfers there are [0]', integer(0, 1_000_000))
    .option('--seed <n>', 'the same seed makes the same charges [1]', integer(0, 2 ** 32 - 1))
    .option('--latency <ms>', 'from request to answer [0]', nonNegativeInteger)
    .option('--jitter <ms>', 'how far the latency is spread [0]', nonNegativeInteger)
    .option('--no-limits', 'answer whatever comes')
    .addHelpText(
      'after',
      `\nLog in as client id "${sandboxCredentials.clientId}" with API key "${sandboxCredentials.apiKey}".`,
    )
    .action(async (flags: SandboxFlags) => {
      const server = await started(flags)
      if (typeof server === 'string') {
        terminal.stderr.write(`payments-rx: ${server}\n`)
        return done(EXIT_INCOMPLETE)
      }
      const lost = new Subject<Error>()
      // whoever reads where it listens may stop it at once
      const stopped = firstValueFrom(merge(terminal.signals, lost))
      terminal.stdout.write(`listening on ${server.url}\n`)
      void terminal.stdout.failure().then((error) => {
        if (error !== undefined) lost.next(error)
      })
      await stopped
      await server.close()
      done(EXIT_COMPLETE)
    })

const optionsOf = ({
  environment,
  rows,
  batches,
  seed,
  latency,
  jitter,
  limits,
}: SandboxFlags): SandboxOptions => ({
  environment,
  ...defined({ charges: rows, batches, seed, latency, jitter }),
  ...(limits ? {} : { limits: false }),
})

/** Or why it cannot listen there. */
const started = async (flags: SandboxFlags): Promise<Listening | string> => {
  const { listen } = await import('../sandbox/index.js')
  return listen(optionsOf(flags), { port: flags.port }).catch(refused(flags.port))
}

/** Throws what is not the system's word for it, since that is a bug. */
const refused =
  (port: number) =>
  (error: unknown): string => {
    if (!isSystemError(error)) throw error
    if (error.code === 'EADDRINUSE') return `port ${port} is taken`
    return error.code === 'EACCES'
      ? `port ${port} is not for everybody (EACCES): choose one from 1024 on`
      : `cannot listen on port ${port}: ${error.message}`
  }
