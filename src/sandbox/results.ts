/** Results of a handler: a success, in one of three forms, or an error in the codes of the interface. */
import { defined } from '../fp.js'

/** As `Response` takes them. */
export type Bytes = Uint8Array<ArrayBuffer>

// model

/** A value that the codec of the endpoint encodes. */
export interface Success<A> {
  readonly _tag: 'Success'
  readonly value: A
}

/** JSON that is encoded already. */
export interface Json {
  readonly _tag: 'Json'
  readonly body: Bytes
}

/** The body of a call whose response the interface does not show; may be empty. */
export interface Text {
  readonly _tag: 'Text'
  readonly text: string
}

export interface ApiError {
  readonly _tag: 'ApiError'
  /** The HTTP status. */
  readonly status: number
  readonly code: string
  readonly message: string
  /** The parameter that is wrong. */
  readonly source?: string
}

export type Result<A> = Success<A> | Json | Text | ApiError

// constructors

export const success = <A>(value: A): Success<A> => ({ _tag: 'Success', value })

export const json = (value: unknown): Json => jsonText(JSON.stringify(value))

export const jsonText = (text: string): Json => ({ _tag: 'Json', body: Buffer.from(text) })

export const text = (text: string): Text => ({ _tag: 'Text', text })

export const apiError = (
  status: number,
  code: string,
  message: string,
  source?: string,
): ApiError => ({ _tag: 'ApiError', status, code, message, ...defined({ source }) })

export const invalid = (message: string, source?: string): ApiError =>
  apiError(400, 'invalid_argument', message, source)

export const required = (source: string): ApiError =>
  apiError(400, 'field_required', `${source} is required.`, source)

export const notFound = apiError(404, 'not_found', 'There is no such resource.')
