import { Command } from 'commander'
import { lastValueFrom, reduce, tap } from 'rxjs'
import { CannotRun, type Checked, verify } from '../export/index.js'
import { nonEmpty } from './optionParsers.js'
import type { Printer } from './output.js'
import { EXIT_COMPLETE, EXIT_INCOMPLETE, UsageError } from './Terminal.js'
import { plural } from './text.js'

/** What it sees of the outside. */
interface Outside {
  readonly stdout: Printer
}

const HELP = `
Exit status:
  0  every file is there, with the size, the hash and the rows that the manifest
     says
  1  one is not, or the export is not complete: each difference is a line
  2  there is no manifest, or it cannot be read`

/** `verify`: whether the files of an export are what its manifest says. */
export const verifyCommand = (terminal: Outside, done: (status: number) => void): Command =>
  new Command('verify')
    .description('Check the files of an export against its manifest.')
    .argument('<path>', 'the file, the folder, or the manifest', nonEmpty)
    .addHelpText('after', HELP)
    .action(async (path: string) => done(await verified(terminal, path)))

const verified = async ({ stdout }: Outside, path: string): Promise<number> => {
  const say = (text: string): void => {
    stdout.write(`${text}\n`)
  }
  const counts = await lastValueFrom(
    verify(path).pipe(
      tap(({ path, differences }) => {
        for (const { message } of differences) say(`${path}: ${message}`)
      }),
      reduce(counted, { checked: 0, wrong: 0 }),
    ),
  ).catch((error: unknown) => {
    throw error instanceof CannotRun ? new UsageError(error.message) : error
  })
  if (counts.wrong === 0) say(`as the manifest says: ${plural(counts.checked, 'file')}`)
  return counts.wrong === 0 ? EXIT_COMPLETE : EXIT_INCOMPLETE
}

interface Counts {
  readonly checked: number
  readonly wrong: number
}

/** A run is told under the name of its manifest, and is no file. */
const counted = (counts: Counts, { isFile, differences }: Checked): Counts => ({
  checked: counts.checked + (isFile ? 1 : 0),
  wrong: counts.wrong + differences.length,
})
