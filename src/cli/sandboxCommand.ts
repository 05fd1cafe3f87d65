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
import { chances, integer, momentBefore, nonEmpty, timeSpan } from './optionParsers.js'
import { type CommandContext, EXIT_COMPLETE, EXIT_INCOMPLETE, UsageError } from './output.js'
import { type CommandRun, type Ending, runCommand } from './runCommand.js'

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

/** `sandbox`: serves until a signal comes, or its address cannot be printed. */
export const sandboxCommand = (context: CommandContext): Command =>
  new Command('sandbox')
    .description('Serve a sandbox of the platform on a local port. Runs until stopped.')
    .option('--port <n>', 'port; 0 takes a free one', integer(0, 65_535), 0)
    .addOption(
      new Option('--environment <name>', 'whose rate limits to enforce')
        .choices(ENVIRONMENTS)
        .default(sandboxDefaults.environment),
    )
    .option('--rows <n>', 'number of charges [100000]', integer(0, 2 ** 31))
    .option('--batches <n>', 'number of batch transfers [0]', integer(0, 1_000_000))
    .option('--seed <n>', 'the same seed makes the same charges [1]', integer(0, 2 ** 32 - 1))
    .option('--latency <time>', 'response time, such as 200ms [0]', timeSpan)
    .option('--jitter <time>', 'jitter of the response time [0]', timeSpan)
    .option('--list-delay <time>', 'time until created resources show in lists [0]', timeSpan)
    .option('--no-limits', 'enforce no rate limits')
    .option(
      '--host <address>',
      'address to listen on [127.0.0.1: this machine only; 0.0.0.0: others, too]',
      nonEmpty,
    )
    .addOption(repeatable('--allow-host <name>', 'a name to answer to, besides localhost'))
    .option('--arrivals <time>', 'a charge arrives this often, such as 5s [never]', timeSpan)
    .option(
      '--since <time>',
      'when the first charge was created: a time, or a span before now such as 30d; the last one is then created now',
      momentBefore(() => context.terminal.timer.now()),
    )
    .option(
      '--until <time>',
      'when the last charge was created: a time, or now [charges begin on 2024-01-01]',
      momentBefore(() => context.terminal.timer.now()),
    )
    .option(
      '--faults <list>',
      'probabilities of faults, such as 429=0.01,500=0.01',
      chances(faultNames),
    )
    .option(
      '--client-id <id>',
      `client id that may log in [${sandboxCredentials.clientId}]`,
      nonEmpty,
    )
    .option('--api-key <key>', `API key that may log in [${sandboxCredentials.apiKey}]`, nonEmpty)
    .option(
      '--webhooks <url>',
      'send all events to a URL of this machine, and print its secret',
      nonEmpty,
    )
    .option(
      '--delivery-faults <list>',
      'probabilities of delivery faults, such as twice=0.1,late=0.1',
      chances(deliveryFaultNames),
    )
    .addOption(
      repeatable('--deliver-to <host>', 'a host to deliver events to, besides this machine'),
    )
    .addHelpText(
      'after',
      `
It prints the variables to set in another shell. GET /__sandbox/stats, from this
machine only, has counts of requests, refusals, faults and deliveries as JSON.`,
    )
    .action((flags: SandboxFlags) =>
      runCommand(context, {}, { run: (run) => serve(run, flags), stopsInOrder: true }),
    )

const serve = async (
  { terminal, output, options: { stop } }: CommandRun,
  flags: SandboxFlags,
): Promise<Ending> => {
  checkReceiver(flags)
  const { createSandbox, listen } = await import('../sandbox/index.js') // loaded only here, for a fast start
  const sandbox = createSandbox(optionsOf(flags, terminal.timer.now()))
  const { port, host, allowHost } = flags
  const server = await listen(sandbox, {
    port,
    ...withoutUndefined({ host, allowHosts: allowHost }),
  }).catch((error: unknown) => reasonOf(error, port))
  if (typeof server === 'string') return { status: EXIT_INCOMPLETE, reason: server }
  output.print([`listening on ${server.url}`, ...variables(server.url, flags)].join('\n'))
  if (flags.webhooks !== undefined) {
    output.print(await subscribed(sandbox, server.url, flags.webhooks, flags))
  }
  output.print('Stop it with Ctrl-C.')
  const unprinted = defer(() => output.failure()).pipe(filter((failure) => failure !== undefined))
  await firstValueFrom(merge(stop, terminal.parentEnded ?? NEVER, unprinted))
  sandbox.close()
  await server.close()
  return { status: EXIT_COMPLETE }
}

/** Throws for a receiver to which nothing would be delivered: its owner would wait for events. */
const checkReceiver = ({ webhooks, deliverTo = [] }: SandboxFlags): void => {
  if (webhooks === undefined || mayDeliver(webhooks, deliverTo)) return
  throw new UsageError(
    /^https?:\/\/./.test(webhooks) && URL.canParse(webhooks)
      ? `--webhooks is on another machine: allow it by --deliver-to ${new URL(webhooks).hostname}`
      : '--webhooks should be an HTTP or HTTPS URL, such as http://localhost:3000/',
  )
}

/** The lines that a shell needs. A key of one's own is not repeated. */
const variables = (url: string, { clientId, apiKey }: SandboxFlags): ReadonlyArray<string> => [
  `export PAYMENTS_BASE_URL=${url}`,
  `export PAYMENTS_CLIENT_ID=${shellWord(clientId ?? sandboxCredentials.clientId)}`,
  apiKey === undefined
    ? `export PAYMENTS_API_KEY=${sandboxCredentials.apiKey}`
    : 'export PAYMENTS_API_KEY=... # as given by --api-key',
]

/** Subscribes a URL to all events; returns the line that says its secret. */
const subscribed = async (
  { fetch }: Sandbox,
  baseUrl: string,
  url: string,
  flags: SandboxFlags,
): Promise<string> => {
  const payments = createClient({
    baseUrl,
    credentials: credentialsOf(flags),
    fetch,
    plainHttp: true,
  })
  const version = sandboxDefaults.apiVersion
  const created = await firstValueFrom(
    payments.webhooks.create({ events: eventNames, url, version }),
  )
  return E.isLeft(created)
    ? `no webhook: ${created.left.message}`
    : `export PAYMENTS_WEBHOOK_SECRET=${created.right.secret}`
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

/** Returns the reason why the system does not allow it to listen; throws other errors. */
const reasonOf = (error: unknown, port: number): string => {
  if (!isSystemError(error)) throw error
  if (error.code === 'EADDRINUSE')
    return `port ${port} is taken: choose another, or 0 for a free one`
  return error.code === 'EACCES'
    ? `port ${port} needs root (EACCES): choose one from 1024 on`
    : `cannot listen on port ${port}: ${error.message}`
}
