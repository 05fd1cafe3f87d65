/** What the calls of one client share, and what each may have of its own. */
import type { SchedulerLike } from 'rxjs'
import type { AnyEndpoint, Route } from '../api/Endpoint.js'
import type { IO } from '../fp.js'
import type { Scheduler } from '../scheduler/index.js'
import type { Backoff } from '../stream/index.js'
import type { Auth } from './auth.js'
import type { Budget } from './Budget.js'
import type { ClientEvent } from './ClientEvent.js'
import type { Codes } from './codes.js'
import type { Secrets } from './Secrets.js'
import type { Timeout, Transport } from './Transport.js'

/** What a request is counted under, by the scheduler. */
export interface Slot {
  /** What is asked, such as `GET /api/v1/charges`. */
  readonly endpoint: Route
  /** The path as it is sent, without the query: `/api/v1/charges/chg_1`; left out for a login. */
  readonly path?: string
  /** Whose login this is; left out for every other call. */
  readonly login?: string
}

/** Shared by a client and all that `with` makes of it. */
export interface Session {
  readonly transport: Transport
  readonly scheduler: Scheduler<Slot>
  /** After a fault, in place of a 429's backoff, which the scheduler has. */
  readonly backoff: Backoff
  /** How much of that all calls may do together. */
  readonly budget: Budget
  /** What the codes of refusals say. */
  readonly codes: Codes
  readonly auth: (row: AnyEndpoint) => Auth
  /** All that must not show, whatever the request. */
  readonly secrets: Secrets
  readonly emit: (event: ClientEvent) => void
  readonly timer: SchedulerLike
  readonly random: IO<number>
  readonly uuid: IO<string>
}

/** What `with` changes. */
export interface Settings {
  readonly baseUrl: string
  readonly timeout: Timeout
  readonly check: boolean
  readonly priority: 'interactive' | 'bulk'
  readonly apiVersion?: string
  readonly onBehalfOf?: string
}
