/** Signatures of deliveries. All of this is our assumption: the API description does not specify it. */
import type { ObservableInput } from 'rxjs'
import type { Millis } from '../stream/index.js'
import { concat, fromHex, isHmacAtOnce, subtle, utf8 } from './bytes.js'

/** A signature, and the input that should have been signed. */
export interface Signed {
  /** The secret of the webhook. */
  readonly secret: string
  /** The bytes that were signed. */
  readonly message: Uint8Array
  /** The signature, exactly as in its header. */
  readonly signature: string
}

/** Returns true if a signature matches the message and the secret. Compares in constant time. */
export type Algorithm = (signed: Signed) => ObservableInput<boolean>

/** The way in which deliveries are signed, and the headers used for that. */
export interface Scheme {
  /** The header with the delivery id. Default: none. */
  readonly idHeader?: string | undefined
  /** The header with the time of signing. */
  readonly timestampHeader: string
  /** The header with the signature. */
  readonly signatureHeader: string
  /** Parses the timestamp header to ms since 1970; `NaN` if it is not a time. */
  readonly sentAt: (timestamp: string) => Millis
  /** Returns the bytes that are signed, given the raw body; `id` is empty without an `idHeader`. */
  readonly message: (timestamp: string, body: Uint8Array, id: string) => Uint8Array
  /** Checks a signature. */
  readonly algorithm: Algorithm
}

/** The way to sign deliveries, with the header names and message of the `Scheme` that verifies; one object may serve as both. */
export interface SigningScheme
  extends Pick<Scheme, 'idHeader' | 'timestampHeader' | 'signatureHeader' | 'message'> {
  /** Returns the value of the signature header. Default: HMAC-SHA256 in hexadecimal digits. */
  readonly signature: (unsigned: Omit<Signed, 'signature'>) => string | PromiseLike<string>
}

/** HMAC keyed with the whole string of the secret. The signature is hexadecimal. */
export const hmac =
  (hash: 'SHA-256' | 'SHA-384' | 'SHA-512'): Algorithm =>
  async ({ secret, message, signature }) => {
    const bytes = fromHex(signature)
    if (bytes === undefined) return false
    const atOnce = isHmacAtOnce(hash, { secret, message }, bytes)
    if (atOnce !== undefined) return atOnce
    const algorithm = { name: 'HMAC', hash }
    const key = await subtle().importKey('raw', utf8(secret), algorithm, false, ['verify'])
    return subtle().verify('HMAC', key, bytes, concat([message]))
  }

/** Parses a timestamp of digits only: the body of an event, which follows it in the message, does not begin with a digit. */
const millis = (timestamp: string): Millis =>
  /^\d{1,15}$/.test(timestamp) ? Number(timestamp) : Number.NaN

/** The assumed scheme (not in the API description): HMAC-SHA256 of the timestamp header (Unix milliseconds) and the body. */
export const defaultScheme: Scheme = Object.freeze<Scheme>({
  timestampHeader: 'x-timestamp',
  signatureHeader: 'x-signature',
  sentAt: millis,
  message: (timestamp, body) => concat([utf8(timestamp), body]),
  algorithm: hmac('SHA-256'),
})
