/** `call`: makes one API call, whose arguments are derived from the row of its endpoint. */

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
import { stringifyExact } from '../../decode/index.js'
import { E, withoutUndefined } from '../../fp.js'
import type { AnyFailure, Failure } from '../../http/Failure.js'
import { invalidParams, invalidRequest } from '../../http/request/invalidParams.js'
import { prepareRequest } from '../../http/request/prepareRequest.js'
import { isSystemError } from '../../store/FileSystem.js'
import type { ObservableEither } from '../../stream/either/ObservableEither.js'
import { accountLine } from '../accountLine.js'
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
import { failureEnding } from '../endings.js'
import { documented, STOPPED, statuses } from '../help.js'
import { integer } from '../optionParsers.js'
import { type CommandContext, EXIT_COMPLETE, EXIT_LOOK, EXIT_USAGE, UsageError } from '../output.js'
import { type CommandRun, type Ending, runCommand } from '../runCommand.js'
import type { Terminal } from '../Terminal.js'
import { whyUnread } from '../whyUnread.js'
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

const ABOUT = `
Parameters are name=value, with the names from the API reference. Use dots for
fields of objects and lists: funding_source.id=acct_1, items.0.reason=travel. A
value, or the whole body, can be read from a file (@body.json) or stdin (-). A
card number is only accepted from a file or stdin.

The response is printed as JSON, a list as one row per line. A call that changes
data only prints its request, unless you add --yes or call a sandbox or a test
environment.`

export const callCommand = (context: CommandContext): Command =>
  documented(
    addEveryOption(
      new Command('call')
        .description('Make one API call and print the response.')
        .argument('[name]', 'name of the call, such as charges.retrieve (see --list)')
        .argument('[args...]', 'name=value, @body.json, or - for stdin')
        .option('--yes', 'send the request even if it changes data', false)
        .option('--limit <n>', 'print only this many rows of a list [all]', integer(1))
        .option('--list', 'print all calls', false)
        .option('-h, --help', 'show help; after a name, help for that call'),
    ).addOption(sandboxOption('start a local sandbox on a free port and call it')),
    {
      about: ABOUT,
      statuses: {
        ...statuses(0, 1, 2, 4, 130),
        1: `not done, and safe to retry: the service failed, could not be reached, or
the rate limits were used up`,
        2: 'fix the cause first: change the command, the keys or the data',
        4: `check before you retry: the change was made but the response could not be
printed, or the change may have been made`,
        130: `${STOPPED}; a change may have been made`,
      },
      examples: [
        'payments-rx call charges.list status=PENDING --limit 10',
        'payments-rx call --list',
        'payments-rx call charges.retrieve --help',
        'payments-rx call batchTransfers.create request_id=run-7 name=March --yes',
      ],
    },
  )
    .helpOption(false)
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
    if (flags.help !== true) throw new UsageError('the call name is missing: see call --list')
    command.outputHelp()
    return of({ status: EXIT_COMPLETE })
  }
  const named = rowByName(name, args)
  const { row } = named
  if (flags.help === true) {
    return callHelp(named, terminal.stderr.columns || 80).then((summary) => ({
      status: EXIT_COMPLETE,
      summary,
    }))
  }
  if (flags.limit !== undefined && !isList(row)) {
    throw new UsageError(`--limit is only for lists: ${name} returns one value`)
  }
  return defer(() => callParams(row, args, readText(terminal), terminal.timer.now())).pipe(
    switchMap((params) =>
      connect(terminal, flags, {
        connection: row.auth === 'basic' ? partnerConnectionFrom : connectionFrom,
      }).pipe(
        switchMap((connection) => {
          if (isWrite(row)) run.say(accountLine(connection)) // on stderr, because stdout is for the response
          return isWrite(row) && !flags.yes && flags.sandbox !== true && !isHarmless(connection)
            ? of(show(run, named, params, connection))
            : send(run, row, params, flags, connection)
        }),
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
      throw new UsageError(whyUnread(source.slice(1), error))
    }
  }

// writes

const isWrite = ({ route }: AnyEndpoint): boolean => method(route) === 'POST'

/** Returns true for a sandbox or an address on this machine, where no money moves. */
const isHarmless = ({ environment, baseUrl }: Connection): boolean =>
  environment === 'test' || /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(baseUrl).hostname)

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

/** The text of a value or of a page's rows, or a failure. */
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
  /** Prints lines. Resolves with false if no more lines are wanted. */
  const print = async (lines: Lines): Promise<boolean> => {
    for (const line of lines) {
      if (printed === limit) return false
      printed += 1
      if (E.isLeft(line)) {
        const ending = failureEnding(line.left, { next: '' })
        output.complain(ending.reason)
        // the service has responded, so the write was made
        const isMade = isWrite(row) && line.left._tag === 'Undecodable'
        status = Math.max(status, isMade ? EXIT_LOOK : ending.status)
        continue
      }
      const refused = await output.writeRows(`${line.right}\n`)
      if (refused !== undefined) {
        status = isWrite(row) ? EXIT_LOOK : refused
        if (isWrite(row))
          output.complain('the call was made, but its response could not be printed')
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

/** Passes the response of a call to `print`, page by page. A list with a limit requests no page ahead. */
const linesOf = (
  client: Client,
  row: AnyEndpoint,
  params: unknown,
  print: (lines: Lines) => Promise<boolean>,
  limit: number,
): Observable<boolean> => {
  const lineOf = E.map((value: unknown) => stringifyExact(row.success.encode(value)))
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
