import { type Codec, type Rule, ruled } from '../codec/Codec.js'
import type { Paging } from './Paging.js'

/** A method and a path, written as in the API reference, so that one search finds both. */
export type Route = `${'GET' | 'POST'} /${string}`

/** The names in braces: `PathName<'GET /a/{id}/b/{n}'>` is `'id' | 'n'`. */
export type PathName<R extends string> = R extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathName<Rest>
  : never

/**
 * Where a parameter is sent. By default, in the query of a GET and in the body of a POST. A `whole body` cannot be combined
 * with other body parameters, or used in a GET.
 */
export type ParamPlace = 'query' | 'whole body' | `header ${string}`

/**
 * The reason why a call is safe to repeat.
 *
 * - `by request_id`: the platform executes a `request_id` only once, however often it arrives. The client generates one if it
 *   is omitted. If `params` do not encode it, the call is never repeated.
 * - `by request_id of items`: like `by request_id`, for each of its `items`.
 * - `as it is`: the call is idempotent.
 */
export type Repeatable = 'by request_id' | 'by request_id of items' | 'as it is'

/** Parts of an endpoint that the API description does not show, so they are our assumptions. */
export type Unspecified = 'params' | 'success' | 'errors' | 'paging' | 'repeatable'

/** Fields that identify a looked-up resource as the requested one, by their names or their values. */
export type KnownBy =
  | ReadonlyArray<string>
  | ((sent: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>)

/** The endpoint of a list, without its types. */
export type ListRow = {
  /** The method and the path, as in the API reference: `GET /api/v1/charges/{id}`. */
  readonly route: Route
  /** How the list is divided into pages. */
  readonly paging: Paging
}

/** Error statuses that the API description lists for a call, with their codes. It lists 429 and 500 for every call. */
export type ErrorCodesByStatus<Code extends string> = {
  /** Codes for an invalid request. */
  readonly 400?: ReadonlyArray<Code>
  /** Codes for actions that the account is not allowed to take. */
  readonly 403?: ReadonlyArray<Code>
  /** Codes for resources that do not exist. */
  readonly 404?: ReadonlyArray<Code>
  /** Codes for a conflict with another request. */
  readonly 409?: ReadonlyArray<Code>
  /** Codes for a refused token. Default: `credentials_invalid` and `credentials_expired`. The call ends as `Unauthorized`. */
  readonly 401?: ReadonlyArray<string>
  /** Codes for a failure of the service. The call ends as `ServerFault`. */
  readonly 500?: ReadonlyArray<string>
}

/**
 * An endpoint of the API as data: its parameters, its response, and whether it can be repeated. Client, sandbox, docs and tests
 * are derived from endpoints, and you may add your own.
 */
export interface Endpoint<
  P,
  A,
  Code extends string,
  Pages extends Paging | undefined = Paging | undefined,
> {
  /** The method and the path, as in the API reference: `GET /api/v1/charges/{id}`. */
  readonly route: Route
  /** All parameters: path parameters (the names in braces in the route), then those of the query or the body. */
  readonly params: Codec<P>
  /** The codec of each emitted value. */
  readonly success: Codec<A>
  /** The HTTP status of success; 201 for created resources. */
  readonly status: 200 | 201
  /** The error codes that the API description names, by status. */
  readonly errors: ErrorCodesByStatus<Code>
  /** Other codes seen with status 400 (our assumption: not in the API description). */
  readonly otherErrors: ReadonlyArray<Code>
  /** Set to `anything` if the API description shows no body. The response is then parsed JSON, text, or nothing. */
  readonly answer: 'json' | 'anything'
  /** Fields added to the parameters to form the result of a 204, such as `{ deleted: true }`. */
  readonly noContent: Readonly<Record<string, unknown>> | undefined
  /** How a list is divided into pages; omitted for a single value. */
  readonly paging: Pages
  /** Parameters that are not sent in their default place (see `ParamPlace`). */
  readonly at: { readonly [Name in string]?: ParamPlace }
  /**
   * The reason why the call is safe to repeat if an earlier attempt may have arrived: it carries a `request_id`, or is
   * idempotent. A GET is always safe; a POST without a value here is never repeated.
   */
  readonly repeatable: Repeatable | undefined
  /** Rules that depend on the time of sending, in ms since 1970. */
  readonly rules: ((now: number) => ReadonlyArray<Rule<P>>) | undefined
  /** The list (a route or an endpoint) to search by `request_id` for a resource that an earlier attempt may have created. */
  readonly foundBy: Route | ListRow | undefined
  /**
   * Fields that appear in both the request and the response. They reveal a `request_id` that was already used for something
   * else. Either their names, as on the wire, or a function that returns the response fields expected for the parameters. A
   * field that the function omits may have any value; null means none.
   */
  readonly knownBy: KnownBy
  /** How the call authenticates: with an account's token, a partner's Basic credentials, or not at all. */
  readonly auth: 'bearer' | 'basic' | 'none'
  /** The parts that the API description does not specify. */
  readonly unspecified: ReadonlyArray<Unspecified>
}

/** An endpoint without its types, for code that iterates over all of them. */
export interface AnyEndpoint extends Endpoint<unknown, unknown, string> {}

/** A list endpoint without its types. */
export interface AnyList extends Endpoint<unknown, unknown, string, Paging> {}

/** Creates an endpoint. Omitted fields get the default that suits most endpoints. */
export const endpoint = <
  const R extends Route,
  P extends { readonly [Name in PathName<R>]: string },
  A,
  const Code extends string = never,
  Pages extends Paging | undefined = undefined,
>(
  route: R,
  row: {
    readonly params: Codec<P>
    readonly success: Codec<A>
    readonly status?: 200 | 201
    readonly errors?: ErrorCodesByStatus<Code>
    readonly otherErrors?: ReadonlyArray<Code>
    readonly answer?: 'json' | 'anything'
    readonly noContent?: Readonly<Record<string, unknown>> | undefined
    readonly paging?: Pages
    readonly at?: { readonly [Name in keyof P]?: ParamPlace }
    // these may also be undefined, so an endpoint can be copied from another one
    readonly repeatable?: Repeatable | undefined
    readonly rules?: ((now: number) => ReadonlyArray<Rule<NoInfer<P>>>) | undefined
    readonly foundBy?: Route | ListRow | undefined
    readonly knownBy?: KnownBy
    readonly auth?: 'bearer' | 'basic' | 'none'
    readonly unspecified?: ReadonlyArray<Unspecified>
  },
): Endpoint<P, A, Code, Pages> => ({
  route,
  params: row.params,
  success: row.success,
  status: row.status ?? 200,
  errors: row.errors ?? {},
  otherErrors: row.otherErrors ?? [],
  answer: row.answer ?? 'json',
  noContent: row.noContent,
  paging: row.paging as Pages, // if omitted, `Pages` is inferred as undefined
  at: row.at ?? {},
  repeatable: row.repeatable,
  rules: row.rules,
  foundBy: row.foundBy,
  knownBy: row.knownBy ?? [],
  auth: row.auth ?? 'bearer',
  unspecified: row.unspecified ?? [],
})

/**
 * Drops the types of a row. A codec is invariant, so the compiler cannot see that this is safe: `params.decode` checks every
 * value before `params.encode` sees it.
 */
export const untyped = (row: { readonly route: Route }): AnyEndpoint => row as AnyEndpoint

/** Returns the codec that checks parameters at `now`, in ms since 1970. */
export const paramsAt =
  (now: number) =>
  ({ params, rules }: AnyEndpoint): Codec<unknown> =>
    rules === undefined ? params : ruled(...rules(now))(params)

/** Returns true if the endpoint is a list. */
export const isList = (row: AnyEndpoint): row is AnyList => row.paging !== undefined

/** Returns the HTTP method of a route. */
export const method = (route: Route): 'GET' | 'POST' => (route.startsWith('GET ') ? 'GET' : 'POST')

/** Returns the path template of a route: `/api/v1/charges/{id}`. */
export const template = (route: Route): string => route.slice(route.indexOf('/'))

/** Returns the names in braces in a route. */
export const pathNames = (route: Route): ReadonlyArray<string> =>
  Array.from(route.matchAll(/\{([^}]+)\}/g), ([, name]) => name ?? '')
