/**
 * Reasons why a delivery is rejected. They are plain values, exhaustive under `switch (failure._tag)`. None contains a secret,
 * a signature or the content of a body, and each `message` is a single line that is safe to log.
 */
import type { UndecodableEvent } from '../codec/WebhookEvent.js'
import { plural } from '../decode/plural.js'
import type { Millis } from '../stream/index.js'

/** Fields of every failure. */
interface WithMessage {
  readonly message: string
}

/** A mistake in the receiver: it passed something other than the raw body, for example the parsed object. */
export interface NotRaw extends WithMessage {
  readonly _tag: 'NotRaw'
  /** A description of the value, without its content. */
  readonly actual: string
}

/** A header is missing, repeated or unreadable. */
export interface Unsigned extends WithMessage {
  readonly _tag: 'Unsigned'
  /** The header that is missing or malformed. */
  readonly header: string
  /** Description of a valid value. */
  readonly expected: string
  /** A description of the value, without its content. */
  readonly actual: string
}

/** The signature matches none of the secrets: another webhook's secret, an altered body or timestamp, or an attack. */
export interface Forged extends WithMessage {
  readonly _tag: 'Forged'
  /** The size of the body. */
  readonly bytes: number
}

/** The delivery was signed correctly, but too long ago or in the future. */
export interface Stale extends WithMessage {
  readonly _tag: 'Stale'
  /** Time since the delivery was signed, in ms; negative if it was signed in the future. */
  readonly age: Millis
  /** The maximum, in ms. */
  readonly tolerance: Millis
}

/** A failure of `verify`. */
export type WebhookFailure = NotRaw | Unsigned | Forged | Stale | UndecodableEvent

/** The body is larger than `maxBytes`. The rest was not read. */
export interface TooLarge extends WithMessage {
  readonly _tag: 'TooLarge'
  /** The maximum, in bytes. */
  readonly maxBytes: number
}

/** The connection broke while the body was read, or the rest of it did not arrive in time. */
export interface Interrupted extends WithMessage {
  readonly _tag: 'Interrupted'
}

/** A failure of a receiver. */
export type DeliveryFailure = WebhookFailure | TooLarge | Interrupted

export const notRaw = (actual: string): NotRaw => ({
  _tag: 'NotRaw',
  actual,
  message: `the body should be the raw bytes or text, before JSON is parsed, but is ${actual}`,
})

export const unsigned = (header: string, expected: string, actual: string): Unsigned => ({
  _tag: 'Unsigned',
  header,
  expected,
  actual,
  message: `${header} should be ${expected}, but is ${actual}`,
})

export const forged = (
  header: string,
  signature: string,
  secrets: number,
  bytes: number,
): Forged => {
  const secret = secrets === 1 ? 'the secret' : `any of the ${secrets} secrets`
  return {
    _tag: 'Forged',
    bytes,
    message: `${header} (${signature}) does not match this body of ${plural(bytes, 'byte')} with ${secret}`,
  }
}

export const stale = (age: Millis, tolerance: Millis): Stale => ({
  _tag: 'Stale',
  age,
  tolerance,
  message: `signed ${Math.abs(age)} ms ${age < 0 ? 'in the future' : 'ago'}, but the tolerance is ${tolerance} ms`,
})

export const tooLarge = (maxBytes: number): TooLarge => ({
  _tag: 'TooLarge',
  maxBytes,
  message: `the body is larger than ${plural(maxBytes, 'byte')}`,
})

export const late = (bodyTimeout: Millis): Interrupted => ({
  _tag: 'Interrupted',
  message: `the body did not arrive within ${bodyTimeout} ms`,
})

export const interrupted: Interrupted = {
  _tag: 'Interrupted',
  message: 'the connection broke before the whole body was received',
}
