import { Command, CommanderError } from 'commander'
import { fieldsOf } from '../decode/unknown.js'
import { InvalidOption } from '../options/index.js'
import { doctorCommand } from './doctor/doctorCommand.js'
import { exportCommand } from './export/exportCommand.js'
import { once } from './once.js'
import { type Printer, type Printing, printing } from './printing.js'
import { sandboxCommand } from './sandboxCommand.js'
import { named } from './settings.js'
import { COMPLETE, INCOMPLETE, type Terminal, WRONG_USE, WrongUse } from './Terminal.js'
import { verifyCommand } from './verifyCommand.js'

/** Runs the command that the words ask for; answers with the exit status. */
export const run = async (terminal: Terminal): Promise<number> => {
  const stdout = printing(terminal.stdout)
  const status = await performed(terminal, stdout)
  const failure = await stdout.failure()
  if (failure === undefined) return status
  terminal.stderr.write(`payments-rx: cannot write stdout: ${failure.message}\n`)
  return Math.max(status, INCOMPLETE)
}

/** An export writes to stdout by itself; all else by what is told when that fails. */
const performed = async (terminal: Terminal, stdout: Printing): Promise<number> => {
  const speaking = { ...terminal, stdout }
  let status = COMPLETE
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
  for (const command of all(program)) {
    quietly(command, speaking)
    once(command)
  }

  try {
    await program.parseAsync(asked(program, terminal.args), { from: 'user' })
    return status
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? COMPLETE : WRONG_USE
    const text = wordsFor(error)
    terminal.stderr.write(`payments-rx: ${text}\n`)
    return WRONG_USE
  }
}

/** Throws what is no wrong use, since that is a bug. */
const wordsFor = (error: unknown): string => {
  if (error instanceof InvalidOption) return named(error)
  if (error instanceof WrongUse) return error.message
  if (fieldsOf(error).syscall !== 'uv_cwd') throw error
  return 'the folder that this was started in is no more: change to one that is there, or name files by their whole path'
}

/**
 * `help export charges` is `export charges --help`, and so is `export help charges`; `help foo` is `foo`, which
 * there is not: by itself, commander looks one word deep, and shows the whole for what it does not find.
 */
const asked = (program: Command, args: ReadonlyArray<string>): ReadonlyArray<string> => {
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
const withoutWords = (text: string): string =>
  text
    .replace(/^(error: too many arguments.* but got \d+): .*/s, '$1\n')
    .replace(/^(error: unknown option '[^=']*)=.*/s, "$1'\n")

/** A command, and those under it. */
const all = (command: Command): ReadonlyArray<Command> => [
  command,
  ...command.commands.flatMap(all),
]

interface Speaking extends Pick<Terminal, 'stderr'> {
  readonly stdout: Printer
}

/** Throws where commander would exit, and writes where we say. */
const quietly = (command: Command, { stdout, stderr }: Speaking): void => {
  command.exitOverride().configureOutput({
    writeOut: (text) => stdout.write(text),
    writeErr: (text) => stderr.write(text),
    outputError: (text, write) => write(withoutWords(text).replace(/^error: /, 'payments-rx: ')),
  })
}
