/** What a handler answers: a value, bytes that are JSON already, plain text, or a refusal. */
import type { Endpoint } from '../api/Endpoint.js'
import type { E } from '../fp.js'
import { defined } from '../fp.js'
import type { Account } from './account/Account.js'
import { type Bytes, copy, encoded, written } from './account/ascii.js'
import type { Rows } from './account/Rows.js'
import type { BookmarkedPage } from './bookmarks.js'
import type { Settings } from './options.js'
import type { State } from './State.js'

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

export interface Refusal {
  readonly _tag: 'Refusal'
  readonly status: number
  readonly code: string
  readonly message: string
  /** The parameter that is to blame. */
  readonly source?: string
}

export type Answer<A> = Success<A> | Json | Text | Refusal

/** What is answered, and what the account holds afterwards. */
export type Outcome<A> = readonly [Answer<A>, State]

/** What a handler knows besides state and parameters. */
export interface Context {
  /** In ms since 1970. */
  readonly now: number
  /** When the sandbox began, in ms since 1970. */
  readonly began: number
  readonly account: Account
  readonly settings: Settings
}

/** What else a handler knows: of who asks, and how. */
export interface Asking extends Context {
  /** The API version of the call, as YYYY-MM-DD. */
  readonly version: string
  /** The groups of events that the caller may subscribe to; undefined for all. */
  readonly scopes: ReadonlyArray<string> | undefined
}

/** Answers one call, and says what the account holds afterwards. Pure. */
export type Handle<P, A> = (state: State, params: P, context: Asking) => Outcome<A>

/** Reads parameters by itself, where the codec of the row refuses more than the service does. */
export interface Lenient<A> {
  readonly read: (
    params: Readonly<Record<string, unknown>>,
  ) => E.Either<Refusal, (state: State, context: Asking) => Outcome<A>>
}

export type Handler<Row> =
  Row extends Endpoint<infer P, infer A, string> ? Handle<P, A> | Lenient<A> : never

/** A handler for every row of these tables. */
export type HandlersOf<Tables> = {
  readonly [Resource in keyof Tables]: {
    readonly [Name in keyof Tables[Resource]]: Handler<Tables[Resource][Name]>
  }
}

// constructors

export const success = <A>(value: A): Success<A> => ({ _tag: 'Success', value })

export const json = (bytes: Bytes): Json => ({ _tag: 'Json', bytes })

export const text = (text: string): Text => ({ _tag: 'Text', text })

const MORE = encoded('{"has_more":true,"items":[')
const LAST = encoded('{"has_more":false,"items":[')
const END = encoded(']}')

/** One page of a list, in the envelope of lists by `page_num`. */
export const page = (rows: Rows, hasMore: boolean): Json => {
  const start = hasMore ? MORE : LAST
  return json(
    written(start.length + rows.room + END.length, (to, position) =>
      copy(END, to, rows.write(to, copy(start, to, position))),
    ),
  )
}

/** One page of a list, in the envelope of lists by bookmarks; the codec of the row writes its rows. */
export const pageOf = <A>(
  { items, ...bookmarks }: BookmarkedPage<A>,
  write: (row: A) => unknown,
): Json => json(encoded(JSON.stringify({ items: items.map(write), ...bookmarks })))

export const refusal = (
  status: number,
  code: string,
  message: string,
  source?: string,
): Refusal => ({
  _tag: 'Refusal',
  status,
  code,
  message,
  ...defined({ source }),
})

export const invalid = (message: string, source: string): Refusal =>
  refusal(400, 'invalid_argument', message, source)

export const required = (source: string): Refusal =>
  refusal(400, 'field_required', `${source} is required.`, source)

export const notFound = refusal(404, 'not_found', 'There is no such resource.')
