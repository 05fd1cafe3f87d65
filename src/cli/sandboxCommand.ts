import { Command, Option } from 'commander'
import { firstValueFrom, merge, Subject } from 'rxjs'
import type { Environment } from '../api/limits.js'
import { defined } from '../fp.js'
import type { Listening, SandboxOptions } from '../sandbox/index.js'
import { sandboxCredentials, sandboxDefaults } from '../sandbox/options.js'
import { isSystemError } from '../store/FileSystem.js'
import { ENVIRONMENTS } from './connection.js'
import { integer, nonEmpty, nonNegativeInteger } from './optionParsers.js'
import { type CommandContext, EXIT_COMPLETE, EXIT_INCOMPLETE } from './output.js'

interface SandboxFlags {
  readonly port: number
  readonly environment: Environment
  readonly rows?: number
  readonly batches?: number
  readonly seed?: number
  readonly latency?: number
  readonly jitter?: number
  readonly limits: boolean
  readonly host?: string
  readonly allowHost?: ReadonlyArray<string>
}

/** `sandbox`: serves until a signal comes, or its address cannot be printed. */
export const sandboxCommand = (context: CommandContext): Command =>
  new Command('sandbox')
    .description('Serve a sandbox of the platform on a port of this machine, until it is stopped.')
    .option('--port <n>', 'the port; 0 takes one that is free', integer(0, 65_535), 0)
    .addOption(
      new Option('--environment <name>', 'which limits to enforce')
        .choices(ENVIRONMENTS)
        .default(sandboxDefaults.environment),
    )
    .option('--rows <n>', 'how many charges there are [100000]', integer(0, 2 ** 31))
    .option('--batches <n>', 'how many batch transfers there are [0]', integer(0, 1_000_000))
    .option('--seed <n>', 'the same seed makes the same charges [1]', integer(0, 2 ** 32 - 1))
    .option('--latency <ms>', 'from request to answer [0]', nonNegativeInteger)
    .option('--jitter <ms>', 'how far the latency is spread [0]', nonNegativeInteger)
    .option('--no-limits', 'answer whatever comes')
    .option(
      '--host <address>',
      'where to listen [127.0.0.1: for this machine; 0.0.0.0: for others as well]',
      nonEmpty,
    )
    .addOption(
      new Option(
        '--allow-host <name>',
        'a name to answer to, beside localhost; may be repeated',
      ).argParser((name: string, before: ReadonlyArray<string> = []) => [...before, name]),
    )
    .addHelpText(
      'after',
      `
To use it, set these variables, with the address that it prints:
  export PAYMENTS_BASE_URL=http://127.0.0.1:8080
  export PAYMENTS_CLIENT_ID=${sandboxCredentials.clientId} PAYMENTS_API_KEY=${sandboxCredentials.apiKey}`,
    )
    .action(async (flags: SandboxFlags) => context.exit(await serve(context, flags)))

const serve = async (
  { terminal, output }: Pick<CommandContext, 'terminal' | 'output'>,
  flags: SandboxFlags,
): Promise<number> => {
  const server = await start(flags)
  if (typeof server === 'string') {
    output.complain(server)
    return EXIT_INCOMPLETE
  }
  const unprinted = new Subject<void>()
  // subscribed before the address is printed, since its reader may send a signal at once
  const stopped = firstValueFrom(merge(terminal.signals, unprinted))
  output.print(`listening on ${server.url}`)
  void output.failure().then((failure) => failure && unprinted.next())
  await stopped
  await server.close()
  return EXIT_COMPLETE
}

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

/** Listens, or returns the reason why the system does not allow it. */
const start = async (flags: SandboxFlags): Promise<Listening | string> => {
  const { listen } = await import('../sandbox/index.js') // loaded only here, for a fast start
  const { port, host, allowHost } = flags
  return listen(optionsOf(flags), { port, ...defined({ host, allowHosts: allowHost }) }).catch(
    (error: unknown) => {
      if (!isSystemError(error)) throw error
      if (error.code === 'EADDRINUSE')
        return `port ${port} is taken: choose another, or 0 for a free one`
      return error.code === 'EACCES'
        ? `port ${port} is not for everybody (EACCES): choose one from 1024 on`
        : `cannot listen on port ${port}: ${error.message}`
    },
  )
}
