/** What a handler answers: a value, text that is JSON already, or a refusal. */
import type { Endpoint } from '../api/Endpoint.js'
import type { Account } from './account/Account.js'
import type { Settings } from './options.js'
import type { State } from './State.js'

// model

export interface Success<A> {
  readonly _tag: 'Success'
  /** Written by the codec of the row. */
  readonly value: A
}

export interface Text {
  readonly _tag: 'Text'
  readonly json: string
}

export interface Refusal {
  readonly _tag: 'Refusal'
  readonly status: number
  readonly code: string
  readonly message: string
  /** The parameter that is to blame. */
  readonly source?: string
}

export type Answer<A> = Success<A> | Text | Refusal

/** What a handler knows besides state and parameters. */
export interface Context {
  /** In ms since 1970. */
  readonly now: number
  /** When the sandbox began, in ms since 1970. */
  readonly began: number
  readonly account: Account
  readonly settings: Settings
}

/** Answers one call, and says what the account holds afterwards. Pure. */
export type Handle<P, A> = (
  state: State,
  params: P,
  context: Context,
) => readonly [Answer<A>, State]

export type Handler<Row> = Row extends Endpoint<infer P, infer A, string> ? Handle<P, A> : never

/** A handler for every row of these tables. */
export type HandlersOf<Tables> = {
  readonly [Resource in keyof Tables]: {
    readonly [Name in keyof Tables[Resource]]: Handler<Tables[Resource][Name]>
  }
}

// constructors

export const success = <A>(value: A): Success<A> => ({ _tag: 'Success', value })

export const text = (json: string): Text => ({ _tag: 'Text', json })

/** One page of a list in the envelope of `page_num` lists; the items are JSON already. */
export const page = (items: ReadonlyArray<string>, hasMore: boolean): Text =>
  text(`{"has_more":${hasMore},"items":[${items.join(',')}]}`)

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
  ...(source === undefined ? {} : { source }),
})

export const required = (source: string): Refusal =>
  refusal(400, 'field_required', `${source} is required.`, source)

export const notFound = refusal(404, 'not_found', 'There is no such resource.')
