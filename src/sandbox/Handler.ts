/** What handles the calls of a row. */
import type { Endpoint } from '../api/Endpoint.js'
import type { E } from '../fp.js'
import type { ApiError } from './ApiError.js'
import type { CallContext } from './Context.js'
import type { Result } from './Result.js'
import type { Store } from './Store.js'

/** What a call comes to, and what the account holds afterwards. */
export type Outcome<A> = readonly [Result<A>, Store]

/** Parameters by name, as they came. */
export type RawParams = Readonly<Record<string, unknown>>

/** Handles one call. Pure. */
export type Handle<P, A> = (state: Store, params: P, context: CallContext) => Outcome<A>

/** Reads parameters by itself, where the codec of the row refuses more than the service does. */
export interface ReadsItself<A> {
  readonly read: (
    params: RawParams,
  ) => E.Either<ApiError, (state: Store, context: CallContext) => Outcome<A>>
}

export type Handler<Row> =
  Row extends Endpoint<infer P, infer A, string> ? Handle<P, A> | ReadsItself<A> : never

/** A handler for every row of these tables. */
export type HandlersOf<Tables> = {
  readonly [Resource in keyof Tables]: {
    readonly [Name in keyof Tables[Resource]]: Handler<Tables[Resource][Name]>
  }
}
