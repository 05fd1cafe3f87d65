/** Events of a client as lines of a log: one line an event. */
import type { Observable } from 'rxjs'
import { login } from '../api/authentication.js'
import { plural } from '../decode/plural.js'
import { oneLine } from '../decode/redact.js'
import type { IO } from '../fp.js'
import type { ClientEvent } from '../http/ClientEvent.js'
import { is, type OptionRule } from '../options/index.js'
import { guarded } from '../stream/guardedEvents.js'
import type { OnFailure } from '../stream/warnOnce.js'

// model

/** A logger with the methods of pino, such as one of pino itself, or `console`. */
export interface Logger {
  /** Takes calls that start, succeed or are cancelled, and their requests and responses. */
  readonly debug: LogMethod
  /** Takes logins, refusals (429), and writes that were found by their `request_id`. */
  readonly info: LogMethod
  /** Takes calls that fail, faults and retries, lowered limits, clocks that differ, destinations that are waited for, and drift. */
  readonly warn: LogMethod
  /** Takes calls in which an error is thrown: a bug. */
  readonly error: LogMethod
}

/** `fields` are those of the event, and its `namespace`; `line` says it in words. */
type LogMethod = (fields: ClientEvent & { readonly namespace: string }, line: string) => void

/** Takes lines, or is a logger; `false`: no log, whatever `DEBUG` says. A log that fails ends no call: that is reported once. */
export type Log = ((line: string) => void) | Logger | false

const isLogger = is.withMethods<Logger>('a logger', 'debug', 'info', 'warn', 'error')

export const logRule: OptionRule<Log> = {
  accepts: (u) => u === false || is.fn().accepts(u) || isLogger.accepts(u),
  expected: `a function that takes a line, ${isLogger.expected}, or false`,
}

// constructors

/**
 * Logs events for as long as the client lives: to `log`, or else, those of the namespaces that the variable `DEBUG` names,
 * to stderr. A log that throws, or whose promise is rejected, ends no call: `onFailure` takes the error.
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
  } else if (typeof log === 'function') {
    events.subscribe(guarded((event: ClientEvent) => log(lineOf(event)), onFailure))
  } else {
    const write = (event: ClientEvent) =>
      log[levelOf(event)]({ ...event, namespace: namespaceOf(event) }, textOf(event))
    events.subscribe(guarded(write, onFailure))
  }
}

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
    event._tag === 'QuotaChanged'
    ? 'payments-rx:scheduler'
    : 'payments-rx:http'
}

/** Reads patterns as the package `debug` does: `*` is any text, and names after a `-` are left out. */
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

/** Returns the variable `DEBUG`, empty where there are no variables. */
const debugVariable = (): string => {
  const { Deno } = globalThis as typeof globalThis & MaybeDeno
  const { state } = Deno?.permissions.querySync({ name: 'env', variable: 'DEBUG' }) ?? {}
  if (state !== undefined && state !== 'granted') return '' // it would ask on the terminal, or throw
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
      return `${event.endpoint}: has the new request_id ${event.requestId}`
    case 'Answered': {
      const { endpoint, attempt, status, took } = event
      return `${endpoint}: attempt ${attempt} answered ${status} after ${millis(took)}`
    }
    case 'Unanswered':
      return `${event.failure.message} (attempt ${event.attempt}, after ${millis(event.took)})`
    case 'Throttled': {
      const { endpoint, attempt, pause } = event
      const when = pause === 0 ? 'at once' : `after ${millis(pause)}`
      return `${endpoint}: attempt ${attempt} refused (429), queues again ${when}`
    }
    case 'Retrying':
      return `${event.failure.message}: retried after ${millis(event.pause)}`
    case 'Recovered':
      return `${event.endpoint}: had been done: found by its request_id ${event.requestId}`
    case 'Ended': {
      const { endpoint, outcome, attempts, took, failure } = event
      const cost = `after ${millis(took)}, ${plural(attempts, 'attempt')}`
      return `${failure?.message ?? endpoint}: ${outcome} ${cost}`
    }
    case 'LoggedIn':
      return `logged in for ${Math.round(event.validFor / 1_000)} s`
    case 'Drifted': {
      const { endpoint, kind, path, example } = event.fact
      return `${endpoint}: ${kind}: ${path}: ${example}`
    }
    case 'LimitChanged':
    case 'QuotaChanged':
    case 'DestinationWait':
    case 'ClockSkewed':
      return event.message
  }
}

const millis = (ms: number): string => `${Math.round(ms)} ms`
