import type { Codec } from '../codec/Codec.js'
import { type Rule, ruled } from '../codec/Rule.js'
import type { Paging } from './Paging.js'

// model

/** Written as the reference prints it, so that one search finds both. */
export type Route = `${'GET' | 'POST'} /${string}`

/** The names in braces: `PathName<'GET /a/{id}/b/{n}'>` is `'id' | 'n'`. */
export type PathName<R extends string> = R extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathName<Rest>
  : never

/**
 * Where a parameter goes: the query of a GET and the body of a POST, unless a row says otherwise. Nothing stands
 * beside a `whole body`, which a GET has not.
 */
export type Place = 'query' | 'whole body' | `header ${string}`

/**
 * - `by request_id`: it carries one, and is done once however often it comes. Generated when left out. Where
 *   `params` do not write it, the call is never repeated.
 * - `by request_id of items`: each of its `items` carries one.
 * - `as it is`: it moves nothing, or comes to the same each time.
 */
export type Repeatable = 'by request_id' | 'by request_id of items' | 'as it is'

/** What a row takes from our defaults, since the interface does not show it. */
export type Unspecified = 'params' | 'success' | 'errors' | 'paging' | 'repeatable'

/** The row of a list, whatever it takes and gives. */
export interface ListRow {
  /** The method and the path, as the reference prints them: `GET /api/v1/charges/{id}`. */
  readonly route: Route
  /** How it goes on. */
  readonly paging: Paging
}

/**
 * The statuses of refusals that the interface lists for a call (interface, Errors), each with the codes
 * that it names. 429 and 500 are listed for all.
 */
export interface Errors<Code extends string> {
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
 * A call of the interface, as a row: what is asked, what comes back, how it may be repeated. Client,
 * sandbox, docs and tests are all derived from rows, and callers may add rows of their own.
 */
export interface Endpoint<
  P,
  A,
  Code extends string,
  Pages extends Paging | undefined = Paging | undefined,
> {
  /** The method and the path, as the reference prints them: `GET /api/v1/charges/{id}`. */
  readonly route: Route
  /** Everything a caller passes: what the route names in braces, then the query or the body. */
  readonly params: Codec<P>
  /** Each value that the stream emits. */
  readonly success: Codec<A>
  /** The status of a success; the interface has 201 for what is created. */
  readonly status: 200 | 201
  /** The codes that the interface names, by status. */
  readonly errors: Errors<Code>
  /** Further codes that were seen, with status 400 (defaults, not specified by the interface document). */
  readonly otherErrors: ReadonlyArray<Code>
  /** `anything` where the interface shows no body: JSON if it is JSON, else text, or nothing at all. */
  readonly answer: 'json' | 'anything'
  /** How a list goes on; without it there is one value. */
  readonly paging: Pages
  /** Parameters that do not go to their usual place. */
  readonly at: { readonly [Name in string]?: Place }
  /**
   * What makes it safe to send again when nobody knows whether it arrived: the `request_id` it carries,
   * or that it moves nothing. A GET is safe; a POST that says nothing here is never repeated.
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
   * The fields that it shares with what was asked for, as the wire has them: a `request_id` may have been used for
   * something else before.
   */
  readonly knownBy: ReadonlyArray<string>
  /** Who asks: an account's token, a partner's Basic credentials, or nobody. */
  readonly auth: 'bearer' | 'basic' | 'none'
  /** What of it the interface document does not say. */
  readonly unspecified: ReadonlyArray<Unspecified>
}

/** A row seen without its types: what walks a whole table sees these. */
export interface AnyEndpoint extends Endpoint<unknown, unknown, string> {}

/** The same of a list: its values come in pages. */
export interface AnyList extends Endpoint<unknown, unknown, string, Paging> {}

// constructors

/** A row; what it does not say is left out, or as most rows have it. */
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
    readonly errors?: Errors<Code>
    readonly otherErrors?: ReadonlyArray<Code>
    readonly answer?: 'json' | 'anything'
    readonly paging?: Pages
    readonly at?: { readonly [Name in keyof P]?: Place }
    // undefined as well, so that a row can be made of another one
    readonly repeatable?: Repeatable | undefined
    readonly rules?: ((now: number) => ReadonlyArray<Rule<P>>) | undefined
    readonly foundBy?: Route | ListRow | undefined
    readonly knownBy?: ReadonlyArray<string>
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
 * The row without its types. A codec is invariant, so the compiler cannot see what holds: whatever goes
 * in is checked by `params.decode` before `params.encode` sees it.
 */
export const untyped = (row: { readonly route: Route }): AnyEndpoint => row as AnyEndpoint

/** What parameters are held against at `now`, in ms since 1970. */
export const paramsAt =
  (now: number) =>
  ({ params, rules }: AnyEndpoint): Codec<unknown> =>
    rules === undefined ? params : ruled(...rules(now))(params)

/** Whether a row's values come in pages. */
export const isList = (row: AnyEndpoint): row is AnyList => row.paging !== undefined

/** How a request of the route is sent. */
export const method = (route: Route): 'GET' | 'POST' => (route.startsWith('GET ') ? 'GET' : 'POST')

/** The path template: `/api/v1/charges/{id}`. */
export const template = (route: Route): string => route.slice(route.indexOf('/'))

/** The names in braces. */
export const pathNames = (route: Route): ReadonlyArray<string> =>
  Array.from(route.matchAll(/\{([^}]+)\}/g), ([, name]) => name ?? '')
