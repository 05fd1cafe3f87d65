/** `pay`: checks the payments in a file and gets a quote. With `--yes`, pays them once. */
import { Command, InvalidArgumentError, Option } from 'commander'
import { decimalOf, type PayBound } from '../../client/pay/PayOptions.js'
import { QuoteValidity } from '../../codec/BatchTransfer.js'
import { locationOf } from '../../export/location/Location.js'
import { O } from '../../fp.js'
import { withPace, withView } from '../commonOptions.js'
import { addConnectionOptions, sandboxOption } from '../connection.js'
import { documented, STOPPED, statuses } from '../help.js'
import { integer, nonEmpty, timeSpan } from '../optionParsers.js'
import { type CommandContext, UsageError } from '../output.js'
import { template } from './itemFields.js'
import { formatOfName, type PayFormat, payFormats } from './payFile.js'
import { performDiscard } from './performDiscard.js'
import { type PayFlags, performPay } from './performPay.js'

const ABOUT = `
FILE has one payment per row, as CSV or NDJSON; - reads stdin, as CSV unless
--format is given. Columns are named after the fields of a payment, with dots
for nested ones (beneficiary.bank_details.iban); --template prints the usual
ones. --map names a JSON file that maps fields to columns or fixed values:
  { "transfer_amount": "Net pay", "reason": { "value": "wages_salary" } }
A row without a request_id gets RUN-1, RUN-2 ... by its position.

pay checks all rows before it sends anything. Then it drafts batch transfers of
up to 1,000 payments, requests a quote for each, and shows the total with the
command that pays it. It pays nothing without --yes and a limit: --max is the
most that you pay in each currency, fees included, and --at-least is the least
that beneficiaries receive, for rows with source_amount in another currency.
Both apply to the whole run, including payments that it submitted earlier. A
valid quote is paid as shown; an expired one is renewed, and paid if it is
within the limits. A quote that cannot be added up, such as one without an
amount, is not paid. The state of a run is kept in its batches on the platform:
rerun the same command on any machine to complete the rest; no payment is made
twice. pay refuses a file with different payments under the same --run.

If payments repeat others, pay lists them and sends nothing. It looks for
matching rows in the file (same account, currencies, amount and reference), and
for rows or whole files that another run already has. The search in other runs
sends at most 20 requests. To pay them anyway, pass the number of repeats as
--repeats N. pay refuses ambiguous amounts such as 1.250 EUR and shortened
account numbers. It only warns about IBANs with wrong check digits.

Outcomes are written to FILE.RUN.outcomes.ndjson. Unpaid rows, each with a
reason, are written to FILE.RUN.rejected.csv. Only you can read these files. An
existing rejected file, which you may have corrected, is never replaced: the new
one gets a number.`

export const payCommand = (context: CommandContext): Command =>
  documented(
    withView(
      withPace(
        addConnectionOptions(
          withPayments(
            new Command('pay').description(
              'Pay each row of a file exactly once, after checks, a quote and your approval.',
            ),
          ),
        ).addOption(sandboxOption('start a local sandbox on a free port and pay there')),
      ),
      'print only the account, the quote and errors',
    ),
    {
      about: ABOUT,
      statuses: {
        ...statuses(0, 1, 2, 4, 130),
        0: 'done: all payments are booked; without --yes, all are valid and quoted',
        1: 'not finished: the last line says why; rerun the same command to continue',
        2: 'fix the cause first: no payment was submitted',
        4: `check before you retry: some of the run is submitted, or may be; do not
pay it under another name. Some payments are not booked, an outcome is
unknown, the name belongs to other payments, or the platform could not be
read: see the last line`,
        130: `${STOPPED}; rerun the same command to continue`,
      },
      examples: [
        'payments-rx pay wages.csv --run wages-2026-01',
        'payments-rx pay wages.csv --run wages-2026-01 --yes --max USD=3631.25',
        'payments-rx pay --run wages-2026-01 --discard',
        'payments-rx pay --template > wages.csv',
      ],
    },
  ).action((file: string | undefined, flags: PayFlags) => {
    const { run, template: isTemplate, discard, yes } = flags
    if (isTemplate) return context.output.print(template())
    if (run === undefined)
      throw new UsageError(
        '--run is required: a name for these payments, such as --run wages-2026-01',
      )
    if (discard && yes) throw new UsageError('--discard and --yes cannot be used together')
    if (discard) return performDiscard(context, run, flags)
    if (file === undefined)
      throw new UsageError('FILE is required (--template prints one to start with)')
    return performPay(context, { run, file, format: formatOf(file, flags.format) }, flags)
  })

const withPayments = (command: Command): Command =>
  command
    .argument('[file]', 'a .csv or .ndjson file, or - for stdin', nonEmpty)
    .optionsGroup('Payments:')
    .option('--run <name>', 'name of the run; use the same name to continue it', runName)
    .option('--yes', 'pay the quoted amounts if they are within --max and --at-least', false)
    .option('--max <amounts>', 'pay at most this in total: USD=10000,EUR=5000', amounts)
    .option(
      '--at-least <amounts>',
      'pay only if beneficiaries receive at least this in total: EUR=9000',
      amounts,
    )
    .option('--without-invalid', 'pay the valid rows and leave out the invalid ones', false)
    .option('--allow-empty', 'succeed when there is nothing to pay', false)
    .option(
      '--repeats <n>',
      'also pay the n payments that repeat others in the file or in another run',
      integer(1),
    )
    .option('--name <text>', 'name of the batches', nonEmpty)
    .option(
      '--transfer-date <date>',
      'date of the payments, YYYY-MM-DD [as early as possible]',
      nonEmpty,
    )
    .option('--funding-source <id>', 'linked account to debit [the wallet]', nonEmpty)
    .addOption(
      new Option(
        '--validity <time>',
        'how long quotes should stay valid [platform default]',
      ).choices(Object.keys(QuoteValidity.keys)),
    )
    .option('--wait <time>', 'how long to wait for all payments to be booked [1h]', timeSpan)
    .option('--discard', 'delete the drafts of the run and pay nothing', false)
    .optionsGroup('File:')
    .option('--map <file>', 'JSON file that maps fields to columns', nonEmpty)
    .addOption(new Option('--format <name>', 'format of FILE [from its name]').choices(payFormats))
    .option(
      '--delimiter <character>',
      'CSV delimiter: one character, or tab [the most frequent of , ; and tab]',
      delimiter,
    )
    .option('--template', 'print an example file with the usual columns', false)

const formatOf = (file: string, given: PayFormat | undefined): PayFormat => {
  if (file !== '-') locationOf('FILE', file, ['file'])
  const format = given ?? (file === '-' ? 'csv' : formatOfName(file))
  if (format !== undefined) return format
  if (/\.(xlsx?|ods|numbers)$/i.test(file)) {
    throw new UsageError(`FILE should be CSV or NDJSON: save ${file} as CSV first`)
  }
  throw new UsageError(`--format is required for ${file}: ${payFormats.join(', ')}`)
}

// parsers

const runName = (text: string): string => {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/.test(text)) return text
  throw new InvalidArgumentError(
    'It should be up to 40 letters, digits, dots, dashes and underscores.',
  )
}

const amounts = (text: string): ReadonlyArray<PayBound> =>
  text.split(',').map((pair) => {
    const [, currency = '', amount = ''] = /^([A-Z]{3})=(\d+(?:\.\d+)?)$/.exec(pair.trim()) ?? []
    if (currency !== '' && O.isSome(decimalOf(amount))) return { currency, amount }
    throw new InvalidArgumentError(
      'It should be amounts by currency, such as USD=10000,EUR=5000.50.',
    )
  })

const delimiter = (text: string): string => {
  if (text === 'tab' || text === '\\t') return '\t'
  if (/^[^\p{L}\p{N}"\r\n]$/u.test(text)) return text
  throw new InvalidArgumentError('It should be one character, such as ; or |, or the word tab.')
}
