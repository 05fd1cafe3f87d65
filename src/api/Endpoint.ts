import { type Codec, type Rule, ruled } from '../codec/Codec.js'
import type { Paging } from './Paging.js'

// model

/** A method and a path, written as the reference prints them, so that one search finds both. */
export type Route = `${'GET' | 'POST'} /${string}`

/** The names in braces: `PathName<'GET /a/{id}/b/{n}'>` is `'id' | 'n'`. */
export type PathName<R extends string> = R extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathName<Rest>
  : never

/**
 * The place of a parameter: the query of a GET and the body of a POST, unless a row says otherwise. A `whole body`
 * has no other parameters beside it, and a GET has none.
 */
type ParamPlace = 'query' | 'whole body' | `header ${string}`

/**
 * The reason why a call can be repeated.
 *
 * - `by request_id`: it carries one, and is done once however often it arrives. Generated when left out. If
 *   `params` do not encode it, the call is never repeated.
 * - `by request_id of items`: each of its `items` carries one.
 * - `as it is`: it is idempotent.
 */
type Repeatable = 'by request_id' | 'by request_id of items' | 'as it is'

/** The parts of a row that are defaults, since the interface does not show them. */
type Unspecified = 'params' | 'success' | 'errors' | 'paging' | 'repeatable'

/** Fields by which what was found is known to be what was asked for: their names, or their values. */
export type KnownBy =
  | ReadonlyArray<string>
  | ((sent: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>)

/** The row of a list, without its types. */
type ListRow = {
  /** The method and the path, as the reference prints them: `GET /api/v1/charges/{id}`. */
  readonly route: Route
  /** Its paging. */
  readonly paging: Paging
}

/**
 * The statuses of refusals that the interface lists for a call (interface, Errors), each with the codes
 * that it names. 429 and 500 are listed for all.
 */
type ErrorCodesByStatus<Code extends string> = {
  readonly 400?: ReadonlyArray<Code>
  readonly 403?: ReadonlyArray<Code>
  readonly 404?: ReadonlyArray<Code>
  readonly 409?: ReadonlyArray<Code>
  /** `credentials_invalid` and `credentials_expired` when left out. It ends as `Unauthorized`. */
  readonly 401?: ReadonlyArray<string>
  /** It ends as `ServerFault`. */
  readonly 500?: ReadonlyArray<string>
}

/**
 * A call of the interface, as a row: its params, its answer, and if it can be repeated. Client, sandbox, docs and
 * tests are derived from rows, and callers may add rows of their own.
 */
export interface Endpoint<
  P,
  A,
  Code extends string,
  Pages extends Paging | undefined = Paging | undefined,
> {
  /** The method and the path, as the reference prints them: `GET /api/v1/charges/{id}`. */
  readonly route: Route
  /** Everything a caller passes: the names in braces of the route, then the query or the body. */
  readonly params: Codec<P>
  /** Each value that the stream emits. */
  readonly success: Codec<A>
  /** The status of a success; the interface has 201 for what is created. */
  readonly status: 200 | 201
  /** The codes that the interface names, by status. */
  readonly errors: ErrorCodesByStatus<Code>
  /** Further codes that were seen, with status 400 (defaults, not specified by the interface document). */
  readonly otherErrors: ReadonlyArray<Code>
  /** `anything` where the interface shows no body: JSON if it is JSON, else text, or nothing at all. */
  readonly answer: 'json' | 'anything'
  /** Fields that a 204 stands for, beside the parameters, where the outcome is a bare acknowledgement: `{ deleted: true }`. */
  readonly noContent: Readonly<Record<string, unknown>> | undefined
  /** The paging of a list; without it there is one value. */
  readonly paging: Pages
  /** Parameters that do not go to their usual place. */
  readonly at: { readonly [Name in string]?: ParamPlace }
  /**
   * The reason why the call can be repeated when it is unknown if it arrived: it carries a `request_id`, or it
   * moves nothing. A GET is always safe; a POST without a reason here is never repeated.
   */
  readonly repeatable: Repeatable | undefined
  /** Rules that need the time of sending, in ms since 1970. */
  readonly rules: ((now: number) => ReadonlyArray<Rule<P>>) | undefined
  /**
   * The list that finds by `request_id` what an earlier attempt may have made: a route of the interface,
   * or a row.
   */
  readonly foundBy: Route | ListRow | undefined
  /**
   * Fields of the request that its answer shows, since a `request_id` may have been used for something else before: the
   * names of fields that parameters and answer share, as the wire has them, or a function that returns the fields of the
   * answer that follow from the parameters. A field that it leaves out may have any value; null is none.
   */
  readonly knownBy: KnownBy
  /** The authentication: an account's token, a partner's Basic credentials, or none. */
  readonly auth: 'bearer' | 'basic' | 'none'
  /** The parts that the interface document does not specify. */
  readonly unspecified: ReadonlyArray<Unspecified>
}

/** A row seen without its types, for code that walks a whole table. */
export interface AnyEndpoint extends Endpoint<unknown, unknown, string> {}

/** A list seen without its types: its values come in pages. */
export interface AnyList extends Endpoint<unknown, unknown, string, Paging> {}

// constructors

/** Makes a row; fields that are left out get the default that most rows have. */
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
    // undefined as well, so that a row can be made of another one
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
  paging: row.paging as Pages, // left out, `Pages` is inferred as undefined
  at: row.at ?? {},
  repeatable: row.repeatable,
  rules: row.rules,
  foundBy: row.foundBy,
  knownBy: row.knownBy ?? [],
  auth: row.auth ?? 'bearer',
  unspecified: row.unspecified ?? [],
})

// combinators

/**
 * Drops the types of a row. A codec is invariant, so the compiler cannot see that this is safe: every value is checked
 * by `params.decode` before `params.encode` sees it.
 */
export const untyped = (row: { readonly route: Route }): AnyEndpoint => row as AnyEndpoint

/** Returns the codec that checks parameters at `now`, in ms since 1970. */
export const paramsAt =
  (now: number) =>
  ({ params, rules }: AnyEndpoint): Codec<unknown> =>
    rules === undefined ? params : ruled(...rules(now))(params)

/** Returns true if a row's values come in pages. */
export const isList = (row: AnyEndpoint): row is AnyList => row.paging !== undefined

/** Returns the method of a route. */
export const method = (route: Route): 'GET' | 'POST' => (route.startsWith('GET ') ? 'GET' : 'POST')

/** Returns the path template of a route: `/api/v1/charges/{id}`. */
export const template = (route: Route): string => route.slice(route.indexOf('/'))

/** Returns the names in braces. */
export const pathNames = (route: Route): ReadonlyArray<string> =>
  Array.from(route.matchAll(/\{([^}]+)\}/g), ([, name]) => name ?? '')
