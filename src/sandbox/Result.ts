/** What a call comes to: a value, bytes that are JSON already, plain text, or an error. */

import type { ApiError } from './ApiError.js'
import type { Bytes } from './account/ascii.js'

// model

export interface Success<A> {
  readonly _tag: 'Success'
  /** Written by the codec of the row. */
  readonly value: A
}

export interface Json {
  readonly _tag: 'Json'
  readonly bytes: Bytes
}

/** Where the interface shows no body: any text, or none at all. */
export interface Text {
  readonly _tag: 'Text'
  readonly text: string
}

export type Result<A> = Success<A> | Json | Text | ApiError

// constructors

export const success = <A>(value: A): Success<A> => ({ _tag: 'Success', value })

export const json = (bytes: Bytes): Json => ({ _tag: 'Json', bytes })

export const text = (text: string): Text => ({ _tag: 'Text', text })
