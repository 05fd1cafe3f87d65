/** `follow`: what comes and changes, as lines of JSON. */

import { Command } from 'commander'
import { concatMap, EMPTY, from, type Observable, of, switchMap } from 'rxjs'
import { limits, unlimited } from '../api/limits.js'
import type { Changes } from '../changes/ChangesOptions.js'
import { type Client, createClient } from '../client/createClient.js'
import { defined, E } from '../fp.js'
import {
  addConnectionOptions,
  type Connection,
  type ConnectionFlags,
  connect,
  connectionFrom,
  sandboxOption,
} from './connection.js'
import { integer, timeSpan, timestamp } from './optionParsers.js'
import type { CommandContext } from './output.js'
import { type CommandRun, type Ending, runCommand } from './runCommand.js'

interface FollowFlags extends ConnectionFlags {
  readonly every: number
  readonly since?: string
  readonly sandbox?: boolean
  readonly rows?: number
  readonly limits: boolean
}

const HELP = `
Each line is a JSON object:
  kind      added, or changed
  value     the row as it stands; states between two polls are not told
  position  told: how many changes came before; upTo: up to when all new rows
            were told, for --since of a later run

It begins with the rows that can still change, and goes on until it is stopped.
An outage is told on stderr, and waited for.

Exit status:
  2    wrong use
  130  stopped by Ctrl-C (143 by SIGTERM)
  141  the reader of stdout went away

`

export const followCommand = (context: CommandContext): Command =>
  new Command('follow')
    .description('Print rows that come or change, as lines of JSON, until stopped.')
    .addCommand(followCharges(context))
    .addCommand(followBatches(context))

const followCharges = (context: CommandContext): Command =>
  withOptions(new Command('charges'))
    .description('Print charges that come or change.')
    .option('--since <time>', 'charges created at or after this time [now]', timestamp('00:00:00'))
    .addHelpText(
      'after',
      `${HELP}Examples:
  payments-rx follow charges | jq -r '[.kind, .value.id, .value.status] | @tsv'
  payments-rx follow charges --since 2026-01-31 --every 1m`,
    )
    .action((flags: FollowFlags) =>
      follow(context, flags, ({ charges }) =>
        charges.changes({ every: flags.every, ...defined({ since: flags.since }) }),
      ),
    )

const followBatches = (context: CommandContext): Command =>
  withOptions(new Command('batch-transfers'))
    .description(
      'Print batch transfers that come or change. Reads the whole list each time, in pages of 50.',
    )
    .addHelpText('after', `${HELP}Example:\n  payments-rx follow batch-transfers --every 1m`)
    .action((flags: FollowFlags) =>
      follow(context, flags, ({ batchTransfers }) => {
        context.output.complain(
          'the service lists batches only whole: each poll takes a request for 50 of them',
        )
        return batchTransfers.changes({ every: flags.every })
      }),
    )

const withOptions = (command: Command): Command =>
  addConnectionOptions(command)
    .option('--every <time>', 'from one poll to the next [10s]', timeSpan, 10_000)
    .addOption(sandboxOption('start a sandbox on a free port, and follow it'))
    .option('--rows <n>', 'number of charges in that sandbox [100000]', integer(0, 2 ** 31))
    .option('--no-limits', 'turn off client-side rate limits (only for a service that has none)')

const follow = (
  context: CommandContext,
  flags: FollowFlags,
  changesOf: (client: Client) => Changes<unknown>,
): Promise<void> =>
  runCommand(
    context,
    {},
    {
      run: (run) =>
        connect(run.terminal, flags, {
          connection: connectionFrom,
          simulated: { charges: flags.rows ?? 100_000, batches: 10 },
        }).pipe(switchMap((connection) => print(run, changesOf(clientOf(run, flags, connection))))),
    },
  )

const clientOf = (
  { terminal: { timer, timeout } }: CommandRun,
  flags: FollowFlags,
  connection: Connection,
): Client =>
  createClient({
    ...connection,
    ...defined({ timeout }),
    limits: flags.limits ? limits[connection.environment] : unlimited,
    timer,
  })

/** Prints changes until stdout takes no more. */
const print = ({ output }: CommandRun, changes: Changes<unknown>): Observable<Ending> =>
  changes
    .drain((event) => {
      if (E.isRight(event)) return from(output.writeRows(`${JSON.stringify(event.right)}\n`))
      output.complain(event.left.message)
      return EMPTY
    })
    .pipe(concatMap((status) => (status === undefined ? EMPTY : of({ status }))))
