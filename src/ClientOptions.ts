/** What a client is made from, and how it is checked before there is one. */
import type { SchedulerLike } from 'rxjs'
import { type Environment, type Limits, limits } from './api/limits.js'
import type { IO } from './fp.js'
import { defined } from './http/defined.js'
import type { TokenSource } from './http/foreignToken.js'
import type { ListOptions } from './http/list.js'
import type { Credentials } from './http/login.js'
import type { Settings, Slot } from './http/Session.js'
import { fitsHeader, HEADER } from './http/secrets.js'
import type { Timeout, Transport } from './http/Transport.js'
import type { Guard, Scheduler } from './scheduler/index.js'
import type { Millis } from './stream/index.js'

// model

/** What `payments.with` may change. */
export interface CallOptions {
  /** Sent as `x-api-version`, `YYYY-MM-DD`; the account's own version applies when left out. */
  readonly apiVersion?: string
  /** The connected account to act for, sent as `x-on-behalf-of`. */
  readonly onBehalfOf?: string
  /** Limits in ms: 10,000 to connect, 60,000 to the headers, 30,000 between two parts of a body. */
  readonly timeout?: Partial<Timeout>
  /** Who goes first when limits bind. Exports are `bulk`. */
  readonly priority?: 'interactive' | 'bulk'
  /** `false`: parameters are not held against the interface's rules before they are sent. */
  readonly check?: boolean
}

export interface ClientOptions extends CallOptions {
  /** Where the platform is: HTTPS, or HTTP on this machine. There is no default. */
  readonly baseUrl: string
  /** Who asks: keys to log in with, or a source of tokens. Partner calls do not need it. */
  readonly credentials?: Credentials | { readonly token: TokenSource }
  /** The OAuth application, for the partner calls. */
  readonly partner?: { readonly clientId: string; readonly clientSecret: string }
  /** Whose limits apply; `production` unless given. */
  readonly environment?: Environment
  /** Other limits than the environment's. */
  readonly limits?: Partial<Limits>
  /** The part of all limits to use, above 0 and up to 1, for those who share an account. */
  readonly share?: number
  /** How much room is left for the network's jitter: learned, provably safe, or in ms. */
  readonly guard?: Guard
  /** The scheduler of another client, for those who use one account together. */
  readonly scheduler?: Scheduler<Slot>
  readonly retry?: {
    /** Attempts after the first, after a 429; 7 unless given. */
    readonly throttled?: number
    /** Attempts after the first, after other faults; 2 unless given. */
    readonly faults?: number
    /**
     * Of these, all calls together, for each request: 0.2 unless given. Beside that two a second, and
     * as many at once as may be under way. `Infinity` is no bound.
     */
    readonly budget?: number
  }
  /** `'exact'` keeps the digits of every number as they came, for `digitsOf`; eight times slower. */
  readonly numbers?: 'exact' | 'fast'
  /** `true` counts what comes that no codec names: see `events` and `drift` of the client. */
  readonly drift?: boolean
  /** When a list is taken to be endless. */
  readonly lists?: Partial<ListOptions>
  /** How long before its end a token is renewed, in ms; 60,000 unless given. */
  readonly renewEarly?: Millis
  /** What sends; the runtime's own `fetch` unless given. */
  readonly fetch?: typeof fetch
  /** What sends, in place of `fetch` and all around it. */
  readonly transport?: Transport
  /** Time: `now` and timers. */
  readonly timer?: SchedulerLike
  /** Chance, from 0 up to 1. */
  readonly random?: IO<number>
  /** Makes a `request_id` where none is given. */
  readonly uuid?: IO<string>
}

/** Thrown by `createClient`: an option that cannot work. */
export class InvalidOption extends TypeError {
  override readonly name = 'InvalidOption'
  readonly option: string

  constructor(option: string, expected: string) {
    super(`${option} should be ${expected}`)
    this.option = option
  }
}

// combinators

/** Where the platform is, without a slash at its end. Throws an `InvalidOption`. */
export const baseUrlOf = (text: string): string => {
  const expected = 'an HTTPS URL (or HTTP on this machine) without user name, query and fragment'
  if (!URL.canParse(text)) throw new InvalidOption('baseUrl', expected)
  const url = new URL(text)
  const loopback = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname)
  const secure = url.protocol === 'https:' || (url.protocol === 'http:' && loopback)
  if (!secure || url.username + url.password + url.search + url.hash !== '') {
    throw new InvalidOption('baseUrl', expected)
  }
  return url.href.replace(/\/+$/, '')
}

/** Throws an `InvalidOption`, which does not repeat what came. */
export const checkCredentials = ({ credentials, partner }: ClientOptions): void => {
  const source = credentials !== undefined && 'token' in credentials ? credentials : undefined
  const keys = credentials !== undefined && 'clientId' in credentials ? credentials : undefined
  if (credentials !== undefined && source === undefined && keys === undefined) {
    throw new InvalidOption('credentials', 'clientId and apiKey, or token')
  }
  if (source !== undefined && typeof source.token !== 'function') {
    throw new InvalidOption('credentials.token', 'a function that gives a token')
  }
  const texts = {
    ...(keys && {
      'credentials.clientId': keys.clientId,
      'credentials.apiKey': keys.apiKey,
      'credentials.loginAs': keys.loginAs ?? 'none',
    }),
    ...(partner && {
      'partner.clientId': partner.clientId,
      'partner.clientSecret': partner.clientSecret,
    }),
  }
  for (const [name, value] of Object.entries(texts)) {
    if (typeof value !== 'string' || !fitsHeader(value)) {
      throw new InvalidOption(name, HEADER)
    }
  }
  if (partner?.clientId.includes(':') === true) {
    throw new InvalidOption('partner.clientId', 'a text without a colon')
  }
}

/** The settings with what a call's options change. Throws an `InvalidOption`. */
export const changed = (settings: Settings, options: CallOptions): Settings => {
  const { apiVersion, onBehalfOf, priority, check } = options
  const timeout = defined(options.timeout ?? {})
  if (apiVersion !== undefined && !/^\d{4}-\d\d-\d\d$/.test(apiVersion)) {
    throw new InvalidOption('apiVersion', 'a date as YYYY-MM-DD')
  }
  if (onBehalfOf !== undefined && !fitsHeader(onBehalfOf)) {
    throw new InvalidOption('onBehalfOf', 'an account id')
  }
  if (priority !== undefined && !['interactive', 'bulk'].includes(priority)) {
    throw new InvalidOption('priority', "'interactive' or 'bulk'")
  }
  for (const [phase, limit] of Object.entries(timeout)) {
    if (!isAbove(0)(limit)) throw new InvalidOption(`timeout.${phase}`, 'milliseconds above 0')
  }
  return {
    ...settings,
    timeout: { ...settings.timeout, ...timeout },
    ...(apiVersion === undefined ? {} : { apiVersion }),
    ...(onBehalfOf === undefined ? {} : { onBehalfOf }),
    ...(priority === undefined ? {} : { priority }),
    ...(check === undefined ? {} : { check }),
  }
}

const isAbove = (least: number) => (u: unknown) => typeof u === 'number' && u > least
const isCount = (least: number) => (u: unknown) => Number.isInteger(u) && isAbove(least - 1)(u)
const isFraction = (u: unknown) => typeof u === 'number' && u > 0 && u <= 1
const isSpan = (u: unknown) => typeof u === 'number' && u >= 0 && u < Number.POSITIVE_INFINITY

/** Throws an `InvalidOption` for a number that makes no client. */
export const checkNumbers = (options: ClientOptions): void => {
  const { limits, share, guard, retry, lists, renewEarly } = options
  const check = (
    name: string,
    u: unknown,
    fits: (u: unknown) => boolean,
    expected: string,
  ): void => {
    if (u !== undefined && !fits(u)) throw new InvalidOption(name, expected)
  }
  for (const [name, limit] of Object.entries(limits ?? {})) {
    const fits = (u: unknown) => u === Number.POSITIVE_INFINITY || isCount(1)(u)
    check(`limits.${name}`, limit, fits, 'a whole number of at least 1, or Infinity')
  }
  check('share', share, isFraction, 'above 0 and at most 1')
  if (guard !== 'learned' && guard !== 'safe') {
    check('guard', guard, isSpan, "'learned', 'safe' or milliseconds")
  }
  check('retry.throttled', retry?.throttled, isCount(0), 'a whole number')
  check('retry.faults', retry?.faults, isCount(0), 'a whole number')
  const isBudget = (u: unknown) => u === Number.POSITIVE_INFINITY || isSpan(u)
  check('retry.budget', retry?.budget, isBudget, 'a number of at least 0, or Infinity')
  check('lists.maxPages', lists?.maxPages, isCount(1), 'a whole number of at least 1')
  check('lists.maxEmptyPages', lists?.maxEmptyPages, isCount(0), 'a whole number')
  check('renewEarly', renewEarly, isSpan, 'milliseconds')
}

/** Throws an `InvalidOption`. */
export const limitsOf = ({ environment = 'production', limits: own }: ClientOptions): Limits => {
  if (!Object.hasOwn(limits, environment)) {
    throw new InvalidOption('environment', `one of ${Object.keys(limits).join(', ')}`)
  }
  return { ...limits[environment], ...defined(own ?? {}) }
}
