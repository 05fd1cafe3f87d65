import { Command } from 'commander'
import { lastValueFrom } from 'rxjs'
import { compact, type ExportError } from '../export/index.js'
import { defined, E } from '../fp.js'
import { number, plural } from '../report/text.js'
import { nonEmpty, timeSpan } from './optionParsers.js'
import {
  type CommandContext,
  EXIT_COMPLETE,
  EXIT_INCOMPLETE,
  EXIT_LOCKED,
  EXIT_USAGE,
} from './output.js'

interface CompactFlags {
  /** In ms. */
  readonly lease?: number
}

const HELP = `
Each run with --since-last adds what may have changed. This leaves the last
version of each row: files that later runs have newer rows of are written anew,
the manifest is replaced in one step, and then the old files go. Folders that
"payments-rx sync" keeps need none of this.

Exit status:
  0  one current row for each id
  1  a file or folder cannot be read or written: nothing was changed
  2  no folder of an export, one that is not finished, or another format
  3  another run is writing there`

/** `compact`: leaves one current row for each id in the folder of an export. */
export const compactCommand = (context: CommandContext): Command =>
  new Command('compact')
    .description('Leave one current row for each id in the folder of an export.')
    .argument('<dir>', 'a folder of NDJSON or Parquet', nonEmpty)
    .option(
      '--lease <time>',
      'how long the folder stays reserved for a run that was killed [15s]',
      timeSpan,
    )
    .addHelpText('after', HELP)
    .action(async (dir: string, flags: CompactFlags) =>
      context.exit(await run(context, dir, flags)),
    )

const run = async (
  { terminal, output }: CommandContext,
  dir: string,
  { lease }: CompactFlags,
): Promise<number> => {
  const { timer } = terminal
  const last = await lastValueFrom(compact(dir, { timer, ...defined({ lease }) }))
  if (E.isLeft(last)) {
    output.complain(last.left.message)
    return statusOf(last.left)
  }
  const { files, rows, removed } = last.right
  output.print(
    `${plural(rows, 'row')} in ${dir}, ${number(removed)} older ones removed; ${plural(files, 'file')} looked at`,
  )
  return EXIT_COMPLETE
}

const statusOf = ({ _tag }: ExportError): number => {
  switch (_tag) {
    case 'Locked':
      return EXIT_LOCKED
    case 'ReadFailed':
    case 'WriteFailed':
    case 'Fenced':
      return EXIT_INCOMPLETE
    default:
      return EXIT_USAGE
  }
}
