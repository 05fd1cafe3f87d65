/** Events of a client as log lines, one line per event. */
import type { Observable } from 'rxjs'
import { login } from '../api/authentication.js'
import { plural } from '../decode/plural.js'
import { oneLine } from '../decode/redact.js'
import type { IO } from '../fp.js'
import type { ClientEvent } from '../http/ClientEvent.js'
import { is, type OptionRule } from '../options/index.js'
import { guarded } from '../stream/guardedEvents.js'
import type { OnFailure } from '../stream/warnOnce.js'

/**
 * A logger with the methods of pino, or `console`. Loggers such as winston, log4js, tslog and Powertools are recognized by
 * their other methods, and receive the line as their first argument.
 */
export interface Logger {
  /** Logs calls that start, succeed or are cancelled, and their requests and responses. */
  readonly debug: LogMethod
  /** Logs logins, refusals (429), and writes that were found by their `request_id`. */
  readonly info: LogMethod
  /**
   * Logs failed calls, faults and retries, lowered limits, clock differences, waits for a destination, and drift (fields and
   * values that no codec knows).
   */
  readonly warn: LogMethod
  /** Logs calls that threw an error, which is a bug. */
  readonly error: LogMethod
}

/** A method of a logger. `fields` has the event's fields and its `namespace`; `line` describes the event. */
type LogMethod = (fields: ClientEvent & { readonly namespace: string }, line: string) => void

/** The fields of an event, its namespace and its level. */
export type LogFields = ClientEvent & {
  /** The namespace of the line, such as `payments-rx:http`. */
  readonly namespace: string
  /** The level, which names the logger method to call. */
  readonly level: keyof Logger
}

/**
 * A logger, or a function that receives a line and its fields. `false` turns logging off, even if `DEBUG` is set. A logger that
 * throws does not end a call; its error is reported once.
 */
export type Log = ((line: string, fields: LogFields) => void) | Logger | false

const isLogger = is.withMethods<Logger>('a logger', 'debug', 'info', 'warn', 'error')

/** Rules that recognize loggers that take the message first, unlike pino. */
const messageFirst: ReadonlyArray<OptionRule<unknown>> = [
  is.withMethods('winston', 'profile', 'startTimer'),
  is.withMethods('log4js', 'addContext', 'clearContext'),
  is.withMethods('tslog', 'attachTransport'),
  is.withMethods('Powertools', 'appendKeys'),
]

/** LogTape reads messages as templates, and the paths of endpoints contain braces. */
const isLogTape = is.withMethods('LogTape', 'getChild', 'emit')

export const logRule: OptionRule<Log> = {
  accepts: (u) =>
    u === false || is.fn().accepts(u) || (isLogger.accepts(u) && !isLogTape.accepts(u)),
  expected: `a function that takes a line and its fields (as for LogTape), ${isLogger.expected}, or false`,
}

/**
 * Logs events for as long as the client lives, to `log` or, for the namespaces in the variable `DEBUG`, to stderr. A log that
 * throws or rejects does not end a call: `onFailure` receives the error.
 */
export const logEvents = (
  events: Observable<ClientEvent>,
  log: Log | undefined,
  now: IO<number>,
  onFailure: OnFailure,
): void => {
  if (log === false) return
  if (log === undefined) {
    const isEnabled = namespaceTest(debugVariable())
    if (!NAMESPACES.some(isEnabled)) return
    const write = (event: ClientEvent): void => {
      const namespace = namespaceOf(event)
      // biome-ignore lint/suspicious/noConsole: stderr in every runtime, and `DEBUG` asks for it
      if (isEnabled(namespace)) console.error(`${new Date(now()).toISOString()} ${lineOf(event)}`)
    }
    events.subscribe(guarded(write, onFailure))
  } else events.subscribe(guarded(writerOf(log), onFailure))
}

/** Returns the result of the log, which may be a promise. */
const writerOf = (log: Exclude<Log, false>): ((event: ClientEvent) => unknown) => {
  if (typeof log === 'function') {
    return (event) => log(lineOf(event), { ...namedEvent(event), level: levelOf(event) })
  }
  if (messageFirst.some((rule) => rule.accepts(log))) {
    return (event) => {
      // the line already is the event's message, which winston would otherwise append to the line
      const { message: _, ...fields }: ClientEvent & { readonly message?: string } =
        namedEvent(event)
      return Reflect.apply(log[levelOf(event)], log, [textOf(event), fields])
    }
  }
  return (event) => log[levelOf(event)](namedEvent(event), textOf(event))
}

const namedEvent = (event: ClientEvent): Parameters<LogMethod>[0] => ({
  ...event,
  namespace: namespaceOf(event),
})

// namespaces

const NAMESPACES = [
  'payments-rx:http',
  'payments-rx:scheduler',
  'payments-rx:login',
  'payments-rx:export',
] as const

const namespaceOf = (event: ClientEvent): (typeof NAMESPACES)[number] => {
  if (event._tag === 'LoggedIn') return 'payments-rx:login'
  if (event._tag === 'DestinationWait') return 'payments-rx:export'
  if ('endpoint' in event && event.endpoint === login.route) return 'payments-rx:login'
  return event._tag === 'Throttled' ||
    event._tag === 'LimitChanged' ||
    event._tag === 'ConcurrencyFound' ||
    event._tag === 'QuotaChanged'
    ? 'payments-rx:scheduler'
    : 'payments-rx:http'
}

/** Reads patterns like the package `debug`: `*` is any text, and names after a `-` are excluded. */
const namespaceTest = (patterns: string): ((namespace: string) => boolean) => {
  const words = patterns.split(/[\s,]+/).filter((word) => word !== '')
  const matches = (pattern: string, namespace: string): boolean =>
    new RegExp(`^${pattern.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')}$`).test(
      namespace,
    )
  return (namespace) =>
    words.some((word) => !word.startsWith('-') && matches(word, namespace)) &&
    !words.some((word) => word.startsWith('-') && matches(word.slice(1), namespace))
}

interface MaybeDeno {
  readonly Deno?: {
    readonly permissions: {
      readonly querySync: (permission: object) => { readonly state: string }
    }
  }
}

/** Returns the variable `DEBUG`, or an empty string if there are no variables. */
const debugVariable = (): string => {
  const { Deno } = globalThis as typeof globalThis & MaybeDeno
  const { state } = Deno?.permissions.querySync({ name: 'env', variable: 'DEBUG' }) ?? {}
  if (state !== undefined && state !== 'granted') return '' // reading it would prompt on the terminal, or throw
  return (typeof process === 'object' && process.env?.DEBUG) || ''
}

// lines

const lineOf = (event: ClientEvent): string => `${namespaceOf(event)} ${textOf(event)}`

const levelOf = (event: ClientEvent): keyof Logger => {
  switch (event._tag) {
    case 'Unanswered':
    case 'Retrying':
    case 'LimitChanged':
    case 'ClockSkewed':
    case 'Drifted':
      return 'warn'
    case 'QuotaChanged':
      return event.isAvailable ? 'info' : 'warn'
    case 'DestinationWait':
      return event.isOver ? 'info' : 'warn'
    case 'Ended':
      if (event.outcome !== 'failed') return 'debug'
      return event.failure === undefined ? 'error' : 'warn'
    case 'Throttled':
    case 'Recovered':
    case 'LoggedIn':
      return 'info'
    default:
      return 'debug'
  }
}

const textOf = (event: ClientEvent): string => {
  const number = 'call' in event && event.call !== undefined ? `#${event.call} ` : ''
  return oneLine(`${number}${wordsOf(event)}`)
}

const wordsOf = (event: ClientEvent): string => {
  switch (event._tag) {
    case 'Started':
      return `${event.endpoint}: started`
    case 'Sent': {
      const { endpoint, attempt, waited } = event
      return `${endpoint}: attempt ${attempt} sent${waited >= 1 ? ` after ${millis(waited)} in the queue` : ''}`
    }
    case 'RequestIdGenerated':
      return `${event.endpoint}: generated request_id ${event.requestId}`
    case 'Answered': {
      const { endpoint, attempt, status, took } = event
      return `${endpoint}: attempt ${attempt} got status ${status} after ${millis(took)}`
    }
    case 'Unanswered':
      return `${event.failure.message} (attempt ${event.attempt}, after ${millis(event.took)})`
    case 'Throttled': {
      const { endpoint, attempt, pause } = event
      const when = pause === 0 ? 'at once' : `after ${millis(pause)}`
      return `${endpoint}: attempt ${attempt} refused (429), queued again ${when}`
    }
    case 'Retrying':
      return `${event.failure.message}: retrying in ${millis(event.pause)}`
    case 'Recovered':
      return `${event.endpoint}: had already succeeded: found by its request_id ${event.requestId}`
    case 'Ended': {
      const { endpoint, outcome, attempts, took, failure } = event
      const cost = `after ${millis(took)}, ${plural(attempts, 'attempt')}`
      return `${failure?.message ?? endpoint}: ${outcome} ${cost}`
    }
    case 'LoggedIn':
      return `logged in; the token is valid for ${Math.round(event.validFor / 1_000)} s`
    case 'Drifted': {
      const { endpoint, kind, path, example } = event.fact
      return `${endpoint}: ${kind}: ${path}: ${example}`
    }
    case 'LimitChanged':
    case 'QuotaChanged':
    case 'DestinationWait':
    case 'ConcurrencyFound':
    case 'ClockSkewed':
      return event.message
  }
}

const millis = (ms: number): string => `${Math.round(ms)} ms`
