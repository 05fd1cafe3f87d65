/** The registry of commands, and the behaviour that they share. */
import { Command, CommanderError } from 'commander'
import { fieldsOf } from '../decode/unknown.js'
import { InvalidOption } from '../options/index.js'
import { benchCommand } from './benchCommand.js'
import { callCommand } from './call/callCommand.js'
import { completionCommand } from './completionCommand.js'
import { withFlagNames } from './connection.js'
import { doctorCommand } from './doctor/doctorCommand.js'
import { exportCommand } from './export/exportCommand.js'
import { followCommand } from './followCommand.js'
import { helpPages } from './help.js'
import {
  type CommandContext,
  EXIT_COMPLETE,
  EXIT_INCOMPLETE,
  EXIT_USAGE,
  outputTo,
  UsageError,
} from './output.js'
import { payCommand } from './pay/payCommand.js'
import { endLine, putJson } from './progress/ProgressView.js'
import { sandboxCommand } from './sandboxCommand.js'
import { syncCommand } from './sync/syncCommand.js'
import type { Terminal } from './Terminal.js'
import { triggerCommand } from './triggerCommand.js'
import { placeHint, usageLine } from './usageHints.js'
import { verifyCommand } from './verifyCommand.js'

/** All commands, in the order of the help page. Each command throws a `UsageError`, or runs through `runCommand`. */
const COMMANDS: ReadonlyArray<(context: CommandContext) => Command> = [
  exportCommand,
  syncCommand,
  followCommand,
  verifyCommand,
  callCommand,
  payCommand,
  sandboxCommand,
  triggerCommand,
  doctorCommand,
  benchCommand,
  completionCommand,
]

interface ProgramContext extends CommandContext {
  readonly output: ReturnType<typeof outputTo>
}

/** Returns the program with all its commands. `complain`: receives the reason why an argument was rejected. */
export const programOf = (
  context: ProgramContext,
  complain: (message: string) => void = context.output.complain,
): Command => {
  const { terminal, output } = context
  const columns = (terminal.stdout.isTTY ? terminal.stdout.columns : undefined) ?? 80
  const program = new Command('payments-rx')
    .description(
      'Export data, follow changes and make payments on the Payments Platform, or run a local sandbox.',
    )
    .version(terminal.version)
  for (const command of COMMANDS) program.addCommand(command(context))
  for (const command of withSubcommands(program)) {
    command
      .exitOverride()
      .configureOutput({
        ...output,
        outputError: (text) => complain(usageLine(command, terminal.args, text)),
        getOutHelpWidth: () => columns,
      })
      .configureHelp(helpPages)
    rejectRepeatedOptions(command)
  }
  return program
}

/** Runs the command given by the arguments. Resolves with the exit status. */
export const run = async (terminal: Terminal): Promise<number> => {
  const output = outputTo(terminal)
  let status = EXIT_COMPLETE
  const exit = (code: number): void => {
    status = code
  }
  const isJson = /(^|\0)--progress[=\0]json(\0|$)/.test(terminal.args.join('\0'))
  /** Prints why nothing was done. */
  const complain = (reason: string): void => {
    if (isJson) putJson(terminal)(endLine({ status: EXIT_USAGE, reason }))
    else output.complain(reason)
  }
  const program = programOf({ terminal, output, exit }, complain)
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
      complain(usageMessage(error, running))
      status = EXIT_USAGE
    }
  }
  const failure = await output.failure()
  if (failure === undefined) return status
  output.complain(`cannot write stdout: ${failure.message}`)
  return Math.max(status, EXIT_INCOMPLETE)
}

/** Returns the line for a usage error. Rethrows any other error, which is a bug. */
const usageMessage = (error: unknown, command: Command): string => {
  if (error instanceof InvalidOption) {
    return `${withFlagNames(error, command.options)}${placeHint(command, error.option)}`
  }
  if (error instanceof UsageError) return error.message
  if (fieldsOf(error).syscall !== 'uv_cwd') throw error
  return 'the working directory no longer exists: change to another one, or use absolute paths'
}

const withSubcommands = (command: Command): ReadonlyArray<Command> => [
  command,
  ...command.commands.flatMap(withSubcommands),
]

/** Makes a repeated option a usage error, because commander would use the last value. */
const rejectRepeatedOptions = (command: Command): void => {
  const given = new Set<string>()
  for (const option of command.options.filter(({ required, optional }) => required || optional)) {
    const flag = `--${option.name()}`
    command.on(`option:${option.name()}`, () => {
      if (given.has(flag)) throw new UsageError(`${flag} was given twice`)
      given.add(flag)
    })
  }
}

/** Returns advice for an option that is placed before its command, as in `export --out c.csv charges`. */
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
  return `put ${flag} after ${command.name()}: ${path.join(' ')} ${flag}`
}

/**
 * Rewrites `help export charges` and `export help charges` as `export charges --help`; and `help foo` as `foo`, which is an
 * unknown command. Commander itself handles only one word, and shows the help of the whole program for an unknown one.
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
