/** What a client is made from. */
import type { SchedulerLike } from 'rxjs'
import { type Environment, type Limits, limits } from '../api/limits.js'
import { defined, type IO } from '../fp.js'
import type { CallSettings } from '../http/CallSettings.js'
import type { Codes } from '../http/codes.js'
import type { ListOptions } from '../http/list/readList.js'
import type { Credentials } from '../http/login/login.js'
import type { TokenSource } from '../http/login/tokenSource.js'
import type { Priority } from '../http/Priority.js'
import type { RateLimitKey } from '../http/RateLimitKey.js'
import type { Fetch } from '../http/transport/Fetch.js'
import { isBlockedPort } from '../http/transport/isBlockedPort.js'
import type { Timeout, Transport } from '../http/transport/Transport.js'
import { InvalidOption } from '../options/index.js'
import type { Guard, Scheduler } from '../scheduler/index.js'
import type { Millis } from '../stream/index.js'

// model

/** What `payments.with` may change. */
export interface CallOptions {
  /** Sent as `x-api-version`, `YYYY-MM-DD`; the account's own version applies when left out. */
  readonly apiVersion?: string
  /** The connected account to act for, sent as `x-on-behalf-of`. */
  readonly onBehalfOf?: string
  /**
   * Limits in ms. Default: 10,000 to connect, 60,000 to the headers, 30,000 between two parts of a body,
   * 600,000 to its end.
   */
  readonly timeout?: Partial<Timeout>
  /** Who goes first when limits bind. Exports are `bulk`. Default `interactive`. */
  readonly priority?: Priority
  /** `false`: parameters are not held against the interface's rules before they are sent. Default `true`. */
  readonly check?: boolean
}

/** What a client is made from; only `baseUrl` is required. */
export interface ClientOptions extends CallOptions {
  /** Where the platform is: HTTPS, or HTTP on this machine. There is no default. */
  readonly baseUrl: string
  /** Who asks: keys to log in with, or a source of tokens. Partner calls do not need it. */
  readonly credentials?: Credentials | { readonly token: TokenSource }
  /** The OAuth application, for the partner calls. */
  readonly partner?: { readonly clientId: string; readonly clientSecret: string }
  /** Whose limits apply. Default `production`. */
  readonly environment?: Environment
  /** Other limits than the environment's. */
  readonly limits?: Partial<Limits>
  /** The part of all limits to use, above 0 and up to 1, for those who share an account. Default 1. */
  readonly share?: number
  /**
   * How much longer than its window a place in a rate limit stays taken, for the network's jitter:
   * `'learned'`, `'safe'`, or ms. Default `'learned'`.
   */
  readonly guard?: Guard
  /**
   * The scheduler of another client, for those who use one account together. `limits`, `share`, `guard` and
   * `retry.throttled` are its own then. One of your own has the lanes `interactive` and `bulk`.
   */
  readonly scheduler?: Scheduler<RateLimitKey>
  /** What is sent again, and how often. */
  readonly retry?: {
    /** Attempts after the first, after a 429. Default 7. */
    readonly throttled?: number
    /** Attempts after the first, after other faults. Default 2. */
    readonly faults?: number
    /**
     * How many retries after faults the client may make for each request it sends, over all calls. On top of
     * that: two a second, and a burst of as many as `limits.concurrency`. Default 0.2; `Infinity`: no bound.
     */
    readonly budget?: number
  }
  /** Codes of refusals that are repeated, or not, in place of those of `codes`; each list by itself. */
  readonly codes?: Partial<Pick<Codes, 'duplicate' | 'inProgress' | 'fault'>>
  /** `'exact'` keeps the digits of every number as they came, for `digitsOf`; eight times slower. Default `'fast'`. */
  readonly numbers?: 'exact' | 'fast'
  /** `true` counts what comes that no codec names: see `events` and `drift` of the client. */
  readonly drift?: boolean
  /**
   * When a list is given up as endless, and what a page is that does not say whether there are more. Default:
   * after 10,000 pages, or more than 100 empty pages in a row.
   */
  readonly lists?: Partial<ListOptions>
  /** How long before its end a token is renewed, in ms. Default 60,000. */
  readonly renewEarly?: Millis
  /** Bytes that an answer may have, unpacked. Default 256 MiB; `Infinity` is no bound. */
  readonly maxBytes?: number
  /** What sends, given a URL as text and all of the request beside it. Default: the runtime's own `fetch`. */
  readonly fetch?: Fetch
  /** Sends the requests itself; `fetch` is then not used. */
  readonly transport?: Transport
  /** Clock and timers. Default: RxJS's `asyncScheduler`. */
  readonly timer?: SchedulerLike
  /** A number from 0 up to, but not including, 1. Default `Math.random`. */
  readonly random?: IO<number>
  /** Makes a `request_id` where none is given. */
  readonly uuid?: IO<string>
}

// combinators

/** What `baseUrl` should be. */
export const BASE_URL =
  'an HTTPS URL (or HTTP on this machine) without user name, query and fragment'

/** Where the platform is, without a slash at its end. Throws an `InvalidOption`. */
export const baseUrlOf = (text: string): string => {
  if (!URL.canParse(text)) throw new InvalidOption('baseUrl', BASE_URL)
  const url = new URL(text)
  const loopback = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname)
  const secure = url.protocol === 'https:' || (url.protocol === 'http:' && loopback)
  if (!secure || url.username + url.password !== '' || /[?#]/.test(url.href)) {
    throw new InvalidOption('baseUrl', BASE_URL)
  }
  return url.href.replace(/\/+$/, '')
}

/** The same, where the runtime's own `fetch` is to ask: not every port is one for it. Throws an `InvalidOption`. */
export const fetchableUrlOf = (text: string): string => {
  const url = baseUrlOf(text)
  if (isBlockedPort(Number(new URL(url).port))) throw new InvalidOption('baseUrl', OTHER_PORT)
  return url
}

/** What `baseUrl` should be then. */
const OTHER_PORT = 'at another port: fetch, in Node as in browsers, asks nothing of this one'

/** The settings with what a call's options change. */
export const changed = (
  settings: CallSettings,
  { apiVersion, onBehalfOf, priority, check, timeout }: CallOptions,
): CallSettings => ({
  ...settings,
  timeout: { ...settings.timeout, ...timeout },
  ...defined({ apiVersion, onBehalfOf, priority, check }),
})

export const limitsOf = ({ environment = 'production', limits: own }: ClientOptions): Limits => ({
  ...limits[environment],
  ...own,
})
