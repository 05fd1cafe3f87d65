/** Options of a client and of its calls. One table holds the rule, default and doc comment of each option. */
import { asyncScheduler, type SchedulerLike } from 'rxjs'
import { type Environment, type Limits, limits } from '../api/limits.js'
import { type IO, withoutPrototype, withoutUndefined } from '../fp.js'
import type { Codes } from '../http/answer/errors.js'
import type { CallSettings } from '../http/ClientRuntime.js'
import { unfitHeader } from '../http/httpRequest.js'
import { fairnessRule, limitsRule, PRIORITIES, schedulerRule } from '../http/limits.js'
import type { ListOptions } from '../http/list/List.js'
import { RENEW_EARLY } from '../http/login/Auth.js'
import type { Credentials, TokenSource } from '../http/login/tokens.js'
import { HEADER_VALUE, isHeaderValue } from '../http/request/prepareRequest.js'
import { MAX_BYTES } from '../http/transport/body.js'
import { hooksRule } from '../http/transport/kyTransport.js'
import type { Fetch, Timeout, Transport } from '../http/transport/Transport.js'
import {
  checkArgument,
  checkOptions,
  InvalidOption,
  is,
  type OptionRule,
  type OptionsOf,
  type Resolved,
  required,
  resolveOptions,
  withDefault,
} from '../options/index.js'
import { type Guard, guardRule } from '../scheduler/limiters/RollingWindow.js'
import { quotaRule } from '../scheduler/SharedQuota.js'
import { logRule } from './log.js'

// rules

const header = is.stringThat(isHeaderValue, HEADER_VALUE)

/** Returns true for a valid name or password of Basic authentication: Base64 makes any character safe in a header. */
const isBasicText = (text: string): boolean =>
  text.isWellFormed() && /^\S(.*\S)?$/u.test(text) && !/\p{Cc}/u.test(text)

const BASIC_TEXT = 'a non-empty string without surrounding spaces and without control characters'
const timeLimit = { ...is.above(0), expected: 'more than 0 milliseconds' }
const codeList = is.arrayOf(is.string, 'a list of strings')

const BASE_URL =
  'an HTTPS URL (or HTTP on this machine, and elsewhere with plainHttp) without user name, query and fragment'

/** `checkCredentials` completes this check. */
const credentialsRule: OptionRule<Credentials | { readonly token: TokenSource }> = {
  accepts: is.isObject,
  expected: 'an object like { clientId, apiKey, loginAs } or { token }',
  fields: {
    clientId: header,
    apiKey: header,
    loginAs: header,
    token: is.fn('a function that returns a token'),
  },
}

// tables

/** How often a call is retried. */
interface CallRetry {
  /** Maximum number of retries after a 429. Default 7. */
  readonly throttled?: number
  /** Maximum number of retries after other faults. Default 2. */
  readonly faults?: number
  /** Time limit for retries after any fault, including a 429, in ms since the first request. Default `Infinity`. */
  readonly patience?: number
}

const retryTable = {
  throttled: is.nonNegativeIntOrInfinity,
  faults: is.nonNegativeIntOrInfinity,
  patience: is.millis,
}

export const callTable = {
  /** Sent as `x-api-version`, `YYYY-MM-DD`. Default: the account's own version. */
  apiVersion: is.isoDay,
  /** The connected account to act for, sent as `x-on-behalf-of`. */
  onBehalfOf: is.stringThat(isHeaderValue, 'an account id'),
  /**
   * Time limits in ms. Default: 10,000 to connect, 60,000 until the headers, 30,000 between two chunks of a body, 600,000 until
   * the end of the body.
   */
  timeout: is.group<Partial<Timeout>>({
    connect: timeLimit,
    headers: timeLimit,
    body: timeLimit,
    whole: timeLimit,
  }),
  /**
   * Extra request headers, for example for a gateway. Failures do not contain the values of headers named like `key`, `token` or
   * `secret`. `with` adds to these headers.
   */
  headers: is.recordOf(header, 'an object with a string for each header name'),
  /**
   * The lane of a call in the queue: `bulk` calls yield to `interactive` ones when a limit is reached. Exports are `bulk`.
   * Default `interactive`.
   */
  priority: is.oneOf(...PRIORITIES),
  /** Limits on the retries of a call. The client's `retry.budget` limits the retries of all calls together. */
  retry: is.group<CallRetry>(retryTable),
  /** Time to keep looking up a write that may have succeeded, in ms, because lists may lag; 0 looks once. Default 15,000. */
  lookUpFor: is.millis,
  /**
   * Time limit of a call from subscription to end, in ms, including login, queue, pauses and retries. After that, the call fails
   * with `TimedOut`, or with `Ambiguous` if it is a write that may have arrived. In a list, the limit applies to each page.
   * Default `Infinity`.
   */
  deadline: timeLimit,
  /** `false` sends parameters without checking them against the API description. Default `true`. */
  check: is.boolean,
}

/** Options that `payments.with` may change. */
export interface CallOptions extends OptionsOf<typeof callTable> {}

export const clientTable = {
  ...callTable,
  /**
   * URL of the platform: HTTPS, or HTTP on this machine. If omitted, it is read from environment variables, as by `fromEnv`,
   * together with the other omitted connection options.
   */
  baseUrl: { ...is.nonEmptyString, expected: BASE_URL },
  /**
   * `true` allows an HTTP `baseUrl` on another machine, such as a container. Keys and data travel unencrypted. Default `false`.
   */
  plainHttp: withDefault(is.boolean, false),
  /** API keys to log in with, or a source of tokens. Not needed for partner calls. */
  credentials: credentialsRule,
  /** The OAuth application, for the partner calls. */
  partner: is.group<{ readonly clientId: string; readonly clientSecret: string }>({
    clientId: required(
      is.stringThat((text) => isBasicText(text) && !text.includes(':'), `${BASIC_TEXT} or colons`),
    ),
    clientSecret: required(is.stringThat(isBasicText, BASIC_TEXT)),
  }),
  /** The environment whose limits apply. Default `production`. */
  environment: withDefault(is.oneOf<Environment>('production', 'test'), 'production'),
  /** Limits to use instead of the environment's. */
  limits: limitsRule,
  /** The share of all limits to use, above 0 and up to 1, for clients that share an account. Default 1. */
  share: is.fraction,
  /**
   * Time for which a request keeps counting toward a rate limit after the limit's window, to allow for network jitter:
   * `'learned'`, `'safe'`, or ms. Default `'learned'`.
   */
  guard: guardRule as OptionRule<Guard>,
  /**
   * A quota that divides the limits between all processes of an account, such as `redisQuota` of `payments-rx/quota`. Default:
   * this client uses the full limits.
   */
  quota: quotaRule,
  /**
   * Lets calls take turns by key when they wait for the same limits. `by` returns the key; by default it is the account that a
   * call acts for (`onBehalfOf`, or `undefined` for your own). `weight` is 1 by default. `false`: first in, first out.
   */
  fair: fairnessRule,
  /**
   * Another client's scheduler, for clients that use one account together. It replaces `environment`, `limits`, `share`, `guard`,
   * `quota` and `fair`, which must then be omitted. Your own scheduler needs the lanes `interactive` and `bulk`.
   */
  scheduler: schedulerRule,
  /** Limits on retries: per call, and for all calls together. */
  retry: is.group<CallRetry & { readonly budget?: number }>({
    ...retryTable,
    budget: is.atLeast(0),
  }),
  /** Error codes by meaning; each list replaces the one in `codes`. */
  codes: is.group<Partial<Pick<Codes, 'duplicate' | 'inProgress' | 'fault'>>>({
    duplicate: codeList,
    inProgress: codeList,
    fault: codeList,
  }),
  /**
   * `'exact'` keeps the original digits of every number for `digitsOf`, but decoding takes eight times as long. Default
   * `'fast'`: keeps them only in responses with a number that could be rounded.
   */
  numbers: withDefault(is.oneOf('exact', 'fast'), 'fast'),
  /**
   * `true` counts fields and values that no codec describes (drift): see `events` and `drift` of the client. Default `false`.
   */
  drift: withDefault(is.boolean, false),
  /**
   * Receives one line for each event: a function `(line, fields) => …`, or a logger such as pino or winston. Default: events
   * named by the variable `DEBUG`, such as `payments-rx*`, go to stderr. `false`: no log.
   */
  log: logRule,
  /**
   * When to give up on a list that does not end, and whether its end must be explicit. Default: after 10,000 pages or after
   * more than 100 consecutive empty ones; the end must be explicit.
   */
  lists: is.group<Partial<ListOptions>>({
    maxPages: is.positiveIntOrInfinity,
    maxEmptyPages: is.int(0),
    strictEnd: is.boolean,
  }),
  /** Time before its expiry at which a token is refreshed, in ms. Default 60,000. */
  renewEarly: withDefault(is.finiteMillis, RENEW_EARLY),
  /** Maximum size of a response in bytes, after decompression. Default 32 MiB; `Infinity`: no limit. */
  maxBytes: withDefault(is.positiveIntOrInfinity, MAX_BYTES),
  /** Replaces the runtime's own `fetch` for sending requests. */
  fetch: is.fn<Fetch>(),
  /** Hooks of ky, `beforeRequest` and `afterResponse`, around each request including logins. They see secrets. */
  hooks: hooksRule,
  /** Sends requests and enforces their time limits. It replaces `fetch`, `hooks` and `maxBytes`, which must then be omitted. */
  transport: is.fn<Transport>(),
  /** Clock and timers. Default: RxJS's `asyncScheduler`. */
  timer: withDefault(is.rxScheduler<SchedulerLike>(), asyncScheduler),
  /** Returns a number from 0 up to, but not including, 1. Default `Math.random`. */
  random: withDefault(is.fn<IO<number>>(), Math.random),
  /** Generates a `request_id` if none is given. Default `crypto.randomUUID`. */
  uuid: withDefault(is.fn<IO<string>>(), () => crypto.randomUUID()),
}

/**
 * Options of `createClient`. Without `baseUrl`, missing connection options are read from environment variables, as by
 * `fromEnv`.
 */
export interface ClientOptions extends OptionsOf<typeof clientTable> {}

export interface ResolvedOptions extends Resolved<typeof clientTable> {
  readonly baseUrl: string
}

// checks

/** Checks the options of a client, and fills in defaults. Throws an `InvalidOption`. */
export const clientOptions = (given: ClientOptions): ResolvedOptions => {
  const options = resolveOptions(given, clientTable)
  const { baseUrl } = options
  if (baseUrl === undefined) throw new InvalidOption('baseUrl', `${BASE_URL}, but is missing`)
  checkCredentials(options)
  checkHeaders(options)
  return withoutPrototype({ ...options, baseUrl })
}

const REPLACED = {
  scheduler: ['limits', 'share', 'guard', 'quota', 'environment', 'fair'],
  transport: ['fetch', 'hooks', 'maxBytes'],
} as const satisfies Partial<Record<keyof ClientOptions, ReadonlyArray<keyof ClientOptions>>>

/** Throws an `InvalidOption` if both an option and the one that replaces it are given. */
export const checkPairs = (given: ClientOptions): void => {
  if (!is.isObject(given)) return
  const isGiven = (name: keyof ClientOptions): boolean =>
    Object.hasOwn(given, name) && given[name] !== undefined
  for (const winner of ['scheduler', 'transport'] as const) {
    const idle = REPLACED[winner].find(isGiven)
    if (!isGiven(winner) || idle === undefined) continue
    throw new InvalidOption(idle, `omitted, because ${winner} replaces it`)
  }
}

/** Checks the options of `with`. Throws an `InvalidOption`. */
export const callOptions = (given: CallOptions): CallOptions => {
  const options = checkOptions(given, callTable, { context: 'with: ' })
  checkHeaders(options)
  return options
}

const checkHeaders = ({ headers = {} }: CallOptions): void => {
  for (const name of Object.keys(headers)) {
    const expected = unfitHeader(name)
    if (expected !== undefined) throw new InvalidOption(`headers.${name}`, expected)
  }
}

/** Requires both keys, or a source of tokens instead. */
const checkCredentials = ({ credentials }: Pick<ResolvedOptions, 'credentials'>): void => {
  if (credentials === undefined) return
  const isSource = 'token' in credentials
  const names = Object.keys(credentials)
  if (names.length === 0 || (isSource && names.length > 1)) {
    throw new InvalidOption(
      'credentials',
      'an object like { clientId, apiKey, loginAs } or { token }',
    )
  }
  if (isSource) return
  for (const name of ['clientId', 'apiKey'] as const) {
    checkArgument(`credentials.${name}`, credentials[name], header)
  }
}

/** Returns the URL without a trailing slash. Throws an `InvalidOption` for a URL that must not receive credentials. */
export const baseUrlOf = ({
  baseUrl,
  plainHttp = false,
}: Pick<ResolvedOptions, 'baseUrl'> & Pick<ClientOptions, 'plainHttp'>): string => {
  if (!/^https?:\/\//i.test(baseUrl)) {
    throw new InvalidOption('baseUrl', `${BASE_URL}, and begin with https:// or http://`)
  }
  if (!URL.canParse(baseUrl)) throw new InvalidOption('baseUrl', BASE_URL)
  const url = new URL(baseUrl)
  const isLoopback = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname)
  const isSecure =
    url.protocol === 'https:' || (url.protocol === 'http:' && (isLoopback || plainHttp))
  if (!isSecure || url.username + url.password !== '' || /[?#]/.test(url.href)) {
    throw new InvalidOption('baseUrl', BASE_URL)
  }
  return url.href.replace(/\/+$/, '')
}

// combinators

export const changed = (settings: CallSettings, options: CallOptions): CallSettings => {
  const { apiVersion, onBehalfOf, priority, check, deadline, lookUpFor } = options
  const { timeout, headers = {}, retry } = options
  const { throttled, faults, patience } = { ...retry }
  return withoutPrototype({
    ...settings,
    timeout: { ...settings.timeout, ...withoutUndefined({ ...timeout }) },
    headers: { ...settings.headers, ...lowerCased(headers) },
    retry: { ...settings.retry, ...withoutUndefined({ throttled, faults, patience }) },
    ...withoutUndefined({ apiVersion, onBehalfOf, priority, check, deadline, lookUpFor }),
  })
}

const lowerCased = (headers: CallSettings['headers']): CallSettings['headers'] =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

export const limitsOf = ({ environment, limits: custom }: ResolvedOptions): Limits => ({
  ...limits[environment],
  ...custom,
})
