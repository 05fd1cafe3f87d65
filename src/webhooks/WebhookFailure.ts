/**
 * Why a delivery is not believed. Plain values, exhaustive under `switch (failure._tag)`. None holds a
 * secret, a signature or what was in a body, and each `message` is one line, fit for a log.
 */
import type { UndecodableEvent } from '../codec/WebhookEvent.js'
import { plural } from '../decode/plural.js'
import type { Millis } from '../stream/index.js'

// model

/** Fields of every failure. */
interface WithMessage {
  readonly message: string
}

/** The receiver's own mistake: the body is not what came, such as an object that was parsed from it. */
export interface NotRaw extends WithMessage {
  readonly _tag: 'NotRaw'
  /** Described, never repeated. */
  readonly actual: string
}

/** A header is missing, was given twice, or cannot be read. */
export interface Unsigned extends WithMessage {
  readonly _tag: 'Unsigned'
  /** The one that is missing, or no signature. */
  readonly header: string
  /** Description of a right one. */
  readonly expected: string
  /** Described, never repeated. */
  readonly actual: string
}

/** Signed with none of the secrets; or the body, or the time, is not the one that was signed. */
export interface Forged extends WithMessage {
  readonly _tag: 'Forged'
  /** The size of the body. */
  readonly bytes: number
}

/** Signed as it should be, but too long ago; or in the future. */
export interface Stale extends WithMessage {
  readonly _tag: 'Stale'
  /** From the time that was signed until now; below 0 when that time is ahead. */
  readonly age: Millis
  /** The most that it may be. */
  readonly tolerance: Millis
}

/** A failure of `verify`. */
export type WebhookFailure = NotRaw | Unsigned | Forged | Stale | UndecodableEvent

/** Not read to its end: the body is larger than `maxBytes`. */
export interface TooLarge extends WithMessage {
  readonly _tag: 'TooLarge'
  /** The most that it may have. */
  readonly maxBytes: number
}

/** The connection broke in the middle of the body, or the rest of it did not come in time. */
export interface Interrupted extends WithMessage {
  readonly _tag: 'Interrupted'
}

/** A failure of a receiver. */
export type DeliveryFailure = WebhookFailure | TooLarge | Interrupted

// constructors

export const notRaw = (actual: string): NotRaw => ({
  _tag: 'NotRaw',
  actual,
  message: `the body should be the bytes or the text as they came, before JSON is parsed, and is ${actual}`,
})

export const unsigned = (header: string, expected: string, actual: string): Unsigned => ({
  _tag: 'Unsigned',
  header,
  expected,
  actual,
  message: `${header} should be ${expected}, and is ${actual}`,
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
    message: `${header} (${signature}) was not made with ${secret} for this body of ${plural(bytes, 'byte')}`,
  }
}

export const stale = (age: Millis, tolerance: Millis): Stale => ({
  _tag: 'Stale',
  age,
  tolerance,
  message: `signed ${Math.abs(age)} ms ${age < 0 ? 'ahead of' : 'before'} now, where ${tolerance} ms are tolerated`,
})

export const tooLarge = (maxBytes: number): TooLarge => ({
  _tag: 'TooLarge',
  maxBytes,
  message: `the body is larger than ${plural(maxBytes, 'byte')}`,
})

export const late = (bodyTimeout: Millis): Interrupted => ({
  _tag: 'Interrupted',
  message: `the body did not come within ${bodyTimeout} ms`,
})

export const interrupted: Interrupted = {
  _tag: 'Interrupted',
  message: 'the connection broke in the middle of the body',
}
