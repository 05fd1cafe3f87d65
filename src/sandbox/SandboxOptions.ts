import type { SchedulerLike } from 'rxjs'
import type { Environment, Limits } from '../api/limits.js'
import type { BatchOptions } from './batches/options.js'
import type { Faults } from './faults.js'
import type { ReferenceOptions } from './reference/options.js'

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
  /**
   * Decides every value, delay and fault: the same seed, the same sandbox. A whole number up to 2^32 - 1.
   * Default 1.
   */
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
  /**
   * How far latency is spread, in ms: from `latency - jitter` to `latency + jitter`, half of it on the way
   * in and half on the way back, each by itself and never below 0. Default 0.
   */
  readonly jitter?: number
  /** What goes wrong on purpose. Default: nothing. The header `x-sandbox-fault` works either way. */
  readonly faults?: Faults
  /** Clock and timers. Default: RxJS's `asyncScheduler`. */
  readonly timer?: SchedulerLike
}
