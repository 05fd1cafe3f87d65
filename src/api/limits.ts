/** The rate and concurrency limits of an environment. */
export interface Limits {
  /** Requests per second to all endpoints together. */
  readonly global: number
  /** Requests per second to each endpoint. */
  readonly endpoint: number
  /** Number of concurrent requests. */
  readonly concurrency: number
  /** Logins per minute, per API key. */
  readonly logins: number
}

/** An environment of the platform. Its own pages call the test environment "sandbox". */
export type Environment = 'production' | 'test'

/** The limits in the API description, per environment. */
export const limits: Readonly<Record<Environment, Limits>> = Object.freeze({
  /** From the API description. */
  production: Object.freeze({ global: 100, endpoint: 20, concurrency: 50, logins: 100 }),
  /** From the API description. */
  test: Object.freeze({ global: 20, endpoint: 10, concurrency: 10, logins: 100 }),
})

/** Limits for a service without rate limits. */
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
