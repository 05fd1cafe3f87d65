/**
 * Messages of usage errors. They are commander's messages with a hint, but without arguments, because a misplaced argument may
 * be a secret. Only misspelled words and file names are quoted.
 */
import { statSync } from 'node:fs'
import type { Command } from 'commander'
import { showWord } from '../decode/showValue.js'
import { fieldsOf } from '../decode/unknown.js'
import { didYouMean, similarName } from '../options/index.js'
import { documentationOf } from './help.js'

/** Names that other tools have for our options. A command has at most one option per row, or gives the name its own meaning. */
const SYNONYMS: ReadonlyArray<ReadonlyArray<string>> = [
  ['from', 'since', 'after', 'start', 'begin'],
  ['to', 'until', 'before', 'end'],
  ['out', 'output', 'o', 'file', 'f', 'to', 'dest', 'destination', 'target'],
  ['restart', 'overwrite', 'force', 'f'],
  ['format', 'csv', 'json', 'ndjson', 'parquet', 'type'],
  ['columns', 'fields', 'select'],
  ['parallel', 'concurrency', 'threads', 'workers', 'jobs', 'j'],
  ['every', 'interval', 'poll'],
  ['progress', 'verbose', 'v', 'debug'],
  ['quiet', 'silent', 'q'],
  ['base-url', 'url', 'host', 'endpoint', 'server'],
  ['api-key', 'key', 'token', 'secret', 'password'],
  ['on-behalf-of', 'account', 'account-id'],
  ['env-file', 'env', 'dotenv', 'config'],
  ['version', 'v'],
]

/** Names of the output option. Some commands have an argument instead. */
const [, , OUT = []] = SYNONYMS

/** Matches a file name, which cannot be mistaken for a key. */
const FILE = /^[\w./-]{1,80}\.(?:csv|ndjson|jsonl|json|parquet|sqlite|db)(?:\.(?:gz|zst))?$/

/** Matches a path that needs no quotes. */
const NAME = /^[\w./-]{1,80}$/

/** Returns the line for one of commander's errors. */
export const usageLine = (command: Command, args: ReadonlyArray<string>, error: string): string => {
  const text = error.replace(/^error: /, '').trimEnd()
  const rule = RULES.find(([pattern]) => pattern.test(text))
  const found = rule?.[0].exec(text)
  return rule && found ? rule[1]({ command, args, text }, ...found.slice(1)) : text
}

interface Mistake {
  readonly command: Command
  readonly args: ReadonlyArray<string>
  readonly text: string
}

type HintRule = readonly [RegExp, (mistake: Mistake, ...groups: ReadonlyArray<string>) => string]

const RULES: ReadonlyArray<HintRule> = [
  [/^unknown option '([^'=\n]*)/, (mistake, given = '') => unknownOption(mistake, given)],
  [
    /^(too many arguments.* but got \d+)/,
    ({ command, args }, said = '') =>
      hasOption(command, 'out') && command.registeredArguments.length === 0
        ? `${said}; use --out to name the file: ${lineOf(command)} --out ${fileOf(args.slice(1)) ?? 'FILE'}`
        : said,
  ],
  [
    /^missing required argument '(.*)'/,
    ({ command }, name = '') => `${name.toUpperCase()} is missing${exampleOf(command)}`,
  ],
  [
    /^required option '(.*)' not specified/,
    ({ command }, flags = '') => `${flags} is required${exampleOf(command)}`,
  ],
  [/^unknown command '(.*)'/s, (mistake, given = '') => unknownCommand(mistake, given)],
  [
    /^(option '[^']*') argument '(.*)' is invalid\. Allowed choices are (.*)\./s,
    (_, option = '', given = '', choices = '') => choice(option, given, choices),
  ],
  [
    /^command-argument value '(.*)' is invalid for argument '(.*)'\. Allowed choices are (.*)\./s,
    (_, given = '', name = '', choices = '') => choice(name.toUpperCase(), given, choices),
  ],
  [
    /^command-argument value '.*' is invalid for argument '([^']*)'(.*)/s,
    (_, name = '', rest = '') => `${name.toUpperCase()} is invalid${rest}`,
  ],
  [
    /^(option '[^']*') argument '.*' is invalid(.*)/s,
    (_, option = '', rest = '') => `${option} is invalid${rest}`,
  ],
]

/** Returns advice about a destination of another command, or a folder without its slash; empty in all other cases. */
export const placeHint = (command: Command, option: string): string => {
  const [dest = ''] = command.args
  const given = option === 'out' ? String(fieldsOf(command.opts()).out) : dest
  const named = (otherwise: string): string => (NAME.test(given) ? given : otherwise)
  const [toSync, toExport] = [sibling(command, 'sync'), sibling(command, 'export')]
  if (option === 'out' && toSync !== undefined && /\.(sqlite|db)$|^postgres(ql)?:/i.test(given)) {
    return `; use sync: ${toSync} ${named('postgres://HOST/DATABASE')}`
  }
  if (option !== 'to') return ''
  if (toSync !== undefined && isFolder(given)) {
    return `; a folder needs a trailing slash: ${toSync} ${named('FOLDER')}/`
  }
  const isFile = FILE.test(given) || /\.xlsx?$/i.test(given)
  return isFile && toExport !== undefined
    ? `; to write a file, use export: ${toExport} --out ${fileOf([given]) ?? 'FILE'}`
    : ''
}

/** Returns the line of another command for the same list. */
const sibling = (command: Command, name: string): string | undefined => {
  const group = command.parent?.parent?.commands.find((one) => one.name() === name)
  const found = group?.commands.find((one) => one.name() === command.name())
  return found && lineOf(found)
}

const isFolder = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false

const unknownOption = ({ command, args }: Mistake, given: string): string => {
  const name = given.replace(/^--?/, '')
  if (!/^--?[a-z-]+$/.test(given)) return 'unknown option'
  const [argument] = command.registeredArguments
  const at = args.findIndex((arg) => arg.split('=', 1)[0] === given)
  const said = `unknown option '${given}'`
  if (command.name() === 'call') return `${said}: write parameters without dashes: ${name}=VALUE`
  if (argument !== undefined && !hasOption(command, 'out') && OUT.includes(name)) {
    const word = argument.name().toUpperCase()
    const value = fileOf(args.slice(at, at + 2)) ?? word
    return `${said}: ${word} is an argument, not an option: ${lineOf(command)} ${value}`
  }
  const names = command.options.map(({ long }) => (long ?? '').slice(2))
  const synonym = SYNONYMS.filter((row) => row.includes(name))
    .flat()
    .find((word) => word !== name && names.includes(word))
  const meant =
    synonym ??
    similarName(name, names) ??
    names.find((one) => name.length > 2 && (one.startsWith(name) || name.startsWith(`${one}-`)))
  return `${said}${didYouMean(meant === undefined ? undefined : `--${meant}`)}`
}

const unknownCommand = ({ command, args, text }: Mistake, given: string): string => {
  const meant = /\(Did you mean (.*)\?\)$/.exec(text)?.[1]
  if (hasOption(command, given)) return `unknown command: did you mean --${given}?`
  if (meant !== undefined) return `unknown command '${given}'${didYouMean(meant)}`
  const names = command.commands.map((one) => one.name())
  const group = command.commands.find((one) => one.commands.some((sub) => sub.name() === given))
  const [first] = command.commands
    .flatMap((one) => [one, ...one.commands])
    .flatMap((one) => documentationOf(one)?.examples ?? [])
  if (group !== undefined) {
    const after = command.commands.find((one) => args[1] === one.name()) ?? group
    return `unknown command: did you mean ${lineOf(after)} ${given}?`
  }
  const example = first === undefined ? '' : `; for example: ${first}`
  return `unknown command: choose one of ${names.join(', ')}${example}`
}

const choice = (what: string, given: string, choices: string): string => {
  const shown = showWord(given, choices.split(', '))
  const value = shown.startsWith("'") ? shown : 'invalid'
  const single = given.includes(',') ? ' Choose one of them.' : ''
  return `${what} is ${value}. Allowed choices are ${choices}.${single}`
}

const hasOption = ({ options }: Command, name: string): boolean =>
  options.some(({ long }) => long === `--${name}`)

/** Returns the first file name among the arguments. */
const fileOf = (args: ReadonlyArray<string>): string | undefined =>
  args.map((arg) => arg.replace(/^--?[a-z-]+=/, '')).find((arg) => FILE.test(arg))

/** Returns `payments-rx export charges`. */
const lineOf = (command: Command): string =>
  command.parent === null ? command.name() : `${lineOf(command.parent)} ${command.name()}`

const exampleOf = (command: Command): string => {
  const [first] = documentationOf(command)?.examples ?? []
  return first === undefined ? '' : `; for example: ${first}`
}
