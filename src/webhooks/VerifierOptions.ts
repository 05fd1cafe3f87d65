/** Options of `createVerifier`, and rules that it shares with `createReceiver` and `sign`. */
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

const SECRET = 'a non-empty string, without leading or trailing whitespace'

export const secretRule = is.stringThat((text) => text !== '' && text.trim() === text, SECRET)

const secretsRule: OptionRule<string | ReadonlyArray<string>> = {
  accepts: (u) => secretRule.accepts(u) || (Array.isArray(u) && u.length > 0),
  expected: `${SECRET}, or a list of at least one`,
  type: 'string',
  each: required(secretRule),
}

/** A field name as in RFC 9110. `Headers` throws for any other name. */
const headerName = is.stringThat(
  (text) => /^[\w!#$%&'*+.^`|~-]+$/.test(text),
  'a valid header name',
)

/** The rule for a scheme. One object may be used both to verify and to sign. */
export const schemeRule = is.group<Partial<Scheme & SigningScheme>>({
  idHeader: headerName,
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
  /** The whole webhook secret, as returned by `webhooks.create`; or several, during a rotation. */
  secret: required(secretsRule),
  /** Maximum difference between the time of signing and now, in ms. Default 300,000; `Infinity` accepts any age. */
  tolerance: withDefault(
    { ...is.millis, expected: 'at least 0 milliseconds, or Infinity' },
    300_000,
  ),
  /** Replaces parts of the default scheme. */
  scheme: verifierSchemeRule,
  /** The clock. Default: RxJS's `asyncScheduler`. */
  timer: withDefault(is.withMethods<TimestampProvider>('a clock', 'now'), asyncScheduler),
}

/** Options of `createVerifier`. */
export interface VerifierOptions extends OptionsOf<typeof verifierTable> {}

/** The options in the form in which a verifier uses them. */
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
