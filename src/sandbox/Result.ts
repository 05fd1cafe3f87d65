/** What a call comes to: a value, bytes that are JSON already, plain text, or a refusal. */
import type { Bytes } from './account/ascii.js'
import type { Refusal } from './Refusal.js'

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

export type Result<A> = Success<A> | Json | Text | Refusal

// constructors

export const success = <A>(value: A): Success<A> => ({ _tag: 'Success', value })

export const json = (bytes: Bytes): Json => ({ _tag: 'Json', bytes })

export const text = (text: string): Text => ({ _tag: 'Text', text })
