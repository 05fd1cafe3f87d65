/** Help pages: options by group, then prose, exit statuses and examples, all from the declarations of the commands. */
import { type Argument, type Command, type HelpConfiguration, Option } from 'commander'

/** Groups of shared options, in the order of the page. The command's own groups come before them. */
export const GROUP = {
  filters: 'Filters:',
  output: 'Output:',
  resume: 'Resume:',
  speed: 'Speed:',
  connection: 'Connection:',
} as const

export const STOPPED = 'stopped by Ctrl-C (143 by SIGTERM)'

/** The exit statuses. Each has one meaning for all commands; statuses above 128 are a signal. */
export const STATUSES = {
  0: 'done',
  1: 'failed or incomplete: rerun the same command to continue',
  2: 'fix the cause first: nothing was done, or the last line says what to do',
  3: 'another run is writing to the same destination, or has taken over',
  4: 'check before you retry: money moved, or may have moved',
  130: `${STOPPED}: completed work is kept`,
  141: 'the reader of stdout closed the pipe, as head does',
} as const

export type StatusWords = Readonly<Partial<Record<keyof typeof STATUSES, string>>>

/** The help text of a command that follows its options. */
export interface Documentation {
  readonly about?: string
  /** Exit statuses of the command. Its descriptions may narrow the common ones, but must not contradict them. */
  readonly statuses: StatusWords
  /** Complete command lines, the most common first. */
  readonly examples: ReadonlyArray<string>
}

interface DocumentedCommand extends Command {
  readonly documentation: Documentation
}

// declarations

/** Returns the given statuses with their common descriptions. */
export const statuses = (...some: ReadonlyArray<keyof typeof STATUSES>): StatusWords =>
  Object.fromEntries(some.map((status) => [status, STATUSES[status]]))

/** Adds documentation to a command. Hides `--help` on its page, because the reader has just used it. */
export const documented = (command: Command, documentation: Documentation): DocumentedCommand =>
  Object.assign(
    command
      .addHelpOption(new Option('-h, --help', 'show help').hideHelp())
      .addHelpText('after', textOf(documentation)),
    { documentation },
  )

/** Returns the documentation of a command; a group of commands has none. */
export const documentationOf = (command: Command): Documentation | undefined =>
  isDocumented(command) ? command.documentation : undefined

const isDocumented = (command: Command): command is DocumentedCommand => 'documentation' in command

const textOf = ({ about, statuses, examples }: Documentation): string =>
  [
    ...(about === undefined ? [] : [`\n${about.trim()}`]),
    `\nExit status:\n${table(Object.entries(statuses))}`,
    ...(examples.length === 0 ? [] : [`\nExamples:\n${examples.map(indented).join('\n')}`]),
  ].join('\n')

const table = (rows: ReadonlyArray<readonly [string, string]>): string =>
  rows
    .map(([status, words]) => `  ${status.padEnd(3)}  ${words.replaceAll('\n', '\n       ')}`)
    .join('\n')

const indented = (example: string): string => `  ${example.replaceAll('\n', '\n  ')}`

// the page

/** Returns the configuration of help pages: options by group, and values in one form. */
export const helpPages: HelpConfiguration = {
  minWidthToWrap: 20, // also wraps at 60 columns, where commander would not wrap
  groupItems: (_, visible, groupOf) => {
    const names: ReadonlyArray<string> = Object.values(GROUP)
    const sorted = visible.toSorted((a, b) => names.indexOf(groupOf(a)) - names.indexOf(groupOf(b)))
    const groups = [...new Set(sorted.map(groupOf))]
    return new Map(groups.map((group) => [group, sorted.filter((one) => groupOf(one) === group)]))
  },
  optionDescription: (option) => described(option, option.required || option.optional),
  argumentDescription: (argument) => described(argument, true),
}

/** Appends the choices of an option to its description, unless the description names them, and then the default in brackets. */
const described = (
  {
    description,
    argChoices = [],
    defaultValue,
    defaultValueDescription,
  }: Pick<
    Option & Argument,
    'description' | 'argChoices' | 'defaultValue' | 'defaultValueDescription'
  >,
  hasValue: boolean,
): string => {
  const [text = '', given] = description.split(/ (?=\[[^\]]*\]$)/)
  const isNamed = argChoices.every((choice) => text.includes(choice))
  const all = isNamed ? text : `${text}: ${argChoices.join(', ')}`
  const byDefault = hasValue ? (defaultValueDescription ?? defaultValue) : undefined
  const otherwise = byDefault === undefined ? given : `[${byDefault}]`
  return otherwise === undefined ? all : `${all} ${otherwise}`
}
