/**
 * Makes deliveries as the service is taken to make them, to try what receives them. The default scheme is not
 * specified by the interface document.
 */
import { E, pipe } from '../fp.js'
import {
  type MayBeUndefined,
  type OptionRule,
  type OptionsOf,
  required,
  resolveOptions,
} from '../options/index.js'
import { concat, subtle, toHex, utf8 } from './bytes.js'
import { bytesOf, type Delivery } from './Delivery.js'
import { defaultScheme, type SigningScheme } from './Scheme.js'
import { schemeRule, secretRule, verifierTable } from './VerifierOptions.js'

// model

const signingSchemeRule: OptionRule<
  Partial<SigningScheme>,
  MayBeUndefined<Partial<SigningScheme>>
> = schemeRule

export const signTable = {
  /** The whole secret of the webhook, as `webhooks.create` returned it. */
  secret: required(secretRule),
  /** Replaces parts of the default scheme. */
  scheme: signingSchemeRule,
  /** The clock. Default: RxJS's `asyncScheduler`. */
  timer: verifierTable.timer,
}

/** Options of `sign`. */
export interface SignOptions extends OptionsOf<typeof signTable> {}

/** A delivery to sign. */
export interface Unsent {
  /** The body to send. */
  readonly body: Delivery['body']
  /**
   * The time of signing, as it stands in its header: Unix milliseconds, unless the scheme has it otherwise. Default: now,
   * in Unix milliseconds.
   */
  readonly timestamp?: string | number | undefined
}

/** The headers that make it a delivery. */
export type Sign = (unsent: Unsent) => Promise<Readonly<Record<string, string>>>

// constructors

/**
 * Throws an `InvalidOption` for a secret that cannot be one, or a scheme that cannot work; a body that was parsed
 * rejects with a `TypeError`.
 */
export const sign = (options: SignOptions): Sign => {
  const { secret, scheme, timer } = resolveOptions(options, signTable)
  const { timestampHeader, signatureHeader, message, signature } = { ...DEFAULT, ...scheme }
  return async ({ body, timestamp = Math.floor(timer.now()) }) => {
    const sentAt = String(timestamp)
    const bytes = pipe(
      bytesOf(body),
      E.getOrElse((failure): Uint8Array<ArrayBuffer> => {
        throw new TypeError(failure.message)
      }),
    )
    return {
      [timestampHeader]: sentAt,
      [signatureHeader]: await signature({ secret, message: message(sentAt, bytes) }),
    }
  }
}

const hmacSha256: SigningScheme['signature'] = async ({ secret, message }) => {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await subtle().importKey('raw', utf8(secret), algorithm, false, ['sign'])
  return toHex(new Uint8Array(await subtle().sign('HMAC', key, concat([message]))))
}

const DEFAULT: SigningScheme = { ...defaultScheme, signature: hmacSha256 }
