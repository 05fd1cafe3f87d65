/** `trigger`: sends one event to a receiver, as the service would. */
import { readFile } from 'node:fs/promises'
import { Command, Option } from 'commander'
import { documentedEvents, eventNames } from '../codec/Webhook.js'
import { oneLine } from '../decode/redact.js'
import { parsed } from '../decode/unknown.js'
import { withoutUndefined } from '../fp.js'
import { readVariable } from '../options/index.js'
import { plural } from '../report/text.js'
import { type Triggered, type TriggerOptions, triggerFaults } from '../sandbox/events/trigger.js'
import { isSystemError } from '../store/FileSystem.js'
import { documented, STOPPED, statuses } from './help.js'
import { nonEmpty } from './optionParsers.js'
import {
  type CommandContext,
  EXIT_COMPLETE,
  EXIT_INCOMPLETE,
  type Output,
  UsageError,
} from './output.js'
import { type CommandRun, type Ending, runCommand } from './runCommand.js'
import { whyUnread } from './whyUnread.js'

/** Variable with the secret. On a command line, other users of the machine could see the secret. */
const SECRET = 'PAYMENTS_WEBHOOK_SECRET'

interface TriggerFlags {
  readonly url?: string
  readonly secret?: string
  readonly apiVersion?: string
  readonly data?: string
  readonly fault?: NonNullable<TriggerOptions['fault']>
  readonly list: boolean
}

export const triggerCommand = (context: CommandContext): Command =>
  documented(
    new Command('trigger')
      .description('Send a signed test event to a webhook receiver.')
      .argument('[event]', 'name of the event, such as account.active (see --list)')
      .option('--url <url>', 'URL of the receiver', nonEmpty)
      .option('--secret <secret>', `secret of the receiver [${SECRET}]`, nonEmpty)
      .option('--api-version <date>', 'API version of the payload [2026-08-21]', nonEmpty)
      .option('--data <json>', 'event data, as JSON or a JSON file', nonEmpty)
      .addOption(
        new Option(
          '--fault <name>',
          'send it 10 s late, twice, signed with another secret, or signed an hour ago',
        ).choices(triggerFaults),
      )
      .option('--list', 'print the names of all events', false),
    {
      about: `
The payload has the fields that the API description lists for that version. Use
--data to send other data, or an event that is not listed.`,
      statuses: {
        ...statuses(0, 1, 2, 130),
        0: 'the receiver answered 200, or rejected a forged or stale event',
        1: 'the receiver returned another response, or could not be reached',
        2: 'usage error: nothing was sent',
        130: STOPPED,
      },
      examples: [
        'payments-rx trigger account.active --url http://localhost:3000/webhooks',
        `payments-rx trigger charge.settled --fault twice \\
  --url http://localhost:3000/webhooks`,
        'payments-rx trigger --list',
      ],
    },
  ).action((event: string | undefined, flags: TriggerFlags) =>
    runCommand(context, {}, { run: (run) => sendEvent(run, event, flags) }),
  )

const sendEvent = async (
  { terminal, output }: CommandRun,
  event: string | undefined,
  flags: TriggerFlags,
): Promise<Ending> => {
  if (flags.list) return { status: EXIT_COMPLETE, summary: listing().join('\n') }
  const secret = flags.secret ?? readVariable(terminal.env, SECRET)
  const missing = [
    ...(event === undefined ? ['the event name'] : []),
    ...(flags.url === undefined ? ['--url'] : []),
    ...(secret === undefined || secret === '' ? [`--secret or ${SECRET}`] : []),
  ]
  if (
    event === undefined ||
    flags.url === undefined ||
    secret === undefined ||
    missing.length > 0
  ) {
    throw new UsageError(`${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} required`)
  }
  const { trigger } = await import('../sandbox/index.js') // loaded only here, for a fast start
  const { url, apiVersion, fault } = flags
  const data = flags.data === undefined ? undefined : await dataFrom(flags.data)
  const deliveries = await trigger({
    event,
    url,
    secret,
    timer: terminal.timer,
    ...withoutUndefined({ apiVersion, fault, data }),
  })
  const signed = (fault && SIGNED[fault]) ?? 'with the secret, now'
  for (const delivery of deliveries) report(output, { event, url, signed }, delivery)
  const isRight = deliveries.every((delivery) => delivery.isRight)
  return { status: isRight ? EXIT_COMPLETE : EXIT_INCOMPLETE }
}

const listing = (): ReadonlyArray<string> => {
  const documented: ReadonlyArray<string> = documentedEvents
  const others = eventNames.filter((name) => !documented.includes(name))
  return [...documented, ...others.map((name) => `${name}  (not in the API description)`)]
}

const dataFrom = async (text: string): Promise<unknown> => {
  const json = parsed(text)
  if (json !== undefined) return json
  if (/^\s*[[{"]/.test(text)) throw new UsageError('--data is not JSON')
  try {
    const fromFile = parsed(await readFile(text, 'utf8'))
    if (fromFile === undefined) throw new UsageError(`${text} is not JSON`)
    return fromFile
  } catch (error) {
    if (!isSystemError(error)) throw error
    throw new UsageError(`--data is neither JSON nor a file: ${whyUnread(text, error)}`)
  }
}

/** Prints five lines: the event, its receiver, its signature, the response, and the conclusion. */
const report = (
  { print }: Output,
  { event, url, signed }: Readonly<Record<'event' | 'url' | 'signed', string>>,
  delivery: Triggered,
): void => {
  const { id, body, status, reason = '', took, isGenuine, isRight } = delivery
  print(`event     ${event} ${id}`)
  print(`sent      POST ${url}, ${plural(Buffer.byteLength(body), 'byte')}`)
  print(`signed    ${signed}`)
  print(
    status === undefined
      ? `no reply  ${oneLine(reason)}`
      : `answered  ${status} in ${Math.round(took)} ms`,
  )
  print(`verdict   ${verdictOf(isGenuine, isRight, status)}`)
}

/** Signatures that a receiver should refuse. */
const SIGNED: Partial<Readonly<Record<NonNullable<TriggerOptions['fault']>, string>>> = {
  forged: 'with another secret, now',
  stale: 'with the secret, an hour ago',
}

const verdictOf = (isGenuine: boolean, isRight: boolean, status: number | undefined): string => {
  if (status === undefined) return 'not received: the platform would retry it'
  if (isRight) return isGenuine ? 'received' : 'rejected, as it should be'
  if (isGenuine) return 'not received: the platform accepts only 200, and would retry it'
  return status < 300
    ? 'accepted, but should have been rejected: check that the receiver verifies the signature'
    : 'neither accepted nor rejected: the receiver should reject a forged or stale event with a 4xx status'
}
