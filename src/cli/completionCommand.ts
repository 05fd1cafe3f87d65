/** `completion`: a script for bash or zsh, from the declarations of the commands, so pressing Tab does not start Node. */
import { Argument, Command } from 'commander'
import { documented, statuses } from './help.js'
import type { CommandContext } from './output.js'

const SHELLS = ['bash', 'zsh'] as const

export const completionCommand = ({ output, exit }: CommandContext): Command =>
  documented(
    new Command('completion')
      .description('Print a shell script that completes commands, options and choices.')
      .addArgument(new Argument('<shell>', 'shell').choices(SHELLS)),
    {
      about: `
Add the first line below to ~/.bashrc, or the second to ~/.zshrc after compinit.
Arguments without a fixed list of values are completed as file names.`,
      statuses: statuses(0, 2, 141),
      examples: ['eval "$(payments-rx completion bash)"', 'eval "$(payments-rx completion zsh)"'],
    },
  ).action(async (shell: (typeof SHELLS)[number], _: unknown, { parent }: Command) => {
    if (parent === null) return
    const status = await output.writeRows(`${shell === 'zsh' ? BASHCOMPINIT : ''}${script(parent)}`)
    if (status !== undefined) exit(status)
  })

/** Lets zsh run the bash script. */
const BASHCOMPINIT = 'autoload -Uz bashcompinit && bashcompinit\n'

const script = (program: Command): string => `_payments_rx() {
  local at='' list='' word="\${COMP_WORDS[COMP_CWORD]}" i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at \${COMP_WORDS[i]}" in
      ${below(program, '')
        .map(([, at]) => `'${at}'`)
        .join(' | ')}) at="$at \${COMP_WORDS[i]}" ;;
    esac
  done
  case "$at \${COMP_WORDS[COMP_CWORD - 1]}" in
${cases(program, ({ options }, at) =>
  options.map(({ long, argChoices = [] }) => [`${at} ${long}`, argChoices]),
)}
  esac
  if [[ "$word" == -* ]]; then
    case "$at" in
${cases(program, ({ options }, at) => [[at, [...options.map(({ long }) => long ?? ''), '--help']]])}
    esac
  elif [[ -z "$list" ]]; then
    case "$at" in
${cases(program, (command, at) => [
  [at, command.commands.map((one) => one.name())],
  [at, command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices)],
])}
    esac
  fi
  COMPREPLY=($(compgen -W "$list" -- "$word"))
}
complete -o default -F _payments_rx payments-rx
`

/** A command and the words that lead to it, each preceded by a space. */
type CommandAt = readonly [command: Command, at: string]

const below = (command: Command, at: string): ReadonlyArray<CommandAt> =>
  command.commands.flatMap((one) => {
    const inner = `${at} ${one.name()}`
    return [[one, inner] as const, ...below(one, inner)]
  })

/** Returns `case` branches that set `list`. Omits empty branches. */
const cases = (
  program: Command,
  rows: (
    ...at: CommandAt
  ) => ReadonlyArray<readonly [pattern: string, words: ReadonlyArray<string>]>,
): string =>
  [[program, ''] as const, ...below(program, '')]
    .flatMap(([command, at]) => rows(command, at))
    .filter(([, words]) => words.length > 0)
    .map(([pattern, words]) => `      '${pattern}') list='${[...new Set(words)].join(' ')}' ;;`)
    .join('\n')
