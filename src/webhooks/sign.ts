/**
 * Signs deliveries as the service is assumed to, for tests of receivers. The API description does not specify the default
 * scheme.
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

const signingSchemeRule: OptionRule<
  Partial<SigningScheme>,
  MayBeUndefined<Partial<SigningScheme>>
> = schemeRule

export const signTable = {
  /** The whole webhook secret, as returned by `webhooks.create`. */
  secret: required(secretRule),
  /** Replaces parts of the default scheme. */
  scheme: signingSchemeRule,
  /** The clock. Default: RxJS's `asyncScheduler`. */
  timer: verifierTable.timer,
}

/** Options of `sign`. */
export interface SignOptions extends OptionsOf<typeof signTable> {}

/** A delivery to sign. */
export interface DeliveryToSign {
  /** The body to send. */
  readonly body: Delivery['body']
  /** The time of signing, as written to its header: Unix milliseconds, unless the scheme differs. Default: now. */
  readonly timestamp?: string | number | undefined
  /** The id of the delivery. Required by a scheme with an `idHeader`, and ignored by others. */
  readonly id?: string | undefined
}

/** Returns the headers of a signed delivery. */
export type Sign = (unsent: DeliveryToSign) => Promise<Readonly<Record<string, string>>>

/**
 * Signs deliveries. Throws an `InvalidOption` for an invalid secret or scheme. A parsed body or a missing id causes a
 * `TypeError`.
 */
export const sign = (options: SignOptions): Sign => {
  const { secret, scheme, timer } = resolveOptions(options, signTable)
  const { idHeader, timestampHeader, signatureHeader, message, signature } = {
    ...DEFAULT,
    ...scheme,
  }
  return async ({ body, timestamp = Math.floor(timer.now()), id = '' }) => {
    if (idHeader !== undefined && id === '') {
      throw new TypeError(`id should be a string for the header ${idHeader}, but is missing`)
    }
    const sentAt = String(timestamp)
    const bytes = pipe(
      bytesOf(body),
      E.getOrElse((failure): Uint8Array<ArrayBuffer> => {
        throw new TypeError(failure.message)
      }),
    )
    return {
      ...(idHeader === undefined ? {} : { [idHeader]: id }),
      [timestampHeader]: sentAt,
      [signatureHeader]: await signature({ secret, message: message(sentAt, bytes, id) }),
    }
  }
}

const hmacSha256: SigningScheme['signature'] = async ({ secret, message }) => {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await subtle().importKey('raw', utf8(secret), algorithm, false, ['sign'])
  return toHex(new Uint8Array(await subtle().sign('HMAC', key, concat([message]))))
}

const DEFAULT: SigningScheme = { ...defaultScheme, signature: hmacSha256 }
