import type { Route } from '../../../src/api/Endpoint.js'

/** A call as the interface document describes it: what is asked, what is sent, what comes back. */
export interface Example {
  readonly route: Route
  /** The params that a caller passes. */
  readonly params: unknown
  readonly sent: {
    readonly target: string
    readonly headers?: Readonly<Record<string, string>>
    /** JSON. */
    readonly body?: unknown
  }
  /** JSON; undefined for an empty body. */
  readonly answer: unknown
}
