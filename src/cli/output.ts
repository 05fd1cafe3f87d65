/**
 * How a command prints and ends: lines on stdout and stderr, usage errors, exit statuses. Only the rows and the
 * progress of an export are written elsewhere.
 */
import { Writable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { styleText } from 'node:util'
import type { OutputConfiguration } from 'commander'
import { escapeInvisible, oneLine, withoutCredentials } from '../decode/redact.js'
import { showWord } from '../decode/showValue.js'
import { wrapped } from '../report/text.js'
import { codeOf } from '../store/FileSystem.js'
import type { Signal, Terminal, TerminalStream } from './Terminal.js'

// exit statuses

export const EXIT_COMPLETE = 0
export const EXIT_INCOMPLETE = 1
/** Wrong options, or something is in the way: nothing was done. */
export const EXIT_USAGE = 2

/** Another run is writing there, or has taken over. */
export const EXIT_LOCKED = 3

/** 128 plus the number of the signal, as shells have it. */
export const EXIT_BY_SIGNAL: Readonly<Record<Signal | 'SIGPIPE', number>> = {
  SIGINT: 130,
  SIGPIPE: 141,
  SIGTERM: 143,
}

/** Ends a command with one line and `EXIT_USAGE`. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

// output

/** Passed to the constructor of each command. */
export interface CommandContext {
  readonly terminal: Terminal
  readonly output: Output
  /** Sets the exit status. */
  readonly exit: (status: number) => void
}

export interface Output {
  /** Writes lines to stdout; a terminal gets them broken between words, and the first word in a colour. */
  readonly print: (text: string, style?: TextStyle) => void
  /**
   * Writes rows to stdout, and resolves when it has taken them: with the exit status where it takes no more, since its
   * reader went away or the system refuses it, which is complained of.
   */
  readonly writeRows: (text: string) => Promise<number | undefined>
  /** Writes a line to stderr, after the name of the command. */
  readonly complain: (message: string) => void
  /** Resolves once all is written, with the first failure of stdout. A reader that went away (EPIPE) is none. */
  readonly failure: () => Promise<Error | undefined>
}

/** Breaks lines between words where a terminal would break them within. JSON and commands, to be copied, stay as they are. */
export const fitted = ({ isTTY, columns = 0 }: TerminalStream, text: string): string =>
  isTTY !== true || columns === 0 || /^[{[]/.test(text)
    ? text
    : text
        .split('\n')
        .map((line) => (/^(?:payments-rx|export) /.test(line) ? line : wrapped(line, columns)))
        .join('\n')

export type TextStyle = Parameters<typeof styleText>[0]

/** Returns whether a stream is a terminal that shows colours, and may. */
export const hasColours = (
  { isTTY }: TerminalStream,
  { NO_COLOR = '', TERM }: Terminal['env'],
): boolean => isTTY === true && TERM !== 'dumb' && NO_COLOR === ''

export const painter =
  (colours: boolean) =>
  (style: TextStyle | undefined, text: string): string =>
    colours && style !== undefined && text !== ''
      ? styleText(style, text, { validateStream: false })
      : text

/** Its commander part prints help, the version, and commander's own errors. */
export const outputTo = ({
  stdout,
  stderr,
  env,
}: Pick<Terminal, 'stdout' | 'stderr' | 'env'>): Output & OutputConfiguration => {
  const paint = painter(hasColours(stdout, env))
  let failure: Error | undefined
  let pending: Promise<unknown> = Promise.resolve()
  const complain = (message: string): void => {
    stderr.write(`${fitted(stderr, `payments-rx: ${oneLine(message)}`)}\n`)
  }
  const write = (text: string): void => {
    const written = new Promise<void>((resolve) => {
      stdout.write(text, (error) => {
        failure ??= error ?? undefined
        resolve()
      })
    })
    pending = Promise.all([pending, written])
  }
  return {
    print: (text, style) => {
      const lines = fitted(stdout, escapeInvisible(withoutCredentials(text)))
      write(`${lines.replace(/^\w+/, (word) => paint(style, word))}\n`)
    },
    writeRows: (text) =>
      new Promise((resolve) => {
        stdout.write(escapeInvisible(text), (error) => {
          if (error == null) resolve(undefined)
          else if (codeOf(error) === 'EPIPE') resolve(EXIT_BY_SIGNAL.SIGPIPE)
          else {
            complain(`cannot write stdout: ${codeOf(error) ?? error.message}`)
            resolve(EXIT_INCOMPLETE)
          }
        })
      }),
    complain,
    failure: async () => {
      await pending
      return codeOf(failure) === 'EPIPE' ? undefined : failure
    },
    writeOut: write,
    writeErr: (text) => stderr.write(text),
    outputError: (text, write) =>
      write(withoutArguments(text).replace(/^error: /, 'payments-rx: ')),
  }
}

/**
 * Returns a stream of rows to a terminal, on which control and invisible characters are escaped; a pipe or a file gets the
 * bytes as they are.
 */
export const shownOn = (stdout: Terminal['stdout']): Writable => {
  if (stdout.isTTY !== true) return stdout
  const decoder = new StringDecoder()
  return new Writable({
    write: (chunk: Buffer, _, done) => {
      stdout.write(escapeInvisible(decoder.write(chunk)), done)
    },
  })
}

const choice = (_: string, error: string, given: string, choices: string): string => {
  const shown = showWord(given, choices.split(', '))
  const value = shown.startsWith("'") ? shown : 'invalid'
  return `${error} is ${value}. Allowed choices are ${choices}.`
}

/** Removes arguments from commander's messages, but for misspelt words: one that is misplaced may be a key. */
const withoutArguments = (text: string): string =>
  text
    .replace(/\n(?=\(Did you mean )/, ' ')
    .replace(/^(error: too many arguments.* but got \d+): .*/s, '$1\n')
    .replace(/^(error: unknown command) '.*'(?! \(Did you mean )/s, '$1')
    .replace(
      /^(error: option '[^']*') argument '(.*)' is invalid\. Allowed choices are (.*)\./s,
      choice,
    )
    .replace(/^(error: option '[^']*') argument '.*' is invalid/s, '$1 is invalid')
    .replace(/^(error: unknown option) '(.*)'/s, (_, error, given) => {
      const [name = ''] = given.split('=')
      return /^--?[a-z-]+$/.test(name) ? `${error} '${name}'` : error
    })
