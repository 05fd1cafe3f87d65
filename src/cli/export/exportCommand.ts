import { Command, Option } from 'commander'
import { compressions, formatNames } from '../../export/index.js'
import {
  dryRunOption,
  leaseOption,
  lookbackOption,
  parallelOption,
  withPace,
  withReport,
  withSandbox,
  withView,
} from '../commonOptions.js'
import {
  commaSeparated,
  integer,
  nonEmpty,
  nonNegativeInteger,
  timeSpan,
} from '../optionParsers.js'
import type { CommandContext } from '../output.js'
import { plainRedisOption, queueOption } from '../queue/openQueue.js'
import type { ExportFlags } from './exportFlags.js'
import { exportResource } from './exportResource.js'
import {
  batchItems,
  batchTransfers,
  charges,
  type ExportableList,
  partnerWebhooks,
  webhooks,
} from './resources.js'

/** `export`: a list, into files. */
export const exportCommand = (context: CommandContext): Command =>
  new Command('export')
    .description('Stream a list into files that survive a crash.')
    .addCommand(commandOf(charges, context))
    .addCommand(commandOf(batchTransfers, context))
    .addCommand(commandOf(batchItems, context))
    .addCommand(commandOf(webhooks, context))
    .addCommand(commandOf(partnerWebhooks, context))

const commandOf = <A, Flags, Filter extends object>(
  resource: ExportableList<A, Flags, Filter>,
  context: CommandContext,
): Command => {
  const { timer } = context.terminal
  const command = resource.withOptions(
    new Command(resource.name).description(resource.description),
    () => timer.now(),
  )
  const timed = resource.isTimed === true ? withTimes(command) : command
  const exported = exportResource(resource)
  return withSandbox(withReport(withView(withPace(withFiles(timed)))), resource.simulated)
    .addHelpText('after', help(resource.name))
    .action((flags: ExportFlags & Flags) => exported(context, flags))
}

const withFiles = (command: Command): Command =>
  command
    .option(
      '--out <path>',
      'FILE; DIR/ for one file per time slice; s3://BUCKET/... for either; or - for stdout',
      nonEmpty,
      '-',
    )
    .addOption(
      new Option('--format <name>', 'file format [from the file name, or ndjson]').choices(
        formatNames,
      ),
    )
    .addOption(
      new Option(
        '--compress <how>',
        'compression [from the file name; Parquet: zstd inside the file]',
      ).choices(compressions),
    )
    .option(
      '--columns <names>',
      'fields and their order, such as id,amount; nested ones with dots',
      commaSeparated,
    )
    .addOption(
      new Option('--amounts <how>', 'Parquet: decimal(18,4) or text [decimal]').choices([
        'decimal',
        'text',
      ]),
    )
    .option(
      '--exact',
      'keep the exact digits of all numbers; reads at an eighth of the speed',
      false,
    )
    .addOption(
      new Option(
        '--formulas <how>',
        "CSV: mask puts ' before text that a spreadsheet would execute [keep]",
      ).choices(['mask', 'keep']),
    )
    .option('--rotate-rows <n>', 'DIR/: maximum number of rows per file', integer(1))
    .option('--rotate-bytes <n>', 'DIR/: start a new file once this size is reached', integer(1))
    .option(
      '--rejects <file>',
      'with --out - or --in-place: a private file for rejected rows [not kept]',
      nonEmpty,
    )
    .option('--in-place', 'write directly to FILE, for pipes and devices; cannot be resumed', false)
    .addOption(dryRunOption().conflicts(['resume', 'sinceLast', 'report']))
    .option(
      '--checkpoint <file>',
      'where to keep the checkpoint [beside the destination]',
      nonEmpty,
    )
    .addOption(
      new Option('--resume', 'resume an interrupted export, or read its rejected rows again')
        .default(false)
        .conflicts('restart'),
    )
    .option('--restart', 'discard any existing output and start over', false)
    .option('--deadline <time>', 'stop after this time; --resume continues [never]', timeSpan)
    .addOption(leaseOption())
    .option(
      '--max-rejects <n>',
      'stop when more rows than this cannot be written',
      nonNegativeInteger,
      10_000,
    )

const withTimes = (command: Command): Command =>
  command
    .addOption(
      new Option(
        '--since-last [manifest]',
        'export only what is new or may have changed since the last complete run of DIR/, or of this manifest',
      )
        .argParser(nonEmpty)
        .conflicts('from'),
    )
    .addOption(lookbackOption())
    .addOption(parallelOption())
    .addOption(
      queueOption('queue slices of DIR/ in Redis for "payments-rx worker"').conflicts(UNQUEUED),
    )
    .addOption(plainRedisOption())
    .option('--slices <n>', 'with --queue: number of slices [12]', integer(1, 1_000))

/** Flags of an export in one process, which `--queue` excludes. */
const UNQUEUED = [
  ...['resume', 'sinceLast', 'lookback', 'checkpoint', 'inPlace', 'rotateRows', 'rotateBytes'],
  ...['exact', 'deadline', 'parallel', 'sandbox', 'dryRun'],
]

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
Every second (Parquet: every ten), everything read so far is made durable and
recorded in FILE.checkpoint.json: to resume an interrupted export, run the same
command with --resume. FILE stays unchanged until the export is complete. At
the end, FILE.manifest.json lists the contents of the files, and
"payments-rx verify FILE" checks them. Rows that cannot be written go to
FILE.rejects.ndjson, each with the reason (with --out - to stderr); --resume
reads them again, and adds those that now fit.

Exit status:
  0    complete: every row is written
  1    incomplete: the last line says why
  2    wrong use, existing output, or a refusal that needs action: the last
       line says what to do; rows written so far are kept
  3    another run is writing there, or has taken over
  130  stopped by Ctrl-C (143 by SIGTERM); everything read was written
  141  the reader of stdout closed it

Examples:
${(EXAMPLES[name] ?? []).map((words) => `  payments-rx export ${name} ${words}`).join('\n')}`
