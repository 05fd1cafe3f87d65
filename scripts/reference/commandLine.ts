/** The page of the command line, printed from the declarations of its commands. */
import type { Command, Option } from 'commander'
import { documentationOf, GROUP, STATUSES } from '../../src/cli/help.js'

/** The guide of a command, by its first word. */
const GUIDES: Readonly<Record<string, string>> = {
  export: 'export.md',
  sync: 'sync.md',
  follow: 'follow.md',
  verify: 'export.md#the-manifest',
  call: 'call.md',
  pay: 'payments.md#a-file',
  sandbox: 'sandbox.md',
  trigger: 'testing.md',
  doctor: 'troubleshooting.md#payments-rx-doctor',
  bench: 'measure.md',
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

const table = (heads: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [heads, heads.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')

const leaves = (command: Command): ReadonlyArray<Command> =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(leaves)

/** Returns `export charges`. */
const nameOf = (command: Command): string => {
  const { parent } = command
  return parent?.parent ? `${nameOf(parent)} ${command.name()}` : command.name()
}

const optionRows = (command: Command, options: ReadonlyArray<Option>) => {
  const help = command.createHelp()
  return options.map((option) => [`\`${option.flags}\``, cell(help.optionDescription(option))])
}

/** Prints a command. Connection options have a section of their own, and are linked. */
const section = (command: Command, settings: ReadonlyArray<string>): string => {
  const help = command.createHelp()
  const [first = ''] = nameOf(command).split(' ')
  const guide = GUIDES[first]
  const groups = help.groupItems(
    [...command.options],
    help.visibleOptions(command),
    ({ helpGroupHeading = 'Options:' }) => helpGroupHeading,
  )
  const { statuses = {}, examples = [] } = documentationOf(command) ?? {}
  const own = Object.entries(statuses).filter(([status, words]) => !isCommon(status, words))
  const args = help.visibleArguments(command)
  return [
    `## ${nameOf(command)}`,
    [command.description(), ...(guide === undefined ? [] : [`[Guide](../${guide}).`])].join(' '),
    `\`${help.commandUsage(command)}\``,
    ...(args.length === 0
      ? []
      : [
          table(
            ['argument', ''],
            args.map((one) => [`\`${one.name()}\``, cell(help.argumentDescription(one))]),
          ),
        ]),
    table(
      ['option', ''],
      Array.from(groups).flatMap(([heading, options]) => {
        const shown = options.filter(({ long }) => !settings.includes(long ?? ''))
        const link = shown.length < options.length ? '[its settings](#connection)' : ''
        return [[`**${heading.replace(':', '')}**`, link], ...optionRows(command, shown)]
      }),
    ),
    ...(own.length === 0
      ? []
      : [
          table(
            ['exit status', ''],
            own.map(([status, words]) => [status, cell(words ?? '')]),
          ),
        ]),
    ...(examples.length === 0 ? [] : [`\`\`\`sh\n${examples.join('\n')}\n\`\`\``]),
  ].join('\n\n')
}

const isCommon = (status: string, words: string | undefined): boolean =>
  Object.entries(STATUSES).some(([one, common]) => one === status && common === words)

/** Returns the page. */
export const printCommandLine = (program: Command): string => {
  const commands = leaves(program)
  const call = commands.find((one) => one.name() === 'call')
  if (call === undefined) throw new Error('no command takes every setting')
  const settings = call.options.filter(
    ({ long, helpGroupHeading }) => helpGroupHeading === GROUP.connection && long !== '--sandbox',
  )
  return `${[
    '# Command line',
    '`payments-rx COMMAND --help` prints the same. If the package is installed in your project, write `npx payments-rx`. Brackets at the end of a description contain the default, or the environment variable of the option. Give an option only once, unless its description says otherwise.',
    '## Exit status',
    table(
      ['status', 'meaning'],
      Object.entries(STATUSES).map(([status, words]) => [status, cell(words)]),
    ),
    'Statuses above 128 are 128 plus the number of a signal. The section of a command lists the statuses that have a more specific meaning for that command. `sync all` ends with the worst status of its lists, in the order 0, 3, 1, 2.',
    '## Connection',
    CONNECTION,
    table(['option', ''], optionRows(call, settings)),
    ...commands.map((command) =>
      section(
        command,
        settings.map(({ long }) => long ?? ''),
      ),
    ),
  ].join('\n\n')}\n`
}

const CONNECTION =
  'Each setting is an option or an environment variable; the option takes precedence. An empty variable counts as not set. With `--env-file FILE`, all variables come from a file with lines such as `PAYMENTS_BASE_URL=https://api.example.com`. It is an error if a variable is also exported with a different value, so the account never depends on the shell. `PAYMENTS_API_KEY_FILE` names a file that contains the API key, such as a mounted secret.'
