/** What is known when a call is handled, besides the state and its parameters. */
import type { GeneratedCharges } from './account/GeneratedCharges.js'
import type { Settings } from './settings.js'

/** Of the moment, and of the sandbox. */
export interface Context {
  /** In ms since 1970. */
  readonly now: number
  /** When the sandbox began, in ms since 1970. */
  readonly began: number
  readonly account: GeneratedCharges
  readonly settings: Settings
}

/** And of who asks, and how. */
export interface CallContext extends Context {
  /** The API version of the call, as YYYY-MM-DD. */
  readonly version: string
  /** The groups of events that the caller may subscribe to; undefined for all. */
  readonly scopes: ReadonlyArray<string> | undefined
}
