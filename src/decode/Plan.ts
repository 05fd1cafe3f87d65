/**
 * What a codec does, read off it once: the form from which decoders are made. Each plan describes
 * exactly what io-ts's own `validate` answers; what has no plan is `Opaque` and is asked itself.
 */
import type * as t from 'io-ts'

/** A test of the value alone, that needs nothing else. */
export type Basic =
  | 'any'
  | 'never'
  | 'null'
  | 'object'
  | 'list'
  | 'record'
  | 'string'
  | 'number'
  | 'bigint'
  | 'boolean'
  | 'function'
  | 'undefined'

export interface Field {
  readonly key: string
  readonly plan: Plan
}

export interface Member {
  /** The values of the tag that lead to this member. */
  readonly tags: ReadonlyArray<unknown>
  readonly plan: Plan
}

/** A codec that is defined by itself. Its body is there once the whole plan is. */
export interface Recursive {
  readonly _tag: 'Recursive'
  readonly body: () => Plan
}

/** `type`, where a missing key is added, or `partial`, where it is passed over. */
export interface Struct {
  readonly _tag: 'Struct'
  readonly optional: boolean
  readonly fields: ReadonlyArray<Field>
}

export interface Dictionary {
  readonly _tag: 'Dictionary'
  readonly domain: Plan
  readonly codomain: Plan
  /** `record(string, any)` takes a list, too. */
  readonly lists: boolean
}

/** Takes away the keys that `props` does not have. */
export interface Exact {
  readonly _tag: 'Exact'
  readonly plan: Plan
  readonly props: object
}

export type Plan =
  | { readonly _tag: 'Basic'; readonly test: Basic }
  | { readonly _tag: 'Literals'; readonly values: ReadonlyArray<unknown> }
  | { readonly _tag: 'List'; readonly item: Plan }
  | { readonly _tag: 'Tuple'; readonly items: ReadonlyArray<Plan> }
  | { readonly _tag: 'Union'; readonly members: ReadonlyArray<Plan> }
  | { readonly _tag: 'Tagged'; readonly tag: string; readonly members: ReadonlyArray<Member> }
  | { readonly _tag: 'Intersection'; readonly members: ReadonlyArray<Plan> }
  | {
      readonly _tag: 'Refinement'
      readonly plan: Plan
      readonly predicate: (a: unknown) => unknown
    }
  | { readonly _tag: 'Opaque'; readonly codec: t.Mixed }
  | Struct
  | Dictionary
  | Exact
  | Recursive
