/**
 * How a command prints and ends: lines on stdout and stderr, usage errors, exit statuses. Only the rows and the progress of an
 * export are written elsewhere.
 */
import { Writable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { styleText } from 'node:util'
import type { OutputConfiguration } from 'commander'
import { escapeInvisible, oneLine, withoutCredentials } from '../decode/redact.js'
import { wrapped } from '../report/text.js'
import { codeOf } from '../store/FileSystem.js'
import type { Signal, Terminal, TerminalStream } from './Terminal.js'

// exit statuses

export const EXIT_COMPLETE = 0
/** Incomplete. Running the same command again helps. */
export const EXIT_INCOMPLETE = 1
/** The cause must be fixed first: invalid options, or another obstacle. */
export const EXIT_USAGE = 2

/** Another run is writing to this destination, or has taken over. */
export const EXIT_LOCKED = 3

/** Check before you retry: money was or may have been moved, or a write was made. */
export const EXIT_LOOK = 4

/** 128 plus the number of the signal, as in shells. */
export const EXIT_BY_SIGNAL: Readonly<Record<Signal | 'SIGPIPE', number>> = {
  SIGINT: 130,
  SIGPIPE: 141,
  SIGTERM: 143,
}

/** Thrown to end a command with a one-line message and `EXIT_USAGE`. */
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
  /** Writes lines to stdout. On a terminal, they are wrapped at spaces, and the first word is in colour. */
  readonly print: (text: string, style?: TextStyle) => void
  /**
   * Writes rows to stdout. Resolves once they are accepted, or with the exit status if the reader closed stdout or stdout
   * failed. Prints a failure to stderr.
   */
  readonly writeRows: (text: string) => Promise<number | undefined>
  /** Writes a line to stderr, prefixed with the command name. */
  readonly complain: (message: string) => void
  /** Resolves once everything has been written, with the first failure of stdout. A closed pipe (EPIPE) is not a failure. */
  readonly failure: () => Promise<Error | undefined>
}

/** Wraps lines at spaces for a terminal. Leaves JSON and commands unchanged, because users copy them. */
export const fitted = ({ isTTY, columns = 0 }: TerminalStream, text: string): string =>
  isTTY !== true || columns === 0 || /^[{[]/.test(text)
    ? text
    : text
        .split('\n')
        .map((line) => (/^(?:payments-rx|export) /.test(line) ? line : wrapped(line, columns)))
        .join('\n')

export type TextStyle = Parameters<typeof styleText>[0]

/** Returns true if a stream is a terminal with colours, and colours are not disabled. */
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

/** Creates a command's output, including the part with which commander prints help and the version. */
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
  }
}

/** Returns a stream for rows. On a terminal, it escapes control and invisible characters; elsewhere bytes are unchanged. */
export const shownOn = (stdout: Terminal['stdout']): Writable => {
  if (stdout.isTTY !== true) return stdout
  const decoder = new StringDecoder()
  return new Writable({
    write: (chunk: Buffer, _, done) => {
      stdout.write(escapeInvisible(decoder.write(chunk)), done)
    },
  })
}
