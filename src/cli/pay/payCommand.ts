/** `pay`: the payments of a file, checked, quoted, and, with `--yes`, paid once. */
import { Command, InvalidArgumentError, Option } from 'commander'
import { QuoteValidity } from '../../codec/BatchTransfer.js'
import { isS3 } from '../../store/S3Location.js'
import { withPace, withView } from '../commonOptions.js'
import { addConnectionOptions, sandboxOption } from '../connection.js'
import { nonEmpty, timeSpan } from '../optionParsers.js'
import { type CommandContext, UsageError } from '../output.js'
import { template } from './itemFields.js'
import { formatOfName, type PayFormat, payFormats } from './payFile.js'
import { type PayFlags, performDiscard, performPay } from './performPay.js'
import type { SpendingLimits } from './quoteTable.js'

const HELP = `
FILE has a payment in each row: CSV, NDJSON or Parquet; - reads stdin, as CSV
unless --format is given. Columns have the names of the fields of a payment,
with dots (beneficiary.bank_details.iban); --template prints the usual ones.
--map names a JSON file that says which column holds which field:
  { "transfer_amount": "Net pay", "reason": { "value": "wages_salary" } }
A row without a request_id gets RUN-1, RUN-2 ... by its place.

All rows are checked before anything is sent. Then batches are filled and
quoted, and the quote is shown. Nothing is paid without --yes. The state of a
run is in its batches on the platform: run the same command again, on any
machine, and it completes the rest; no payment is made twice. A file with other
payments under the same --run is refused.

Outcomes are in FILE.outcomes.ndjson; rows that were not paid are in
FILE.rejected.csv, with a reason. Only you can read them.

Exit status:
  0    all are booked; without --yes: all are valid and quoted
  1    not finished: the last line says why; the same command continues
  2    wrong use, invalid rows, or above --max: nothing was submitted
  4    finished, and some are not booked: see FILE.rejected.csv
  130  stopped by Ctrl-C (143 by SIGTERM); the same command continues

Examples:
  payments-rx pay --template > wages.csv
  payments-rx pay wages.csv --run wages-2026-01
  payments-rx pay wages.csv --run wages-2026-01 --yes --max USD=100000
  payments-rx pay --run wages-2026-01 --discard`

/** `pay`: a file of payments. */
export const payCommand = (context: CommandContext): Command =>
  withView(
    withPace(
      addConnectionOptions(
        new Command('pay').description(
          'Pay the rows of a file, each once: checked, quoted, approved.',
        ),
      )
        .addOption(sandboxOption('start a sandbox on a free port, and pay there'))
        .argument('[file]', 'a .csv, .ndjson or .parquet file, or - for stdin', nonEmpty)
        .option('--run <name>', 'name of the run; use the same name to run it again', runName)
        .option('--yes', 'pay the quoted amounts', false)
        .option('--max <amounts>', 'pay no more than this: USD=10000,EUR=5000', amounts)
        .option('--without-invalid', 'pay the valid rows and leave out the invalid ones', false)
        .option('--map <file>', 'JSON file: which column holds which field', nonEmpty)
        .addOption(
          new Option('--format <name>', 'format of FILE [by its name]').choices(payFormats),
        )
        .option('--name <text>', 'name of the batches', nonEmpty)
        .option(
          '--transfer-date <date>',
          'day of the payments, YYYY-MM-DD [as early as possible]',
          nonEmpty,
        )
        .option('--funding-source <id>', 'linked account to debit [the wallet]', nonEmpty)
        .addOption(
          new Option(
            '--validity <time>',
            'how long quotes should hold [decided by the platform]',
          ).choices(Object.keys(QuoteValidity.keys)),
        )
        .option(
          '--tolerance <percent>',
          'pay without asking again if a new quote is at most this much worse [0]',
          percent,
        )
        .option('--wait <time>', 'how long to wait until all is booked [1h]', timeSpan)
        .option('--discard', 'delete the drafts of the run and pay nothing', false)
        .option('--template', 'print a file with the usual columns and an example', false),
    ),
  )
    .addHelpText('after', HELP)
    .action((file: string | undefined, flags: PayFlags) => {
      const { run, template: isTemplate, discard, yes } = flags
      if (isTemplate) return context.output.print(template())
      if (run === undefined) throw new UsageError('--run is needed: a name for these payments')
      if (discard && yes) throw new UsageError('--discard and --yes exclude each other')
      if (discard) return performDiscard(context, run, flags)
      if (file === undefined) throw new UsageError('FILE is needed (or --template, to begin with)')
      return performPay(context, { run, file, format: formatOf(file, flags.format) }, flags)
    })

const formatOf = (file: string, given: PayFormat | undefined): PayFormat => {
  if (isS3(file)) throw new UsageError('FILE should be on this machine: download it first')
  const format = given ?? (file === '-' ? 'csv' : formatOfName(file))
  if (format !== undefined) return format
  throw new UsageError(`--format is needed for ${file}: ${payFormats.join(', ')}`)
}

// parsers

const runName = (text: string): string => {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/.test(text)) return text
  throw new InvalidArgumentError(
    'It should be up to 40 letters, digits, dots, dashes and underscores.',
  )
}

const amounts = (text: string): SpendingLimits => {
  const pairs = text.split(',').map((pair) => /^([A-Z]{3})=(\d+(?:\.\d+)?)$/.exec(pair.trim()))
  if (pairs.some((pair) => pair === null)) {
    throw new InvalidArgumentError(
      'It should be amounts by currency, such as USD=10000,EUR=5000.50.',
    )
  }
  return new Map(pairs.map((pair) => [pair?.[1] ?? '', pair?.[2] ?? '']))
}

const percent = (text: string): number => {
  const n = Number(text)
  if (/^\d+(?:\.\d+)?$/.test(text) && n <= 100) return n
  throw new InvalidArgumentError('It should be a per cent from 0 to 100, such as 0.5.')
}
