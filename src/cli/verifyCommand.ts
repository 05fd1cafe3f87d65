import { Command } from 'commander'
import { lastValueFrom, map, reduce, tap } from 'rxjs'
import { oneLine } from '../decode/redact.js'
import { verify } from '../export/index.js'
import { E } from '../fp.js'
import { plural } from '../report/text.js'
import { nonEmpty } from './optionParsers.js'
import {
  type CommandContext,
  EXIT_COMPLETE,
  EXIT_INCOMPLETE,
  type Output,
  UsageError,
} from './output.js'
import type { Terminal } from './Terminal.js'

const HELP = `
Exit status:
  0  every file has the size, hash and rows of the manifest
  1  a file differs, or the export is incomplete: one line for each difference
  2  there is no manifest, or it cannot be read`

/** `verify`: checks the files of an export against its manifest. */
export const verifyCommand = ({ terminal, output, exit }: CommandContext): Command =>
  new Command('verify')
    .description('Check the files of an export against its manifest.')
    .argument('<path>', 'file, folder or manifest; also s3://BUCKET/...', nonEmpty)
    .addHelpText('after', HELP)
    .action(async (path: string) => exit(await verifyExport(terminal, output, path)))

const verifyExport = async (
  { env, timer }: Terminal,
  { print }: Output,
  path: string,
): Promise<number> => {
  const { files, wrong } = await lastValueFrom(
    verify(path, { env, timer }).pipe(
      map((check) => {
        if (E.isLeft(check)) throw new UsageError(check.left.message)
        return check.right
      }),
      tap(({ path, differences }) => {
        for (const { message } of differences) print(oneLine(`${path}: ${message}`))
      }),
      reduce(
        // a run is listed under the name of its manifest, and is no file
        ({ files, wrong }, { isFile, differences }) => ({
          files: files + (isFile ? 1 : 0),
          wrong: wrong + differences.length,
        }),
        { files: 0, wrong: 0 },
      ),
    ),
  )
  if (wrong > 0) return EXIT_INCOMPLETE
  print(`as the manifest says: ${plural(files, 'file')}`)
  return EXIT_COMPLETE
}
