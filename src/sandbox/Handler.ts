/** What handles the calls of a row. */
import type { Endpoint } from '../api/Endpoint.js'
import type { E } from '../fp.js'
import type { Asking } from './Context.js'
import type { Refusal } from './Refusal.js'
import type { Result } from './Result.js'
import type { State } from './State.js'

/** What a call comes to, and what the account holds afterwards. */
export type Outcome<A> = readonly [Result<A>, State]

/** Parameters by name, as they came. */
export type Given = Readonly<Record<string, unknown>>

/** Handles one call. Pure. */
export type Handle<P, A> = (state: State, params: P, asking: Asking) => Outcome<A>

/** Reads parameters by itself, where the codec of the row refuses more than the service does. */
export interface ReadsItself<A> {
  readonly read: (params: Given) => E.Either<Refusal, (state: State, asking: Asking) => Outcome<A>>
}

export type Handler<Row> =
  Row extends Endpoint<infer P, infer A, string> ? Handle<P, A> | ReadsItself<A> : never

/** A handler for every row of these tables. */
export type HandlersOf<Tables> = {
  readonly [Resource in keyof Tables]: {
    readonly [Name in keyof Tables[Resource]]: Handler<Tables[Resource][Name]>
  }
}
