/** `worker`: exports slices queued by `export --queue`, until stopped. */
import { Command, InvalidArgumentError } from 'commander'
import { lastValueFrom, tap } from 'rxjs'
import type { SliceWorkerEvent } from '../../bullmq/index.js'
import { E, withoutUndefined } from '../../fp.js'
import { plural, SECOND } from '../../report/text.js'
import { leaseOption, type PaceFlags, withPace } from '../commonOptions.js'
import { addConnectionOptions, type ConnectionFlags, connectionFrom } from '../connection.js'
import { exportClient } from '../export/exportClient.js'
import type { ExportFlags } from '../export/exportFlags.js'
import { integer } from '../optionParsers.js'
import type { CommandContext } from '../output.js'
import { type CommandRun, type Ending, runCommand } from '../runCommand.js'
import { openQueue, plainRedisOption, queueOption, stoppedEnding } from './openQueue.js'

interface WorkerFlags
  extends ConnectionFlags,
    PaceFlags,
    Pick<ExportFlags, 'parallel' | 'lease' | 'queue' | 'plainRedis'> {
  readonly allow: ReadonlyArray<string>
  readonly concurrency: number
  readonly pageSize: number
  readonly quiet: boolean
}

const HELP = `
Ctrl-C and SIGTERM commit what was read and return the slice to the queue.
After --lease, another worker takes over the slice of one that was killed. All
commands with the same Redis share the rate limits.

Exit status:
  2    wrong use, or no Redis there: nothing was done
  130  stopped by Ctrl-C (143 by SIGTERM)`

export const workerCommand = (context: CommandContext): Command =>
  withPace(
    addConnectionOptions(new Command('worker'))
      .description('Work on slices queued by `export charges --queue`. Runs until stopped.')
      .addOption(queueOption('Redis with the queue'))
      .addOption(plainRedisOption())
      .requiredOption(
        '--allow <prefix>',
        'a folder or s3://BUCKET/PREFIX/ that jobs may write to; may be repeated',
        allowed,
      )
      .option('--concurrency <n>', 'concurrent slices', integer(1, 100), 1)
      .option(
        '--parallel <n>',
        'concurrent requests [auto: enough to use the full rate limit]',
        integer(1, 100),
      )
      .option('--page-size <n>', 'rows per request, 10 to 2000', integer(10, 2_000), 2_000)
      .addOption(leaseOption('', SECOND))
      .option('--quiet', 'print only errors', false),
  )
    .addHelpText('after', HELP)
    .action((flags: WorkerFlags) =>
      runCommand(context, flags, { run: (run) => work(run, flags), stopsInOrder: true }),
    )

/** Gathers the values of an option that is given several times. */
const allowed = (prefix: string, before: ReadonlyArray<string> = []): ReadonlyArray<string> => {
  if (!/[^/]\/$/.test(prefix)) {
    throw new InvalidArgumentError(
      'It should be a folder or an s3:// URL, with a slash at its end.',
    )
  }
  return [...before, prefix]
}

const work = async (run: CommandRun, flags: WorkerFlags): Promise<Ending> => {
  const { terminal, output, options, say } = run
  const { env } = terminal
  const connection = connectionFrom(flags, env)
  const settings = { ...flags, exact: false }
  const queue = await openQueue({ ...options, url: flags.queue, isPlain: flags.plainRedis })
  if (queue === undefined) return stoppedEnding(run)
  try {
    const account = exportClient(terminal, settings, connection).charges.snapshot().describe()
    const quota = flags.limits ? queue.quotaFor(account) : undefined
    const client = exportClient(terminal, settings, connection, quota)
    const payments = {
      charges: {
        snapshot: (filter: Parameters<typeof client.charges.snapshot>[0]) =>
          client.charges.snapshot({ page_size: flags.pageSize, ...filter }),
      },
    }
    run.noteWaits(client)
    const { parallel, concurrency, allow } = flags
    const working = queue.functions.sliceWorker({
      ...{ ...options, payments, connection: queue.connection, allow, concurrency },
      onWait: output.complain,
      ...withoutUndefined({ parallel }),
    })
    say(`waiting for slices at ${queue.host}`)
    await lastValueFrom(working.pipe(tap((event) => noteOf(event, say, output.complain))), {
      defaultValue: undefined,
    })
    return stoppedEnding(run)
  } finally {
    queue.close()
  }
}

/** Says how a slice begins, and how it ends. */
const noteOf = (
  { out, slice, event }: SliceWorkerEvent,
  say: (text: string) => void,
  complain: (text: string) => void,
): void => {
  const name = `slice ${slice.number} of ${slice.of} into ${out}`
  if (E.isLeft(event)) {
    complain(`${name}: ${event.left.message}`)
    return
  }
  const { begun, ended, stopped, rows } = event.right
  if (begun !== undefined) {
    say(`${name}: ${begun.resumed ? `resumed after ${plural(rows, 'row')}` : 'begun'}`)
  }
  if (ended) say(`${name}: complete, ${plural(rows, 'row')}`)
  if (stopped) say(`${name}: given back after ${plural(rows, 'row')}`)
}
