/** `call`: one call of the interface, derived from its row. */

import { readFile } from 'node:fs/promises'
import { text as textOfStream } from 'node:stream/consumers'
import { Command } from 'commander'
import {
  concatMap,
  defer,
  endWith,
  from,
  ignoreElements,
  map,
  type Observable,
  type ObservableInput,
  of,
  switchMap,
  takeWhile,
} from 'rxjs'
import { type AnyEndpoint, isList, method } from '../../api/Endpoint.js'
import { type Client, createClient } from '../../client/createClient.js'
import { jsonOf } from '../../export/column/json.js'
import { E, withoutUndefined } from '../../fp.js'
import type { AnyFailure, Failure } from '../../http/Failure.js'
import { invalidParams, invalidRequest } from '../../http/request/invalidParams.js'
import { prepareRequest } from '../../http/request/prepareRequest.js'
import { isSystemError } from '../../store/FileSystem.js'
import type { ObservableEither } from '../../stream/index.js'
import {
  addEveryOption,
  type Connection,
  type ConnectionFlags,
  connect,
  connectionFrom,
  type PartnerFlags,
  partnerConnectionFrom,
  sandboxOption,
} from '../connection.js'
import { integer } from '../optionParsers.js'
import {
  type CommandContext,
  EXIT_COMPLETE,
  EXIT_INCOMPLETE,
  EXIT_USAGE,
  UsageError,
} from '../output.js'
import { type CommandRun, type Ending, runCommand } from '../runCommand.js'
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
  addEveryOption(
    new Command('call')
      .description('Make one call of the interface, and print its answer.')
      .argument('[name]', 'name of the call, such as charges.retrieve: see --list')
      .argument('[args...]', 'name=value, @body.json, or - for stdin'),
  )
    .addOption(sandboxOption('start a sandbox on a free port, and call that'))
    .option('--limit <n>', 'print only this many rows of a list [all]', integer(1))
    .option('--yes', 'send a write', false)
    .option('--list', 'print all calls', false)
    .helpOption(false)
    .option('-h, --help', 'show help; after a name, help for that call')
    .addHelpText('after', HELP)
    .action(
      (name: string | undefined, args: ReadonlyArray<string>, flags: CallFlags, command: Command) =>
        runCommand(context, {}, { run: (run) => call(run, command, name, args, flags) }),
    )

const call = (
  run: CommandRun,
  command: Command,
  name: string | undefined,
  args: ReadonlyArray<string>,
  flags: CallFlags,
): ObservableInput<Ending> => {
  const { terminal } = run
  if (flags.list) return of({ status: EXIT_COMPLETE, summary: listing().join('\n') })
  if (name === undefined) {
    if (flags.help !== true) throw new UsageError('the name of a call is missing: see call --list')
    command.outputHelp()
    return of({ status: EXIT_COMPLETE })
  }
  const named = rowByName(name)
  const { row } = named
  if (flags.help === true) {
    return callHelp(named, terminal.stderr.columns || 80).then((summary) => ({
      status: EXIT_COMPLETE,
      summary,
    }))
  }
  if (flags.limit !== undefined && !isList(row)) {
    throw new UsageError(`--limit is for lists, and ${name} has one value`)
  }
  return defer(() => callParams(row, args, readText(terminal), terminal.timer.now())).pipe(
    switchMap((params) =>
      connect(terminal, flags, {
        connection: row.auth === 'basic' ? partnerConnectionFrom : connectionFrom,
      }).pipe(
        switchMap((connection) =>
          isWrite(row) && !flags.yes && flags.sandbox !== true && !isHarmless(connection)
            ? of(show(run, named, params, connection))
            : send(run, row, params, flags, connection),
        ),
      ),
    ),
  )
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
  { output, terminal }: CommandRun,
  { row, name }: NamedRow,
  params: unknown,
  { baseUrl }: Connection,
): Ending => {
  const unknown = invalidParams(row.params, params, true)
  const request = unknown
    ? E.left(unknown)
    : prepareRequest(row, { check: true, now: () => terminal.timer.now() })(params)
  if (E.isLeft(request)) {
    return { status: EXIT_USAGE, reason: invalidRequest(row.route, request.left).message }
  }
  const { target, body } = request.right
  output.print(`${method(row.route)} ${baseUrl.replace(/\/$/, '')}${target}`)
  if (body !== undefined) output.print(JSON.stringify(JSON.parse(body), null, 2))
  return { status: EXIT_USAGE, reason: `nothing was sent: add --yes to send ${name}` }
}

// calls

/** The text of a value, or of each row of a page; a failure where there is none. */
type Lines = ReadonlyArray<E.Either<AnyFailure, string>>

const send = (
  { output, terminal: { timer, timeout } }: CommandRun,
  row: AnyEndpoint,
  params: unknown,
  { limit = Number.POSITIVE_INFINITY }: CallFlags,
  connection: Connection,
): Observable<Ending> => {
  const client = createClient({
    ...connection,
    ...withoutUndefined({ timeout }),
    timer,
    numbers: 'exact',
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
        continue
      }
      const refused = await output.writeRows(`${line.right}\n`)
      if (refused !== undefined) {
        status = refused
        return false
      }
    }
    return printed < limit
  }
  return linesOf(client, row, params, print, limit).pipe(
    takeWhile((goesOn) => goesOn),
    ignoreElements(),
    endWith(undefined),
    map(() => ({ status })),
  )
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
  const lineOf = E.map((value: unknown) => json(row.success.encode(value)))
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
