import { asyncScheduler, type TimestampProvider } from 'rxjs'
import { is, type OptionsTable, required } from '../options/index.js'
import type { Millis } from '../stream/index.js'
import { defaultScheme, type Scheme, type SigningScheme } from './Scheme.js'

// model

/** How `createVerifier` verifies deliveries. */
export interface VerifierOptions {
  /**
   * The secret of the webhook, whole, as `webhooks.create` answered it; or several, while one takes the place of
   * another.
   */
  readonly secret: string | ReadonlyArray<string>
  /** How long ago, or how far ahead, a delivery may be signed. Default: 5 minutes; `Infinity`: any time. */
  readonly tolerance?: Millis
  /** What differs from the scheme that is assumed. */
  readonly scheme?: Partial<Scheme>
  /** The clock. Default: RxJS's `asyncScheduler`. */
  readonly timer?: TimestampProvider
}

/** The options, with what stands for those that are left out. */
export interface VerifierSettings {
  readonly secrets: ReadonlyArray<string>
  readonly tolerance: Millis
  readonly scheme: Scheme
  readonly timer: TimestampProvider
}

/** What a verifier has where its options say nothing; spans are milliseconds. */
export const verifierDefaults: Required<Pick<VerifierOptions, 'tolerance'>> = Object.freeze({
  tolerance: 300_000,
})

// constructors

/** What a secret should be, in words. */
const SECRET = 'a text that is not empty, without space around it'

export const secretRule = required(
  is.stringThat((text) => text !== '' && text.trim() === text, SECRET),
)

/** Of a header (RFC 9110): of another name none comes, and `Headers` throws. */
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

export const verifierRules: OptionsTable<VerifierOptions> = {
  secret: required({
    accepts: (u) => secretRule.accepts(u) || (Array.isArray(u) && u.length > 0),
    expected: `${SECRET}, or a list of at least one`,
    type: 'string',
    each: secretRule,
  }),
  tolerance: { ...is.millis, expected: 'milliseconds of at least 0, or Infinity' },
  scheme: schemeRule,
  timer: is.withMethods('a clock', 'now'),
}

/** Of options that were checked. */
export const verifierSettings = (options: VerifierOptions): VerifierSettings => {
  const { secret, tolerance = verifierDefaults.tolerance, timer = asyncScheduler } = options
  const scheme = { ...defaultScheme, ...options.scheme }
  return { secrets: [secret].flat(), tolerance, timer, scheme }
}
