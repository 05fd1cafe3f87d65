/** Options of `createVerifier`, and the rules that `createReceiver` and `sign` have in common with it. */
import { asyncScheduler, type TimestampProvider } from 'rxjs'
import {
  is,
  type MayBeUndefined,
  type OptionRule,
  type OptionsOf,
  type Resolved,
  required,
  withDefault,
} from '../options/index.js'
import type { Millis } from '../stream/index.js'
import { defaultScheme, type Scheme, type SigningScheme } from './Scheme.js'

// rules

const SECRET = 'a text that is not empty, without space around it'

export const secretRule = is.stringThat((text) => text !== '' && text.trim() === text, SECRET)

const secretsRule: OptionRule<string | ReadonlyArray<string>> = {
  accepts: (u) => secretRule.accepts(u) || (Array.isArray(u) && u.length > 0),
  expected: `${SECRET}, or a list of at least one`,
  type: 'string',
  each: required(secretRule),
}

/** A field name of RFC 9110: no header has another one, and `Headers` throws. */
const headerName = is.stringThat(
  (text) => /^[\w!#$%&'*+.^`|~-]+$/.test(text),
  'a name that a header can have',
)

/** One record may serve to verify and to sign. */
export const schemeRule = is.group<Partial<Scheme & SigningScheme>>({
  timestampHeader: headerName,
  signatureHeader: headerName,
  sentAt: is.fn(),
  message: is.fn(),
  algorithm: is.fn(),
  signature: is.fn(),
})

const verifierSchemeRule: OptionRule<Partial<Scheme>, MayBeUndefined<Partial<Scheme>>> = schemeRule

// table

export const verifierTable = {
  /**
   * The whole secret of the webhook, as `webhooks.create` returned it; or several, while one replaces
   * another.
   */
  secret: required(secretsRule),
  /** How long ago, or how far ahead, a delivery may be signed, in ms. Default 300,000; `Infinity` for any time. */
  tolerance: withDefault(
    { ...is.millis, expected: 'milliseconds of at least 0, or Infinity' },
    300_000,
  ),
  /** Replaces parts of the default scheme. */
  scheme: verifierSchemeRule,
  /** The clock. Default: RxJS's `asyncScheduler`. */
  timer: withDefault(is.withMethods<TimestampProvider>('a clock', 'now'), asyncScheduler),
}

/** Options of `createVerifier`. */
export interface VerifierOptions extends OptionsOf<typeof verifierTable> {}

/** The options as a verifier reads them. */
export interface VerifierSettings {
  readonly secrets: ReadonlyArray<string>
  readonly tolerance: Millis
  readonly scheme: Scheme
  readonly timer: TimestampProvider
}

export const verifierSettings = ({
  secret,
  tolerance,
  scheme,
  timer,
}: Resolved<typeof verifierTable>): VerifierSettings => ({
  secrets: [secret].flat(),
  tolerance,
  scheme: { ...defaultScheme, ...scheme },
  timer,
})
