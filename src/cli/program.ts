/** The registry of commands, and what holds for all of them. */
import { Command, CommanderError } from 'commander'
import { fieldsOf } from '../decode/unknown.js'
import { InvalidOption } from '../options/index.js'
import { benchCommand } from './benchCommand.js'
import { callCommand } from './call/callCommand.js'
import { withFlagNames } from './connection.js'
import { doctorCommand } from './doctor/doctorCommand.js'
import { exportCommand } from './export/exportCommand.js'
import { followCommand } from './followCommand.js'
import {
  type CommandContext,
  EXIT_COMPLETE,
  EXIT_INCOMPLETE,
  EXIT_USAGE,
  outputTo,
  UsageError,
} from './output.js'
import { payCommand } from './pay/payCommand.js'
import { workerCommand } from './queue/workerCommand.js'
import { sandboxCommand } from './sandboxCommand.js'
import { syncCommand } from './sync/syncCommand.js'
import type { Terminal } from './Terminal.js'
import { tapCommand } from './tapCommand.js'
import { triggerCommand } from './triggerCommand.js'
import { verifyCommand } from './verifyCommand.js'

/** In the order of the help page. Each throws a `UsageError`, or does its work by `runCommand`. */
const COMMANDS: ReadonlyArray<(context: CommandContext) => Command> = [
  exportCommand,
  syncCommand,
  followCommand,
  verifyCommand,
  workerCommand,
  tapCommand,
  callCommand,
  payCommand,
  sandboxCommand,
  triggerCommand,
  doctorCommand,
  benchCommand,
]

/** Runs the command that the arguments name; returns the exit status. */
export const run = async (terminal: Terminal): Promise<number> => {
  const output = outputTo(terminal)
  const columns = (terminal.stdout.isTTY ? terminal.stdout.columns : undefined) ?? 80
  let status = EXIT_COMPLETE
  const exit = (code: number): void => {
    status = code
  }
  const program = new Command('payments-rx')
    .description('Export, follow and pay on the Payments Platform, or serve a sandbox of it.')
    .version(terminal.version)
  for (const command of COMMANDS) program.addCommand(command({ terminal, output, exit }))
  for (const command of withSubcommands(program)) {
    // wraps also at 60 columns, where commander would print whole descriptions
    command
      .exitOverride()
      .configureOutput({ ...output, getOutHelpWidth: () => columns })
      .configureHelp({ minWidthToWrap: 20 })
    rejectRepeatedOptions(command)
  }

  let running = program
  program.hook('preAction', (_, command) => {
    running = command
  })
  try {
    const misplaced = misplacedOption(program, terminal.args)
    if (misplaced !== undefined) throw new UsageError(misplaced)
    await program.parseAsync(helpAsOption(program, terminal.args), { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError) {
      status = error.exitCode === 0 ? EXIT_COMPLETE : EXIT_USAGE
    } else {
      output.complain(usageMessage(error, running))
      status = EXIT_USAGE
    }
  }
  const failure = await output.failure()
  if (failure === undefined) return status
  output.complain(`cannot write stdout: ${failure.message}`)
  return Math.max(status, EXIT_INCOMPLETE)
}

/** Returns the line for a usage error. Throws all others: they are bugs. */
const usageMessage = (error: unknown, { options }: Command): string => {
  if (error instanceof InvalidOption) return withFlagNames(error, options)
  if (error instanceof UsageError) return error.message
  if (fieldsOf(error).syscall !== 'uv_cwd') throw error
  return 'the folder that this was started in is no more: change to one that is there, or name files by their whole path'
}

const withSubcommands = (command: Command): ReadonlyArray<Command> => [
  command,
  ...command.commands.flatMap(withSubcommands),
]

/** Makes a second value for an option a usage error: commander would take the last one. */
const rejectRepeatedOptions = (command: Command): void => {
  const given = new Set<string>()
  for (const option of command.options.filter(({ required, optional }) => required || optional)) {
    const flag = `--${option.name()}`
    command.on(`option:${option.name()}`, () => {
      if (given.has(flag)) throw new UsageError(`${flag} is given twice`)
      given.add(flag)
    })
  }
}

/** Says where an option belongs that stands before the name of its command, as in `export --out c.csv charges`. */
const misplacedOption = (program: Command, args: ReadonlyArray<string>): string | undefined => {
  const has = ({ options }: Command, flag: string): boolean =>
    options.some(({ long }) => long === flag)
  let command = program
  let flag: string | undefined
  const path = [program.name()]
  for (const word of args) {
    if (command.commands.length === 0) break
    const [name = ''] = word.split('=')
    if (flag === undefined && name.startsWith('-') && !has(command, name)) flag = name
    const next = command.commands.find((one) => one.name() === word)
    if (next === undefined) continue
    command = next
    path.push(word)
  }
  if (flag === undefined || !has(command, flag)) return undefined
  return `${flag} goes after ${command.name()}: ${path.join(' ')} ${flag}`
}

/**
 * Turns `help export charges` and `export help charges` into `export charges --help`, and `help foo` into `foo`, an
 * unknown command: by itself, commander looks one word deep, and shows the whole program for what it does not find.
 */
const helpAsOption = (program: Command, args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const help = args.slice(0, 2).indexOf('help')
  const words = args.filter((_, i) => i !== help)
  if (help < 0 || words.length === help) return args
  let command = program
  for (const [i, word] of words.entries()) {
    if (command.commands.length === 0 || word.startsWith('-')) break
    const next = command.commands.find((one) => one.name() === word)
    if (next === undefined) return words.slice(0, i + 1)
    command = next
  }
  return [...words, '--help']
}
