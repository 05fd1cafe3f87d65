import { Command, Option } from 'commander'
import { compressions, formatNames } from '../../export/index.js'
import { sandboxOption } from '../connection.js'
import {
  commaSeparated,
  fraction,
  guard,
  integer,
  nonEmpty,
  nonNegativeInteger,
  patience,
  secondsUpTo,
  timeSpan,
} from '../optionParsers.js'
import { PROGRESS_MODES } from '../progress/ProgressView.js'
import { queueOption } from '../queue/openQueue.js'
import type { Terminal } from '../Terminal.js'
import type { ExportFlags } from './exportFlags.js'
import { exportResource } from './exportResource.js'
import {
  batchItems,
  batchTransfers,
  charges,
  partnerWebhooks,
  type Resource,
  type Simulated,
  webhooks,
} from './resources.js'

/** `export`: a list, into files. */
export const exportCommand = (terminal: Terminal, done: (status: number) => void): Command =>
  new Command('export')
    .description('Stream a list into files that survive a crash.')
    .addCommand(commandOf(charges, terminal, done))
    .addCommand(commandOf(batchTransfers, terminal, done))
    .addCommand(commandOf(batchItems, terminal, done))
    .addCommand(commandOf(webhooks, terminal, done))
    .addCommand(commandOf(partnerWebhooks, terminal, done))

const commandOf = <A, Flags, Filter extends object>(
  resource: Resource<A, Flags, Filter>,
  terminal: Terminal,
  done: (status: number) => void,
): Command => {
  const own = resource.withOptions(new Command(resource.name).description(resource.description))
  const timed = resource.isTimed === true ? withTimes(own) : own
  const exported = exportResource(resource)
  return withSandbox(withReport(withView(withPace(withFiles(timed)))), resource.simulated)
    .addHelpText('after', help(resource.name))
    .action(async (flags: ExportFlags & Flags) => done(await exported(terminal, flags)))
}

const withFiles = (command: Command): Command =>
  command
    .option(
      '--out <path>',
      'FILE, DIR/ for a file for each slice of time, s3://BUCKET/... for either, or - for stdout',
      nonEmpty,
      '-',
    )
    .addOption(
      new Option(
        '--format <name>',
        'how rows are written [by the name of the file, ndjson]',
      ).choices(formatNames),
    )
    .addOption(
      new Option('--compress <how>', '[by the name of the file; Parquet: zstd, within]').choices(
        compressions,
      ),
    )
    .option(
      '--columns <names>',
      'fields and their order, nested ones dotted: id,amount',
      commaSeparated,
    )
    .addOption(
      new Option('--amounts <how>', 'Parquet: decimal(18,4), or text [decimal]').choices([
        'decimal',
        'text',
      ]),
    )
    .option(
      '--exact',
      'numbers digit by digit as they came; reads at an eighth of the speed',
      false,
    )
    .addOption(
      new Option(
        '--formulas <how>',
        "CSV: mask puts ' before texts that a spreadsheet would run [keep]",
      ).choices(['mask', 'keep']),
    )
    .option('--rotate-rows <n>', 'DIR/: rows a file, at most', integer(1))
    .option(
      '--rotate-bytes <n>',
      'DIR/: end a file after the page with which it has so many bytes',
      integer(1),
    )
    .option('--in-place', 'write FILE itself, as a pipe or a device: it cannot be resumed', false)
    .addOption(
      new Option('--dry-run', 'only estimate rows, requests and time; write nothing')
        .default(false)
        .conflicts(['resume', 'sinceLast', 'report']),
    )
    .option('--checkpoint <file>', 'where to keep how far it is [beside the output]', nonEmpty)
    .addOption(
      new Option('--resume', 'go on where an export stopped').default(false).conflicts('restart'),
    )
    .option('--restart', 'start over, whatever is there', false)
    .option('--deadline <time>', 'stop after it; --resume goes on [never]', timeSpan)
    .option(
      '--lease <time>',
      'how long another run waits for this one to show that it lives [15s]',
      timeSpan,
    )
    .option(
      '--max-rejects <n>',
      'stop when more rows than that cannot be written',
      nonNegativeInteger,
      10_000,
    )

const withTimes = (command: Command): Command =>
  command
    .addOption(
      new Option(
        '--since-last [manifest]',
        'only what the last complete run of DIR/ or of that manifest has not, and what may have changed',
      )
        .argParser(nonEmpty)
        .conflicts('from'),
    )
    .option('--lookback <time>', 'how far back charges may have changed [7d]', timeSpan)
    .option('--parallel <n>', 'requests at a time [as many as use the quota up]', integer(1, 100))
    .addOption(
      queueOption('give slices of DIR/ to "payments-rx worker", by a Redis').conflicts(UNQUEUED),
    )
    .option('--slices <n>', 'with --queue: how many [12]', integer(1, 1_000))

/** Flags of an export in one process, which `--queue` excludes. */
const UNQUEUED = [
  ...['resume', 'sinceLast', 'lookback', 'checkpoint', 'inPlace', 'rotateRows', 'rotateBytes'],
  ...['exact', 'deadline', 'parallel', 'sandbox', 'dryRun'],
]

/** How hard the service is asked, and how long its faults are waited for. */
export const withPace = (command: Command): Command =>
  command
    .option('--share <part>', 'of the limits to use, for those who share an account', fraction, 1)
    .addOption(
      new Option('--no-limits', 'keep none: only for a service that has none').conflicts('share'),
    )
    .addOption(
      new Option(
        '--guard <how>',
        "room for the network's jitter: learned, safe (nothing is ever refused, less of the quota), or milliseconds [learned; with --sandbox safe]",
      ).argParser(guard),
    )
    .option(
      '--patience <time>',
      'how long a fault of the service is waited for: seconds, 5m, or forever',
      patience,
      300,
    )
    .option(
      '--timeout <time>',
      'how long the first byte of an answer is waited for: seconds, or 90s; up to 300 [60]',
      secondsUpTo(300),
    )

/** How it is shown. */
export const withView = (command: Command): Command =>
  command
    .addOption(
      new Option(
        '--progress <how>',
        'auto (a line that changes, or one every half minute in a log), json, or none',
      )
        .choices(PROGRESS_MODES)
        .default('auto'),
    )
    .addOption(
      new Option('--quiet', 'no progress and no summary; only what went wrong')
        .default(false)
        .conflicts('progress'),
    )

const withReport = (command: Command): Command =>
  command.option('--report <file>', 'a page of how it went, to be opened in a browser', nonEmpty)

export const withSandbox = (command: Command, simulated: Simulated | undefined): Command => {
  const option = sandboxOption('start a sandbox on a free port, and read from it')
  if (simulated === undefined) return command.addOption(option)
  const { what, count, most } = simulated
  const words = `how many ${what} that sandbox has [${count}]`
  return command.addOption(option).option('--rows <n>', words, integer(0, most))
}

// the end of the help page

/** Examples by resource, after its name. */
const EXAMPLES: Readonly<Record<string, ReadonlyArray<string>>> = {
  charges: [
    '--sandbox --rows 100000 --out charges.ndjson',
    '--from 2026-01-01 --status SETTLED --out paid.csv',
    '--out charges.parquet --resume',
    '--out charges/ --format parquet --since-last',
    '--out - | jq .id',
  ],
  'batch-transfers': ['--status BOOKED --out booked.csv'],
  'batch-items': ['--batch BATCH_ID --out items.ndjson'],
  webhooks: ['--out webhooks.json'],
  'partner-webhooks': ['--out webhooks.json'],
}

const help = (name: string): string => `
Every second (Parquet: ten) all that was read is made durable, and
FILE.checkpoint.json says up to where: after whatever stopped it, the same
command with --resume goes on. Until it is complete, FILE stays as it was. At
the end FILE.manifest.json says what is in the files; "payments-rx verify FILE"
checks them. Rows that cannot be written go to FILE.rejects.ndjson, each with
the reason (with --out - to stderr).

Exit status:
  0    complete: every row is written
  1    incomplete: the last line says why
  2    wrong use, something is in the way, or the service refuses it: nothing
       was changed
  3    another run is writing there, or has taken over
  130  stopped by Ctrl-C (143 by SIGTERM), with all that was read written
  141  the reader of stdout went away

Examples:
${(EXAMPLES[name] ?? []).map((words) => `  payments-rx export ${name} ${words}`).join('\n')}`
