import { Command, Option } from 'commander'
import { compressions, formatNames } from '../../export/format/Format.js'
import {
  dryRunOption,
  leaseOption,
  parallelOption,
  withPace,
  withSandbox,
  withView,
} from '../commonOptions.js'
import { type Documentation, documented, GROUP, statuses } from '../help.js'
import {
  commaSeparated,
  integer,
  nonEmpty,
  nonNegativeInteger,
  timeSpan,
} from '../optionParsers.js'
import type { CommandContext } from '../output.js'
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

export const exportCommand = (context: CommandContext): Command =>
  new Command('export')
    .description('Export a list to a file, folder or bucket. An interrupted export can be resumed.')
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
  const command = resource.withFilters(
    new Command(resource.name).description(resource.description).optionsGroup(GROUP.filters),
    () => timer.now(),
  )
  const timed = resource.isTimed === true ? command.addOption(parallelOption()) : command
  const exported = exportResource(resource)
  const connected = resource.withConnection(withPace(withResuming(withView(withFiles(timed)))))
  return documented(
    withSandbox(connected, resource.simulated),
    documentation(resource.name),
  ).action((flags: ExportFlags & Flags) => exported(context, flags))
}

const withFiles = (command: Command): Command =>
  command
    .optionsGroup(GROUP.output)
    .option('--out <path>', 'FILE, DIR/ (many files), s3://BUCKET/..., or - (stdout)', nonEmpty)
    .addOption(
      new Option(
        '--format <name>',
        'ndjson, json, csv, parquet [from the name, else ndjson]',
      ).choices(formatNames),
    )
    .addOption(
      new Option(
        '--compress <how>',
        'none, gzip or zstd [from the name; built into Parquet]',
      ).choices(compressions),
    )
    .option(
      '--columns <names>',
      'fields to write, in order: id,amount; a.b if nested',
      commaSeparated,
    )
    .addOption(
      new Option('--amounts <how>', 'Parquet amounts: decimal (18,4) or text [decimal]').choices([
        'decimal',
        'text',
      ]),
    )
    .option('--exact', 'keep every digit of numbers; 8 times slower', false)
    .addOption(
      new Option('--formulas <how>', "CSV formulas: keep, or mask with a leading ' [keep]").choices(
        ['mask', 'keep'],
      ),
    )
    .option('--rotate-rows <n>', 'DIR/: maximum number of rows per file', integer(1))
    .option('--rotate-bytes <n>', 'DIR/: start a new file at this size', integer(1))
    .option(
      '--max-rejects <n>',
      'stop when more rows than this are rejected',
      nonNegativeInteger,
      10_000,
    )
    .option('--rejects <file>', 'private file for rejected rows (--out -, --in-place)', nonEmpty)
    .option('--in-place', 'write directly to FILE, a pipe or device; no --resume', false)
    .addOption(dryRunOption().conflicts('resume'))

const withResuming = (command: Command): Command =>
  command
    .optionsGroup(GROUP.resume)
    .addOption(
      new Option('--resume', 'resume an interrupted export, or start one')
        .default(false)
        .conflicts('restart'),
    )
    .option('--restart', 'discard any existing output and start over', false)
    .option(
      '--checkpoint <file>',
      'where to keep the checkpoint [next to the destination]',
      nonEmpty,
    )
    .option(
      '--deadline <time>',
      'stop after this long, such as 6h; continue with --resume [never]',
      timeSpan,
    )
    .addOption(leaseOption())

// the end of the help page

/** Examples by resource, after its name. */
const EXAMPLES: Readonly<Record<string, ReadonlyArray<string>>> = {
  charges: [
    '--out charges.csv',
    '--from 2026-01-01 --status SETTLED --out paid.csv',
    '--out charges.parquet --resume',
    '--out charges/ --format parquet',
    '--out - | jq .id',
    '--sandbox --rows 100000 --out charges.ndjson',
  ],
  'batch-transfers': ['--status BOOKED --out booked.csv'],
  'batch-items': ['--batch BATCH_ID --out items.ndjson'],
  webhooks: ['--out webhooks.json'],
  'partner-webhooks': ['--out webhooks.json'],
}

const documentation = (name: string): Documentation => ({
  about: `
Every second (Parquet: every ten), the rows read so far are saved, and
FILE.checkpoint.json records how far the export got. To resume an interrupted
export, rerun the same command with --resume. FILE stays unchanged until the
export is complete. FILE.manifest.json then lists the contents of the files, and
"payments-rx verify FILE" checks them. Rows that cannot be written go to
FILE.rejects.ndjson with the reason (with --out -, to stderr). To read all rows
again, use --restart.`,
  statuses: {
    ...statuses(0, 1, 2, 3, 130, 141),
    0: 'done: all rows were written',
    1: 'failed or incomplete: the last line says why; continue with --resume',
  },
  examples: (EXAMPLES[name] ?? []).map((words) => `payments-rx export ${name} ${words}`),
})
