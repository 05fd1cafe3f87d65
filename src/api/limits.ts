/** The rate and concurrency limits of an environment (interface, Limits). */
export interface Limits {
  /** Requests a second, all endpoints together. */
  readonly global: number
  /** Requests a second, each endpoint by itself. */
  readonly endpoint: number
  /** Requests at the same time. */
  readonly concurrency: number
  /** Logins a minute, per API key. */
  readonly logins: number
}

/** An environment of the service. */
export type Environment = 'production' | 'sandbox'

/** The limits of the interface, per environment. */
export const limits: Readonly<Record<Environment, Limits>> = Object.freeze({
  /** Interface, Limits. */
  production: Object.freeze({ global: 100, endpoint: 20, concurrency: 50, logins: 100 }),
  /** Interface, Limits. */
  sandbox: Object.freeze({ global: 20, endpoint: 10, concurrency: 10, logins: 100 }),
})

/** The limits of a service that has none. */
export const unlimited: Limits = Object.freeze({
  global: Number.POSITIVE_INFINITY,
  endpoint: Number.POSITIVE_INFINITY,
  concurrency: Number.POSITIVE_INFINITY,
  logins: Number.POSITIVE_INFINITY,
})

/** A second, in ms: the window of the rate limits, which is rolling. */
export const SECOND = 1_000

/** A minute, in ms: the window of the login limit. */
export const MINUTE = 60_000
