import { Command, Option } from 'commander'
import { defer, filter, firstValueFrom, merge, NEVER } from 'rxjs'
import type { Environment } from '../api/limits.js'
import { createClient } from '../client/createClient.js'
import { eventNames } from '../codec/Webhook.js'
import { E, withoutUndefined } from '../fp.js'
import { shellWord } from '../report/text.js'
import { deliveryFaultNames } from '../sandbox/events/deliveryFaults.js'
import { faultNames } from '../sandbox/faults.js'
import type { Sandbox, SandboxCredentials, SandboxOptions } from '../sandbox/index.js'
import { mayDeliver, sandboxCredentials, sandboxDefaults } from '../sandbox/options.js'
import { isSystemError } from '../store/FileSystem.js'
import { ENVIRONMENTS } from './connection.js'
import { documented, GROUP } from './help.js'
import { chances, integer, momentBefore, nonEmpty, timeSpan } from './optionParsers.js'
import { type CommandContext, EXIT_COMPLETE, EXIT_INCOMPLETE, UsageError } from './output.js'
import { type CommandRun, type Ending, runCommand } from './runCommand.js'
import { runProgram } from './runProgram.js'

interface SandboxFlags {
  readonly port: number
  readonly environment: Environment
  readonly rows?: number
  readonly batches?: number
  readonly seed?: number
  readonly latency?: number
  readonly jitter?: number
  readonly listDelay?: number
  readonly limits: boolean
  readonly host?: string
  readonly allowHost?: ReadonlyArray<string>
  readonly arrivals?: number
  readonly since?: Date
  readonly until?: Date
  readonly faults?: Readonly<Record<string, number>>
  readonly clientId?: string
  readonly apiKey?: string
  readonly webhooks?: string
  readonly deliveryFaults?: Readonly<Record<string, number>>
  readonly deliverTo?: ReadonlyArray<string>
}

const repeatable = (flags: string, description: string): Option =>
  new Option(flags, `${description}; may be repeated`).argParser(
    (name: string, before: ReadonlyArray<string> = []) => [...before, name],
  )

/** `sandbox`: serves until a signal arrives, or until its address cannot be printed. */
export const sandboxCommand = (context: CommandContext): Command =>
  documented(
    withServer(withBehaviour(withData(new Command('sandbox'), context)))
      .description('Run a local sandbox of the platform, for one program or until stopped.')
      .argument(
        '[program...]',
        'after --, a program to run with the connection variables set, such as node example.mjs',
      ),
    {
      about: `
With a program, the sandbox sets the connection variables for it, stops when the
program exits, and returns its exit status. Otherwise it prints the variables to
set in another shell. On this machine, GET /__sandbox/stats returns the numbers
of requests, refusals, faults and deliveries as JSON.`,
      statuses: {
        0: 'stopped by a signal; with a program, its own status',
        1: 'the sandbox could not listen on the port',
        2: 'usage error, or the program could not be started',
      },
      examples: [
        'payments-rx sandbox -- node example.mjs',
        'payments-rx sandbox --rows 5000 --faults 500=0.01 -- npm test',
        'payments-rx sandbox --port 8080',
      ],
    },
  ).action((program: ReadonlyArray<string>, flags: SandboxFlags) =>
    runCommand(context, {}, { run: (run) => serve(run, flags, program), stopsInOrder: true }),
  )

const withData = (command: Command, { terminal: { timer } }: CommandContext): Command =>
  command
    .optionsGroup('Data:')
    .option('--rows <n>', 'number of charges [100000]', integer(0, 2 ** 31))
    .option('--batches <n>', 'number of batch transfers [0]', integer(0, 1_000_000))
    .option('--seed <n>', 'the same seed generates the same charges [1]', integer(0, 2 ** 32 - 1))
    .option(
      '--since <time>',
      'creation time of the first charge; an age such as 30d spreads the charges from then until now',
      momentBefore(() => timer.now()),
    )
    .option(
      '--until <time>',
      'creation time of the last charge, such as now [not set: charges start on 2024-01-01]',
      momentBefore(() => timer.now()),
    )
    .option('--arrivals <time>', 'add a new charge this often, such as 5s [never]', timeSpan)
    .option('--list-delay <time>', 'delay before new resources appear in lists [0]', timeSpan)

const withBehaviour = (command: Command): Command =>
  command
    .optionsGroup('Webhooks:')
    .option(
      '--webhooks <url>',
      'send all events to this URL on this machine, and print the secret',
      nonEmpty,
    )
    .addOption(
      repeatable(
        '--deliver-to <host>',
        'also deliver events to this host, not only to this machine',
      ),
    )
    .option(
      '--delivery-faults <list>',
      'probabilities of delivery faults, such as twice=0.1,late=0.1',
      chances(deliveryFaultNames),
    )
    .optionsGroup(GROUP.speed)
    .addOption(
      new Option('--environment <name>', 'whose rate limits to enforce')
        .choices(ENVIRONMENTS)
        .default(sandboxDefaults.environment),
    )
    .option('--no-limits', 'enforce no rate limits')
    .option('--latency <time>', 'response time, such as 200ms [0]', timeSpan)
    .option('--jitter <time>', 'jitter of the response time [0]', timeSpan)
    .option(
      '--faults <list>',
      'probabilities of faults, such as 429=0.01,500=0.01',
      chances(faultNames),
    )

const withServer = (command: Command): Command =>
  command
    .optionsGroup(GROUP.connection)
    .option('--port <n>', 'port to listen on; 0 picks a free one', integer(0, 65_535), 0)
    .option(
      '--host <address>',
      'address to listen on [127.0.0.1: this machine only; 0.0.0.0: others too]',
      nonEmpty,
    )
    .addOption(
      repeatable(
        '--allow-host <name>',
        'also accept requests for this host name, not only localhost',
      ),
    )
    .option('--client-id <id>', `client id to accept [${sandboxCredentials.clientId}]`, nonEmpty)
    .option('--api-key <key>', `API key to accept [${sandboxCredentials.apiKey}]`, nonEmpty)

const serve = async (
  { terminal, output, options: { stop } }: CommandRun,
  flags: SandboxFlags,
  program: ReadonlyArray<string>,
): Promise<Ending> => {
  checkReceiver(flags)
  const { createSandbox, listen } = await import('../sandbox/index.js') // loaded only here, for a fast start
  const sandbox = createSandbox(optionsOf(flags, terminal.timer.now()))
  const { port, host, allowHost } = flags
  const stopping = merge(stop, terminal.parentEnded ?? NEVER)
  const server = await listen(sandbox, {
    port,
    ...withoutUndefined({ host, allowHosts: allowHost }),
  }).catch((error: unknown) => reasonOf(error, port))
  if (typeof server === 'string') return { status: EXIT_INCOMPLETE, reason: server }
  try {
    const secret = await secretOf(sandbox, server.url, flags)
    if (E.isLeft(secret)) return { status: EXIT_INCOMPLETE, reason: secret.left }
    const variables = { ...connectionTo(server.url, flags), ...secret.right }
    if (program.length > 0)
      return await runProgram(program, { ...terminal.env, ...variables }, stopping)
    output.print(
      [`listening on ${server.url}`, ...exports(variables, flags), 'Press Ctrl-C to stop.'].join(
        '\n',
      ),
    )
    const unprinted = defer(() => output.failure()).pipe(filter((failure) => failure !== undefined))
    await firstValueFrom(merge(stopping, unprinted))
    return { status: EXIT_COMPLETE }
  } finally {
    sandbox.close()
    await server.close()
  }
}

/** Throws for a receiver to which nothing would be delivered. */
const checkReceiver = ({ webhooks, deliverTo = [] }: SandboxFlags): void => {
  if (webhooks === undefined || mayDeliver(webhooks, deliverTo)) return
  throw new UsageError(
    /^https?:\/\/./.test(webhooks) && URL.canParse(webhooks)
      ? `--webhooks is on another machine: allow it with --deliver-to ${new URL(webhooks).hostname}`
      : '--webhooks should be an HTTP or HTTPS URL, such as http://localhost:3000/',
  )
}

/** Returns the environment variables with which a program connects to the sandbox. */
const connectionTo = (url: string, flags: SandboxFlags): Readonly<Record<string, string>> => {
  const { clientId, apiKey } = credentialsOf(flags)
  return { PAYMENTS_BASE_URL: url, PAYMENTS_CLIENT_ID: clientId, PAYMENTS_API_KEY: apiKey }
}

/** Returns `export` lines for a shell. They do not contain a key given by the user. */
const exports = (
  variables: Readonly<Record<string, string>>,
  { apiKey }: SandboxFlags,
): ReadonlyArray<string> =>
  Object.entries(variables).map(([name, value]) =>
    name === 'PAYMENTS_API_KEY' && apiKey !== undefined
      ? `export ${name}=... # as given by --api-key`
      : `export ${name}=${shellWord(value)}`,
  )

/** Subscribes the URL of `--webhooks` to all events. Returns the variable with its secret, or the reason why there is none. */
const secretOf = async (
  { fetch }: Sandbox,
  baseUrl: string,
  flags: SandboxFlags,
): Promise<E.Either<string, { readonly PAYMENTS_WEBHOOK_SECRET?: string }>> => {
  const { webhooks: url } = flags
  if (url === undefined) return E.right({})
  const credentials = credentialsOf(flags)
  const payments = createClient({ baseUrl, credentials, fetch, plainHttp: true })
  const version = sandboxDefaults.apiVersion
  const created = await firstValueFrom(
    payments.webhooks.create({ events: eventNames, url, version }),
  )
  return E.isLeft(created)
    ? E.left(`cannot create the webhook: ${created.left.message}`)
    : E.right({ PAYMENTS_WEBHOOK_SECRET: created.right.secret })
}

const credentialsOf = ({ clientId, apiKey }: SandboxFlags): SandboxCredentials => ({
  ...sandboxCredentials,
  ...withoutUndefined({ clientId, apiKey }),
})

const optionsOf = (flags: SandboxFlags, now: number): SandboxOptions => {
  const { environment, rows, batches, seed, latency, jitter, listDelay, limits } = flags
  const { arrivals, since, faults, deliveryFaults, deliverTo } = flags
  const until = flags.until ?? (since === undefined ? undefined : new Date(now))
  return {
    environment,
    ...withoutUndefined({
      charges: rows,
      batches,
      seed,
      latency,
      jitter,
      listDelay,
      arrivals,
      since,
      until,
    }),
    ...withoutUndefined({ faults, deliveryFaults, deliverTo }),
    credentials: [credentialsOf(flags)],
    ...(limits ? {} : { limits: false }),
  }
}

/** Returns the reason why the system does not allow listening. Throws other errors. */
const reasonOf = (error: unknown, port: number): string => {
  if (!isSystemError(error)) throw error
  if (error.code === 'EADDRINUSE')
    return `port ${port} is in use: choose another one, or 0 for a free one`
  return error.code === 'EACCES'
    ? `port ${port} requires root (EACCES): choose 1024 or higher`
    : `cannot listen on port ${port}: ${error.message}`
}
