/** Signatures of deliveries. All of it is a default, not specified by the interface document. */
import type { ObservableInput } from 'rxjs'
import type { Millis } from '../stream/index.js'
import { concat, fromHex, isHmacAtOnce, subtle, utf8 } from './bytes.js'

// model

/** A signature, and what it should have been made of. */
export interface Signed {
  /** The secret of the webhook. */
  readonly secret: string
  /** The bytes that were signed. */
  readonly message: Uint8Array
  /** The signature, as it stands in its header. */
  readonly signature: string
}

/** Tells, comparing in constant time, that a signature was made of the message with the secret. */
export type Algorithm = (signed: Signed) => ObservableInput<boolean>

/** How deliveries are signed, and which headers say so. */
export interface Scheme {
  /** The header that says when it was signed. */
  readonly timestampHeader: string
  /** The header that has the signature. */
  readonly signatureHeader: string
  /** The time of signing in ms since 1970, by its header; `NaN` for what says no time. */
  readonly sentAt: (timestamp: string) => Millis
  /** Returns the bytes that are signed. The body is as it came. */
  readonly message: (timestamp: string, body: Uint8Array) => Uint8Array
  /** Checks a signature. */
  readonly algorithm: Algorithm
}

/** Its names, and its message, are those of the `Scheme` that verifies; one record may serve both. */
export interface SigningScheme
  extends Pick<Scheme, 'timestampHeader' | 'signatureHeader' | 'message'> {
  /** Returns the text of the header. Default: HMAC-SHA256 in hexadecimal digits. */
  readonly signature: (unsigned: Omit<Signed, 'signature'>) => string | PromiseLike<string>
}

// constructors

/** HMAC, with the whole text of the secret as its key, and the signature in hexadecimal digits. */
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

/** Digits alone: what follows them in the message, the body of an event, does not begin with one. */
const millis = (timestamp: string): Millis =>
  /^\d{1,15}$/.test(timestamp) ? Number(timestamp) : Number.NaN

/**
 * The scheme that is assumed: HMAC with SHA-256 over the time as it stands in its header, in Unix
 * milliseconds, and the body (default, not specified by the interface document).
 */
export const defaultScheme: Scheme = Object.freeze<Scheme>({
  timestampHeader: 'x-timestamp',
  signatureHeader: 'x-signature',
  sentAt: millis,
  message: (timestamp, body) => concat([utf8(timestamp), body]),
  algorithm: hmac('SHA-256'),
})
