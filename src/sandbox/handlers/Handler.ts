import type { Endpoint } from '../../api/Endpoint.js'
import type { Settings } from '../options.js'
import type { HandlerResult } from '../Reply.js'
import type { SandboxStore } from '../Store.js'

export interface CallContext {
  /** Time of the call, in ms since 1970. */
  readonly now: number
  /** The API version of the call, as YYYY-MM-DD. */
  readonly version: string
  /** Events that the caller may subscribe to: names, or groups; undefined for all. */
  readonly scopes: ReadonlyArray<string> | undefined
  readonly settings: Settings
}

/** Parameters by name, before decoding. */
export type RawParams = Readonly<Record<string, unknown>>

/** Handles one call. Checks it against the store, changes the store, and returns the response. */
export type Handle<P, A> = (
  store: SandboxStore,
  params: P,
  context: CallContext,
) => HandlerResult<A>

/** A handler that receives raw parameters, because the service accepts more than the endpoint's codec. */
export interface RawHandler<A> {
  readonly raw: Handle<RawParams, A>
}

export type Handler<Row> =
  Row extends Endpoint<infer P, infer A, string> ? Handle<P, A> | RawHandler<A> : never

/** A handler for every endpoint of these tables. */
export type HandlersOf<Tables> = {
  readonly [Resource in keyof Tables]: {
    readonly [Name in keyof Tables[Resource]]: Handler<Tables[Resource][Name]>
  }
}
