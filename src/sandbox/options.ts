import { asyncScheduler } from 'rxjs'
import { type Environment, type Limits, limits, unlimited } from '../api/limits.js'
import type { IO } from '../fp.js'
import { InvalidOption } from '../options/index.js'
import { type BatchOptions, batchDefaults } from './batches/options.js'
import { checkedOptions } from './checkOptions.js'
import type { Faults } from './faults.js'
import { type ReferenceOptions, referenceDefaults } from './reference/options.js'

// model

/** Who may log in. */
export interface SandboxCredentials {
  /** What a login must send. */
  readonly clientId: string
  /** What a login must send. */
  readonly apiKey: string
  /** The events that these credentials may subscribe to: names, or groups such as `account`. Default: all. */
  readonly scopes?: ReadonlyArray<string>
}

/** Who may make the partner's calls. */
export interface SandboxPartner {
  /** The name of Basic credentials. */
  readonly clientId: string
  /** Their password. */
  readonly clientSecret: string
  /** The events that the authorizations allow: names, or groups such as `account`. Default: all. */
  readonly scopes?: ReadonlyArray<string>
}

/** What a sandbox can be told. */
export interface SandboxOptions extends BatchOptions, ReferenceOptions {
  /** Whose limits apply, as the interface has them. Default `'production'`. */
  readonly environment?: Environment
  /** Other limits than the environment's, or `false` for none. Default: the environment's. */
  readonly limits?: Partial<Limits> | false
  /** How many charges there are from the start, up to 2^31. Default 100,000. */
  readonly charges?: number
  /** Decides every value, delay and fault: the same seed, the same sandbox. Default 1. */
  readonly seed?: number
  /** When the first charge was created. Default 2024-01-01T00:00:00Z. */
  readonly since?: Date
  /** Time from one charge to the next on average, in ms. Default 3,000. */
  readonly every?: number
  /** How charges are listed; the interface names no direction. Default `'ascending'`, oldest first. */
  readonly order?: 'ascending' | 'descending'
  /** A charge comes by itself this often, in ms, so that lists drift. Default 0: none does. */
  readonly arrivals?: number
  /** A charge that is made takes the next step of its course after this time, in ms. Default 2,000. */
  readonly settleAfter?: number
  /** The API version of calls that name none, as YYYY-MM-DD. Default 2026-08-21. */
  readonly apiVersion?: string
  /** Who may log in. Default: `sandboxCredentials`. */
  readonly credentials?: ReadonlyArray<SandboxCredentials>
  /** Who may make the calls that take Basic authentication. Default: `sandboxPartner`. */
  readonly partner?: SandboxPartner
  /** How long a token is good for, in ms. Default 30 minutes (interface, Authentication). */
  readonly tokenLife?: number
  /** From sending a request to having its answer, in ms: half on the way in, half back. Default 0. */
  readonly latency?: number
  /** How far latency is spread, in ms: from `latency - jitter` to `latency + jitter`. Default 0. */
  readonly jitter?: number
  /** What goes wrong on purpose. Default: nothing. The header `x-sandbox-fault` works either way. */
  readonly faults?: Faults
  /** Milliseconds since 1970. Default: the clock of RxJS's `asyncScheduler`. */
  readonly now?: IO<number>
  /** Runs something later, in ms, and returns what calls it off. Default: `asyncScheduler`. */
  readonly after?: (delay: number, work: () => void) => () => void
}

/** Options, all of them given. */
export interface Settings extends Required<Omit<SandboxOptions, 'limits'>> {
  readonly limits: Limits
}

// constructors

/** Logs into every sandbox that names no credentials of its own. */
export const sandboxCredentials: SandboxCredentials = {
  /** What a login must send. */
  clientId: 'sandbox',
  /** What a login must send. */
  apiKey: 'sandbox-key',
}

/** The partner of every sandbox that names none of its own. */
export const sandboxPartner: SandboxPartner = {
  /** The name of Basic credentials. */
  clientId: 'sandbox-partner',
  /** Their password. */
  clientSecret: 'sandbox-secret',
}

/** What a sandbox does when it is told nothing. */
export const defaults: Required<Omit<SandboxOptions, 'limits' | 'now' | 'after'>> = {
  environment: 'production',
  charges: 100_000,
  seed: 1,
  since: new Date('2024-01-01T00:00:00Z'),
  every: 3_000,
  order: 'ascending',
  arrivals: 0,
  settleAfter: 2_000,
  ...batchDefaults,
  ...referenceDefaults,
  apiVersion: '2026-08-21',
  credentials: [sandboxCredentials],
  partner: sandboxPartner,
  tokenLife: 30 * 60_000,
  latency: 0,
  jitter: 0,
  faults: {},
}

const later = (delay: number, work: () => void): (() => void) => {
  const running = asyncScheduler.schedule(work, delay)
  return () => running.unsubscribe()
}

/** Fills in the defaults. Throws an `InvalidOption` for what makes no sandbox. */
export const settings = (given: SandboxOptions): Settings => {
  const { limits: wanted, ...options } = checkedOptions(given)
  const all = { ...defaults, now: () => asyncScheduler.now(), after: later, ...options }
  const end = all.since.getTime() + all.charges * all.every
  if (!(all.since.getTime() >= 0 && end < Date.UTC(9999, 0))) {
    throw new InvalidOption(
      'since',
      'after 1969, and so that the last of the charges, one each `every` ms, is created before 9999',
    )
  }
  return {
    ...all,
    now: () => Math.floor(all.now()), // times and tokens have whole ms, whatever the clock has
    limits: wanted === false ? unlimited : { ...limits[all.environment], ...wanted },
  }
}
