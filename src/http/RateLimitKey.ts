import type { Route } from '../api/Endpoint.js'

/** What a request is counted under, by the scheduler. */
export interface RateLimitKey {
  /** What is asked, such as `GET /api/v1/charges`. */
  readonly endpoint: Route
  /** The path as it is sent, without the query: `/api/v1/charges/chg_1`; left out for a login. */
  readonly path?: string
  /** Whose login this is; left out for every other call. */
  readonly login?: string
}
