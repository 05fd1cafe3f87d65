import { Command, CommanderError } from 'commander'
import { fieldsOf } from '../decode/unknown.js'
import { InvalidOption } from '../options/index.js'
import { doctorCommand } from './doctor/doctorCommand.js'
import { exportCommand } from './export/exportCommand.js'
import { rejectRepeatedOptions } from './once.js'
import { type Printer, type Printing, printing } from './output.js'
import { sandboxCommand } from './sandboxCommand.js'
import { withFlagNames } from './settings.js'
import {
  EXIT_COMPLETE,
  EXIT_INCOMPLETE,
  EXIT_USAGE,
  type Terminal,
  UsageError,
} from './Terminal.js'
import { verifyCommand } from './verifyCommand.js'

/** Runs the command that the words ask for; answers with the exit status. */
export const run = async (terminal: Terminal): Promise<number> => {
  const stdout = printing(terminal.stdout)
  const status = await performed(terminal, stdout)
  const failure = await stdout.failure()
  if (failure === undefined) return status
  terminal.stderr.write(`payments-rx: cannot write stdout: ${failure.message}\n`)
  return Math.max(status, EXIT_INCOMPLETE)
}

/** An export writes to stdout by itself; all else by what is told when that fails. */
const performed = async (terminal: Terminal, stdout: Printing): Promise<number> => {
  const speaking = { ...terminal, stdout }
  let status = EXIT_COMPLETE
  const done = (code: number): void => {
    status = code
  }
  const program = new Command('payments-rx')
    .description('Stream lists of the Payments Platform into files, or serve a sandbox of it.')
    .version(terminal.version)
    .addCommand(exportCommand(terminal, done))
    .addCommand(verifyCommand(speaking, done))
    .addCommand(sandboxCommand(speaking, done))
    .addCommand(doctorCommand(speaking, done))
  for (const command of withSubcommands(program)) {
    configureOutput(command, speaking)
    rejectRepeatedOptions(command)
  }

  try {
    await program.parseAsync(resolveHelp(program, terminal.args), { from: 'user' })
    return status
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT_COMPLETE : EXIT_USAGE
    const text = describeError(error)
    terminal.stderr.write(`payments-rx: ${text}\n`)
    return EXIT_USAGE
  }
}

/** Throws what is no wrong use, since that is a bug. */
const describeError = (error: unknown): string => {
  if (error instanceof InvalidOption) return withFlagNames(error)
  if (error instanceof UsageError) return error.message
  if (fieldsOf(error).syscall !== 'uv_cwd') throw error
  return 'the folder that this was started in is no more: change to one that is there, or name files by their whole path'
}

/**
 * `help export charges` is `export charges --help`, and so is `export help charges`; `help foo` is `foo`, which
 * there is not: by itself, commander looks one word deep, and shows the whole for what it does not find.
 */
const resolveHelp = (program: Command, args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const help = args.slice(0, 2).indexOf('help')
  const words = args.filter((_, i) => i !== help)
  if (help < 0 || words.length === help) return args
  let at = program
  for (const [i, word] of words.entries()) {
    if (at.commands.length === 0 || word.startsWith('-')) break
    const next = at.commands.find((command) => command.name() === word)
    if (next === undefined) return words.slice(0, i + 1)
    at = next
  }
  return [...words, '--help']
}

/** A word that nothing asked for may be a key, after a space too many: it is not repeated. */
const hideArguments = (text: string): string =>
  text
    .replace(/^(error: too many arguments.* but got \d+): .*/s, '$1\n')
    .replace(/^(error: unknown option '[^=']*)=.*/s, "$1'\n")

/** A command, and those under it. */
const withSubcommands = (command: Command): ReadonlyArray<Command> => [
  command,
  ...command.commands.flatMap(withSubcommands),
]

interface Speaking extends Pick<Terminal, 'stderr'> {
  readonly stdout: Printer
}

/** Throws where commander would exit, and writes where we say. */
const configureOutput = (command: Command, { stdout, stderr }: Speaking): void => {
  command.exitOverride().configureOutput({
    writeOut: (text) => stdout.write(text),
    writeErr: (text) => stderr.write(text),
    outputError: (text, write) => write(hideArguments(text).replace(/^error: /, 'payments-rx: ')),
  })
}
