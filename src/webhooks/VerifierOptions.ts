import { asyncScheduler, type TimestampProvider } from 'rxjs'
import type { Millis } from '../stream/index.js'
import { defaultScheme, type Scheme } from './Scheme.js'

// model

/** Of `createVerifier`: how deliveries are verified. */
export interface VerifierOptions {
  /** As `webhooks.create` answered it, whole; or several, while one takes the place of another. */
  readonly secret: string | ReadonlyArray<string>
  /** How long ago, or how far ahead, a delivery may be signed; 5 minutes unless given. `Infinity`: any time. */
  readonly tolerance?: Millis
  /** What differs from the scheme that is assumed. */
  readonly scheme?: Partial<Scheme>
  /** Time: `now`. */
  readonly timer?: TimestampProvider
}

export interface VerifierSettings {
  readonly secrets: ReadonlyArray<string>
  readonly tolerance: Millis
  readonly scheme: Scheme
  readonly timer: TimestampProvider
}

/** What a verifier has where its options say nothing; spans are milliseconds. */
export const verifierDefaults = { tolerance: 300_000 }

// constructors

const isSecret = (u: unknown): boolean => typeof u === 'string' && u !== '' && u.trim() === u

/** Throws a `TypeError`, which does not repeat what came. */
export const checkSecrets = (secrets: ReadonlyArray<unknown>): void => {
  if (secrets.length === 0 || !secrets.every(isSecret)) {
    throw new TypeError(
      'secret should be a text, or several, not empty and without space around it',
    )
  }
}

/** Throws a `TypeError`, which does not repeat what came. */
export const verifierSettings = (options: VerifierOptions): VerifierSettings => {
  const { secret, tolerance = verifierDefaults.tolerance, timer = asyncScheduler } = options
  const secrets = [secret].flat()
  checkSecrets(secrets)
  if (!(tolerance >= 0)) throw new TypeError('tolerance should be milliseconds, or Infinity')
  return { secrets, tolerance, timer, scheme: { ...defaultScheme, ...options.scheme } }
}
