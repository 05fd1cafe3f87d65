/** `call`: one call of the interface, derived from its row. */

import { readFile } from 'node:fs/promises'
import { text as textOfStream } from 'node:stream/consumers'
import { Command } from 'commander'
import {
  concatMap,
  endWith,
  firstValueFrom,
  from,
  ignoreElements,
  map,
  merge,
  type Observable,
  takeWhile,
} from 'rxjs'
import { type AnyEndpoint, isList, method } from '../../api/Endpoint.js'
import { type Client, createClient } from '../../client/createClient.js'
import { escapeInvisible } from '../../decode/redact.js'
import { jsonOf } from '../../export/column/json.js'
import { E } from '../../fp.js'
import type { AnyFailure, Failure } from '../../http/Failure.js'
import { invalidParams, invalidRequest } from '../../http/request/invalidParams.js'
import { prepareRequest } from '../../http/request/prepareRequest.js'
import { isSystemError } from '../../store/FileSystem.js'
import type { ObservableEither } from '../../stream/index.js'
import {
  addConnectionOptions,
  addPartnerOptions,
  type Connection,
  type ConnectionFlags,
  connectionFrom,
  environmentFrom,
  type PartnerFlags,
  partnerConnectionFrom,
  sandboxOption,
  withSandbox,
} from '../connection.js'
import { integer } from '../optionParsers.js'
import {
  type CommandContext,
  EXIT_BY_SIGNAL,
  EXIT_COMPLETE,
  EXIT_INCOMPLETE,
  EXIT_USAGE,
  UsageError,
} from '../output.js'
import type { Terminal } from '../Terminal.js'
import { callHelp } from './callHelp.js'
import { callParams, type ReadText } from './callParams.js'
import { type NamedRow, namedRows, rowByName } from './rowByName.js'

interface CallFlags extends ConnectionFlags, PartnerFlags {
  readonly sandbox?: boolean
  readonly limit?: number
  readonly yes: boolean
  readonly list: boolean
  readonly help?: boolean
}

/** The call may have been done: to send it again may do it twice. */
const EXIT_UNKNOWN = 4

const HELP = `
Parameters are name=value, with the names of the reference. A dot names a field
of an object or list: funding_source.id=acct_1, items.0.reason=travel. A value,
or the whole body, can be read from a file (@body.json) or stdin (-). A card
number is accepted only from these.

The value is printed as JSON, a list as one row per line. A write only prints
the request, unless --yes is given or it goes to a sandbox.

Exit status:
  0    done
  1    not done, but the same command may work later: the service failed, was
       not reached, or its limits were used up
  2    refused, or wrong use: change the command, the keys or the data
  4    unknown: it may have succeeded. Look it up before you send it again
  130  stopped by Ctrl-C (143 by SIGTERM)

Examples:
  payments-rx call --list
  payments-rx call charges.retrieve --help
  payments-rx call charges.list status=PENDING --limit 10
  payments-rx call batchTransfers.create request_id=run-7 name=March --yes`

export const callCommand = (context: CommandContext): Command =>
  addPartnerSettings(
    addConnectionOptions(
      new Command('call')
        .description('Make one call of the interface, and print its answer.')
        .argument('[name]', 'name of the call, such as charges.retrieve: see --list')
        .argument('[args...]', 'name=value, @body.json, or - for stdin'),
    ),
  )
    .addOption(sandboxOption('start a sandbox on a free port, and call that'))
    .option('--limit <n>', 'print only this many rows of a list [all]', integer(1))
    .option('--yes', 'send a write', false)
    .option('--list', 'print all calls', false)
    .helpOption(false)
    .option('-h, --help', 'show help; after a name, help for that call')
    .addHelpText('after', HELP)
    .action(
      async (
        name: string | undefined,
        args: ReadonlyArray<string>,
        flags: CallFlags,
        command: Command,
      ) => context.exit(await run(context, command, name, args, flags)),
    )

/** The settings of an application that `addConnectionOptions` does not add. */
const addPartnerSettings = (command: Command): Command => {
  const taken = new Set(command.options.map(({ long }) => long))
  const partner = addPartnerOptions(new Command())
  for (const option of partner.options) if (!taken.has(option.long)) command.addOption(option)
  return command
}

const run = async (
  context: CommandContext,
  command: Command,
  name: string | undefined,
  args: ReadonlyArray<string>,
  flags: CallFlags,
): Promise<number> => {
  const { output, terminal } = context
  if (flags.list) {
    for (const line of listing()) output.print(line)
    return EXIT_COMPLETE
  }
  if (name === undefined) {
    if (flags.help !== true) throw new UsageError('the name of a call is missing: see call --list')
    command.outputHelp()
    return EXIT_COMPLETE
  }
  const call = rowByName(name)
  if (flags.help === true) {
    output.print(await callHelp(call, terminal.stderr.columns || 80))
    return EXIT_COMPLETE
  }
  if (flags.limit !== undefined && !isList(call.row)) {
    throw new UsageError(`--limit is for lists, and ${name} has one value`)
  }
  const params = await callParams(call.row, args, readText(terminal), terminal.timer.now())
  if (flags.sandbox === true) {
    const environment = environmentFrom(flags, terminal.env)
    return withSandbox({ environment }, (connection) =>
      send(context, call, params, flags, connection),
    )
  }
  const connectionOf = call.row.auth === 'basic' ? partnerConnectionFrom : connectionFrom
  const connection = connectionOf(flags, terminal.env)
  return isWrite(call.row) && !flags.yes && !isHarmless(connection)
    ? show(context, call, params, connection)
    : send(context, call, params, flags, connection)
}

const listing = (): ReadonlyArray<string> => {
  const width = Math.max(...namedRows.map(({ name }) => name.length))
  return namedRows.map(({ name, row }) => `${name.padEnd(width)}  ${row.route}`)
}

const readText =
  ({ stdin }: Terminal): ReadText =>
  async (source) => {
    if (source === '-') return textOfStream(stdin)
    try {
      return await readFile(source.slice(1), 'utf8')
    } catch (error) {
      if (!isSystemError(error)) throw error
      throw new UsageError(`cannot read ${source.slice(1)}: ${error.message}`)
    }
  }

// writes

const isWrite = ({ route }: AnyEndpoint): boolean => method(route) === 'POST'

/** No money moves in a sandbox, nor behind an address of this machine. */
const isHarmless = ({ environment, baseUrl }: Connection): boolean =>
  environment === 'sandbox' || /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(baseUrl).hostname)

/** Prints the request that `--yes` would send. */
const show = (
  { output, terminal }: CommandContext,
  { row, name }: NamedRow,
  params: unknown,
  { baseUrl }: Connection,
): number => {
  const unknown = invalidParams(row.params, params, true)
  const request = unknown
    ? E.left(unknown)
    : prepareRequest(row, { check: true, now: () => terminal.timer.now() })(params)
  if (E.isLeft(request)) {
    output.complain(invalidRequest(row.route, request.left).message)
    return EXIT_USAGE
  }
  const { target, body } = request.right
  output.print(`${method(row.route)} ${baseUrl.replace(/\/$/, '')}${target}`)
  if (body !== undefined) output.print(JSON.stringify(JSON.parse(body), null, 2))
  output.complain(`nothing was sent: add --yes to send ${name}`)
  return EXIT_USAGE
}

// calls

/** The text of a value, or of each row of a page; a failure where there is none. */
type Lines = ReadonlyArray<E.Either<AnyFailure, string>>

const send = async (
  { output, terminal }: CommandContext,
  { row }: NamedRow,
  params: unknown,
  { limit = Number.POSITIVE_INFINITY }: CallFlags,
  connection: Connection,
): Promise<number> => {
  const { timer, timeout, stdout, signals } = terminal
  const client = createClient({
    ...connection,
    timer,
    numbers: 'exact',
    ...(timeout && { timeout }),
  })
  let status = EXIT_COMPLETE
  let printed = 0
  /** Resolves to false when no more is wanted. */
  const print = async (lines: Lines): Promise<boolean> => {
    for (const line of lines) {
      if (printed === limit) return false
      printed += 1
      if (E.isLeft(line)) {
        output.complain(line.left.message)
        status = Math.max(status, statusOf(line.left))
      } else if (!(await isWritten(stdout, `${line.right}\n`))) {
        status = EXIT_BY_SIGNAL.SIGPIPE
        return false
      }
    }
    return printed < limit
  }
  const work = linesOf(client, row, params, print, limit).pipe(
    takeWhile((goesOn) => goesOn),
    ignoreElements(),
    endWith(undefined),
    map(() => status),
  )
  return firstValueFrom(merge(signals.pipe(map((signal) => EXIT_BY_SIGNAL[signal])), work))
}

/** Hands the answer of a call to `print`, page by page; a bounded list asks for no page ahead. */
const linesOf = (
  client: Client,
  row: AnyEndpoint,
  params: unknown,
  print: (lines: Lines) => Promise<boolean>,
  limit: number,
): Observable<boolean> => {
  const json = jsonOf('exact')
  const lineOf = E.map((value: unknown) => escapeInvisible(json(row.success.encode(value))))
  if (!isList(row)) {
    const call: (params: unknown) => ObservableEither<Failure, unknown> = client.request(row)
    return call(params).pipe(concatMap((value) => print([lineOf(value)])))
  }
  const list = client.request(row)(params)
  const prefetch = Number.isFinite(limit) ? 0 : 1
  return list.drain((page) => from(print(E.isLeft(page) ? [page] : page.right.items.map(lineOf))), {
    prefetch,
  })
}

/** Resolves to false when the reader of stdout has gone away. */
const isWritten = (stdout: Terminal['stdout'], text: string): Promise<boolean> =>
  new Promise((resolve) => {
    stdout.write(text, (error) => resolve(error == null))
  })

const statusOf = ({ _tag }: AnyFailure): number => {
  switch (_tag) {
    case 'InvalidRequest':
    case 'Unauthorized':
    case 'Refused':
      return EXIT_USAGE
    case 'Ambiguous':
      return EXIT_UNKNOWN
    default:
      return EXIT_INCOMPLETE
  }
}
