import { Command, Option } from 'commander'
import { ChargeStatus } from '../codec/Charge.js'
import { withConnection } from './connection.js'
import { type ExportFlags, exportCharges } from './exportCharges.js'
import { currency, guard, time, wholeNumber } from './parse.js'
import type { Terminal } from './Terminal.js'
import { PROGRESS } from './view.js'

const HELP = `
Rows that do not decode go to FILE.rejects.ndjson, each with the reason, or to stderr with --out -.

Exit status:
  0    complete: every row is written
  1    incomplete: the last line says why
  2    wrong use
  130  stopped by Ctrl-C (143 by SIGTERM)

Examples:
  payments-rx export charges --sandbox --rows 100000 --out charges.ndjson
  payments-rx export charges --base-url https://api.example.com --from 2026-01-01 --status SETTLED --out -`

/** `export charges`: a list of charges, into a file. */
export const exportCommand = (terminal: Terminal, done: (status: number) => void): Command =>
  new Command('export').description('Stream a list into a file.').addCommand(
    withConnection(
      new Command('charges')
        .description('Stream charges into a file: every one that passes the filters.')
        .option('--out <file>', 'where to write, replacing what is there; - is stdout', '-')
        .addOption(
          new Option('--format <name>', 'how to write: one JSON text a line')
            .choices(['ndjson'])
            .default('ndjson'),
        )
        .option('--from <time>', 'created at this time or later', time('00:00:00'))
        .option('--to <time>', 'created at this time or earlier', time('23:59:59'))
        .addOption(
          new Option('--status <status>', 'only charges in it').choices(
            Object.keys(ChargeStatus.keys),
          ),
        )
        .option('--currency <code>', 'only charges in it, such as USD', currency)
        .option('--source <id>', 'only charges of this account')
        .option('--request-id <id>', 'only the charge that was made with it')
        .option('--page-size <n>', 'rows a request, 10 to 2000', wholeNumber(10, 2_000), 2_000)
        .addOption(
          new Option(
            '--guard <how>',
            "room for the network's jitter: safe (nothing is ever refused), learned (more of the quota), or milliseconds",
          )
            .argParser(guard)
            .default('safe'),
        ),
    )
      .addOption(
        new Option('--sandbox', 'start a sandbox on a free port, and read from it').conflicts([
          'baseUrl',
          'clientId',
          'apiKey',
        ]),
      )
      .option('--rows <n>', 'how many charges that sandbox has [100000]', wholeNumber(0, 2 ** 31))
      .addOption(
        new Option(
          '--progress <how>',
          'auto (a line that changes, or one every half minute in a log), json, or none',
        )
          .choices(PROGRESS)
          .default('auto'),
      )
      .addOption(
        new Option('--quiet', 'no progress and no summary; only what went wrong')
          .default(false)
          .conflicts('progress'),
      )
      .addHelpText('after', HELP)
      .action(async (flags: ExportFlags) => done(await exportCharges(terminal, flags))),
  )
