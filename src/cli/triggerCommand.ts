/** `trigger`: one event, sent to a receiver as the service would. */
import { readFile } from 'node:fs/promises'
import { Command, Option } from 'commander'
import { documentedEvents, eventNames } from '../codec/Webhook.js'
import { oneLine } from '../decode/redact.js'
import { parsed } from '../decode/unknown.js'
import { withoutUndefined } from '../fp.js'
import { plural } from '../report/text.js'
import { type Triggered, type TriggerOptions, triggerFaults } from '../sandbox/events/trigger.js'
import { isSystemError } from '../store/FileSystem.js'
import { nonEmpty } from './optionParsers.js'
import {
  type CommandContext,
  EXIT_COMPLETE,
  EXIT_INCOMPLETE,
  type Output,
  UsageError,
} from './output.js'
import { type CommandRun, type Ending, runCommand } from './runCommand.js'

/** The variable of the secret, which a command line would show to other users of the machine. */
const SECRET = 'PAYMENTS_WEBHOOK_SECRET'

interface TriggerFlags {
  readonly url?: string
  readonly secret?: string
  readonly apiVersion?: string
  readonly data?: string
  readonly fault?: NonNullable<TriggerOptions['fault']>
  readonly list: boolean
}

const HELP = `
The payload has the fields of the interface for that version. --data replaces
it, and allows events that are not listed.

Exit status:
  0  the receiver answered 200, or refused a forged or stale event
  1  it did not, or was not reached
  2  wrong use: nothing was sent

Examples:
  payments-rx trigger account.active --url http://localhost:3000/webhooks
  payments-rx trigger charge.settled --url http://localhost:3000/webhooks --fault twice
  payments-rx trigger --list`

export const triggerCommand = (context: CommandContext): Command =>
  new Command('trigger')
    .description('Send a signed event to a webhook receiver, to test it.')
    .argument('[event]', 'name of the event, such as account.active: see --list')
    .option('--url <url>', 'URL of the receiver', nonEmpty)
    .option('--secret <secret>', `secret of the receiver [${SECRET}]`, nonEmpty)
    .option('--api-version <date>', 'API version of the payload [2026-08-21]', nonEmpty)
    .option('--data <json>', 'data of the event: JSON, or a JSON file', nonEmpty)
    .addOption(
      new Option(
        '--fault <name>',
        'late by 10 s, sent twice, signed with another secret, or an hour ago',
      ).choices(triggerFaults),
    )
    .option('--list', 'print the names of all events', false)
    .addHelpText('after', HELP)
    .action((event: string | undefined, flags: TriggerFlags) =>
      runCommand(context, {}, { run: (run) => sendEvent(run, event, flags) }),
    )

const sendEvent = async (
  { terminal, output }: CommandRun,
  event: string | undefined,
  flags: TriggerFlags,
): Promise<Ending> => {
  if (flags.list) return { status: EXIT_COMPLETE, summary: listing().join('\n') }
  const secret = flags.secret ?? terminal.env[SECRET]
  const missing = [
    ...(event === undefined ? ['the name of an event'] : []),
    ...(flags.url === undefined ? ['--url'] : []),
    ...(secret === undefined || secret === '' ? [`--secret or ${SECRET}`] : []),
  ]
  if (
    event === undefined ||
    flags.url === undefined ||
    secret === undefined ||
    missing.length > 0
  ) {
    throw new UsageError(`${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} needed`)
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
  return [...documented, ...others.map((name) => `${name}  (not in the interface document)`)]
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
    throw new UsageError(`--data is neither JSON nor a file that can be read: ${error.message}`)
  }
}

/** Prints five lines: what was sent, where, how it was signed, what came back, and what that means. */
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
      ? `answered  nothing: ${oneLine(reason)}`
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
  if (status === undefined) return 'not received: the service would send it again'
  if (isRight) return isGenuine ? 'received' : 'refused, as it should be'
  if (isGenuine) return 'not received: the service takes 200 only, and would send it again'
  return status < 300
    ? 'accepted, and should have been refused: check that the signature is verified'
    : 'neither accepted nor refused: a forged or stale event should be refused by a status of 4xx'
}
