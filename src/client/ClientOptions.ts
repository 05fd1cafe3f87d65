/** Options of a client and of its calls: rule, default and doc comment of each in one table. */
import { asyncScheduler, type SchedulerLike } from 'rxjs'
import { type Environment, type Limits, limits } from '../api/limits.js'
import { type IO, withoutPrototype, withoutUndefined } from '../fp.js'
import type { Codes } from '../http/answer/errors.js'
import type { CallSettings } from '../http/ClientRuntime.js'
import { unfitHeader } from '../http/httpRequest.js'
import { limitsRule, PRIORITIES, schedulerRule } from '../http/limits.js'
import type { ListOptions } from '../http/list/List.js'
import { RENEW_EARLY } from '../http/login/Auth.js'
import type { Credentials, TokenSource } from '../http/login/tokens.js'
import { HEADER_VALUE, isHeaderValue } from '../http/request/prepareRequest.js'
import { MAX_BYTES } from '../http/transport/body.js'
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
const timeLimit = { ...is.above(0), expected: 'milliseconds above 0' }
const codeList = is.arrayOf(is.string, 'a list of texts')

const BASE_URL =
  'an HTTPS URL (or HTTP on this machine, and elsewhere with plainHttp) without user name, query and fragment'

/** Completed by `checkCredentials`. */
const credentialsRule: OptionRule<Credentials | { readonly token: TokenSource }> = {
  accepts: is.isObject,
  expected: 'an object of clientId, apiKey, loginAs, token',
  fields: {
    clientId: header,
    apiKey: header,
    loginAs: header,
    token: is.fn('a function that gives a token'),
  },
}

// tables

/** Number of retries of a call. */
interface CallRetry {
  /** Attempts after the first, after a 429. Default 7. */
  readonly throttled?: number
  /** Attempts after the first, after other faults. Default 2. */
  readonly faults?: number
  /**
   * Time from the first request of a call, in ms, after which no other is sent, whatever the fault, 429 included.
   * Default `Infinity`.
   */
  readonly patience?: number
}

const retryTable = {
  throttled: is.nonNegativeIntOrInfinity,
  faults: is.nonNegativeIntOrInfinity,
  patience: is.millis,
}

const callTable = {
  /** Sent as `x-api-version`, `YYYY-MM-DD`. Default: the account's own version. */
  apiVersion: is.isoDay,
  /** The connected account to act for, sent as `x-on-behalf-of`. */
  onBehalfOf: is.stringThat(isHeaderValue, 'an account id'),
  /**
   * Limits in ms. Default: 10,000 to connect, 60,000 to the headers, 30,000 between two parts of a body,
   * 600,000 to its end.
   */
  timeout: is.group<Partial<Timeout>>({
    connect: timeLimit,
    headers: timeLimit,
    body: timeLimit,
    whole: timeLimit,
  }),
  /**
   * Headers for each request, in addition to those of the client, such as for a gateway. Values of headers whose name
   * says `key`, `token`, `secret` or the like are kept out of failures. `with` adds to those of its client.
   */
  headers: is.recordOf(header, 'an object of headers: names and texts'),
  /** Order of requests when limits bind. Exports are `bulk`. Default `interactive`. */
  priority: is.oneOf(...PRIORITIES),
  /** Number of retries; the bound of all of them, `budget`, is the client's. */
  retry: is.group<CallRetry>(retryTable),
  /**
   * Time in which a write that may have been done is looked up again, in ms, since lists may lag; 0 for a single look.
   * Default 15,000.
   */
  lookUpFor: is.millis,
  /**
   * Time of a call from its subscription to its end, in ms: login, queue, pauses and retries included. After that it
   * is given up as `TimedOut`, and a write that may have arrived as `Ambiguous`. In a list it holds for each page. Default
   * `Infinity`.
   */
  deadline: timeLimit,
  /** `false`: parameters are not checked against the rules of the interface before they are sent. Default `true`. */
  check: is.boolean,
}

/** Options that `payments.with` may change. */
export interface CallOptions extends OptionsOf<typeof callTable> {}

export const clientTable = {
  ...callTable,
  /**
   * URL of the platform: HTTPS, or HTTP on this machine. Default: it, and the other parts of the connection that are
   * left out, as `fromEnv` reads them.
   */
  baseUrl: { ...is.nonEmptyString, expected: BASE_URL },
  /**
   * `true`: `baseUrl` may be HTTP on another machine, such as a container. Keys and data travel unencrypted. Default
   * `false`.
   */
  plainHttp: withDefault(is.boolean, false),
  /** API keys to log in with, or a source of tokens. Partner calls do not need it. */
  credentials: credentialsRule,
  /** The OAuth application, for the partner calls. */
  partner: is.group<{ readonly clientId: string; readonly clientSecret: string }>({
    clientId: required(
      is.stringThat(
        (text) => isHeaderValue(text) && !text.includes(':'),
        `${HEADER_VALUE} or a colon in it`,
      ),
    ),
    clientSecret: required(header),
  }),
  /** The environment whose limits apply. Default `production`. */
  environment: withDefault(is.oneOf<Environment>('production', 'sandbox'), 'production'),
  /** Limits in place of the environment's. */
  limits: limitsRule,
  /** The part of all limits to use, above 0 and up to 1, for clients that share an account. Default 1. */
  share: is.fraction,
  /**
   * Time that a place in a rate limit stays taken beyond its window, for the jitter of the network: `'learned'`,
   * `'safe'`, or ms. Default `'learned'`.
   */
  guard: guardRule as OptionRule<Guard>,
  /**
   * Divides the limits between all processes of an account, such as `redisQuota` of `payments-rx/quota`. Default: they
   * are this client's alone.
   */
  quota: quotaRule,
  /**
   * The scheduler of another client, for clients that use one account together. It replaces `environment`, `limits`,
   * `share`, `guard` and `quota`: none of them may be given beside it. One of your own has the lanes `interactive` and
   * `bulk`.
   */
  scheduler: schedulerRule,
  /** Number of retries. */
  retry: is.group<CallRetry & { readonly budget?: number }>({
    ...retryTable,
    budget: is.atLeast(0),
  }),
  /** Error codes by meaning, each list in place of that of `codes`. */
  codes: is.group<Partial<Pick<Codes, 'duplicate' | 'inProgress' | 'fault'>>>({
    duplicate: codeList,
    inProgress: codeList,
    fault: codeList,
  }),
  /** `'exact'` keeps the digits of every number as they came, for `digitsOf`; eight times slower. Default `'fast'`. */
  numbers: withDefault(is.oneOf('exact', 'fast'), 'fast'),
  /** `true` counts fields and values that no codec names: see `events` and `drift` of the client. Default `false`. */
  drift: withDefault(is.boolean, false),
  /**
   * Receives one line for each event: a function, or a logger with the methods of pino. Default: stderr, for events that
   * the variable `DEBUG` names, such as `payments-rx*`; `false`: no log.
   */
  log: logRule,
  /**
   * When to give up a list that does not end, and whether its end must be explicit. Default: after 10,000 pages, or
   * more than 100 consecutive empty ones; and it must be.
   */
  lists: is.group<Partial<ListOptions>>({
    maxPages: is.positiveIntOrInfinity,
    maxEmptyPages: is.int(0),
    strictEnd: is.boolean,
  }),
  /** Time before its end at which a token is renewed, in ms. Default 60,000. */
  renewEarly: withDefault(is.finiteMillis, RENEW_EARLY),
  /** Bytes that a response may have, decompressed. Default 256 MiB; `Infinity`: no bound. */
  maxBytes: withDefault(is.positiveIntOrInfinity, MAX_BYTES),
  /** Sends requests in place of the runtime's own `fetch`. */
  fetch: is.fn<Fetch>(),
  /** Sends requests in place of `fetch` and `maxBytes`, which may not be given beside it, and keeps their time limits. */
  transport: is.fn<Transport>(),
  /** Clock and timers. Default: RxJS's `asyncScheduler`. */
  timer: withDefault(is.rxScheduler<SchedulerLike>(), asyncScheduler),
  /** Returns a number from 0 up to, but not including, 1. Default `Math.random`. */
  random: withDefault(is.fn<IO<number>>(), Math.random),
  /** Generates a `request_id` where none is given. Default `crypto.randomUUID`. */
  uuid: withDefault(is.fn<IO<string>>(), () => crypto.randomUUID()),
}

/** Options of `createClient`. Without `baseUrl`, the connection comes from variables, as `fromEnv` reads them. */
export interface ClientOptions extends OptionsOf<typeof clientTable> {}

export interface ResolvedOptions extends Resolved<typeof clientTable> {
  readonly baseUrl: string
}

// checks

/** Checks the options of a client, and fills in defaults. Throws an `InvalidOption`. */
export const clientOptions = (given: ClientOptions): ResolvedOptions => {
  const options = resolveOptions(given, clientTable)
  const { baseUrl } = options
  if (baseUrl === undefined) throw new InvalidOption('baseUrl', `${BASE_URL}, and is missing`)
  checkCredentials(options)
  checkHeaders(options)
  return withoutPrototype({ ...options, baseUrl })
}

/** Options that have no effect beside another one, by that one. */
const REPLACED = {
  scheduler: ['limits', 'share', 'guard', 'quota', 'environment'],
  transport: ['fetch', 'maxBytes'],
} as const satisfies Partial<Record<keyof ClientOptions, ReadonlyArray<keyof ClientOptions>>>

/** Throws an `InvalidOption` for an option that another one, given as well, leaves without effect. */
export const checkPairs = (given: ClientOptions): void => {
  if (!is.isObject(given)) return
  const isGiven = (name: keyof ClientOptions): boolean =>
    Object.hasOwn(given, name) && given[name] !== undefined
  for (const winner of ['scheduler', 'transport'] as const) {
    const idle = REPLACED[winner].find(isGiven)
    if (!isGiven(winner) || idle === undefined) continue
    throw new InvalidOption(idle, `left out beside ${winner}, which replaces it`)
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
    throw new InvalidOption('credentials', 'clientId and apiKey, or else token')
  }
  if (isSource) return
  for (const name of ['clientId', 'apiKey'] as const) {
    checkArgument(`credentials.${name}`, credentials[name], header)
  }
}

/** Returns the URL without a slash at its end. Throws an `InvalidOption` for one that credentials must not go to. */
export const baseUrlOf = ({
  baseUrl,
  plainHttp = false,
}: Pick<ResolvedOptions, 'baseUrl'> & Pick<ClientOptions, 'plainHttp'>): string => {
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

/** Applies call options to settings. */
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
