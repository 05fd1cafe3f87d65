/**
 * A plan is a data structure, read from a codec, from which code is generated. It describes exactly what io-ts's own `validate`
 * does. A codec without a plan is `Opaque`, and its own `validate` is called.
 */
import type * as t from 'io-ts'

/** A test of a single value. */
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

export interface PlanField {
  readonly key: string
  readonly plan: Plan
}

export interface UnionMember {
  /** The tag values that lead to this member. */
  readonly tags: ReadonlyArray<unknown>
  readonly plan: Plan
}

/** A codec that refers to itself. Its body exists once the whole plan exists. */
export interface Recursive {
  readonly _tag: 'Recursive'
  readonly body: () => Plan
}

/** `type` adds a missing key, while `partial` skips it. */
export interface StructPlan {
  readonly _tag: 'Struct'
  readonly optional: boolean
  readonly fields: ReadonlyArray<PlanField>
}

export interface Dictionary {
  readonly _tag: 'Dictionary'
  readonly domain: Plan
  readonly codomain: Plan
  /** `record(string, any)` also accepts a list. */
  readonly lists: boolean
}

/** Strips the keys that `props` does not have. */
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
  | { readonly _tag: 'Tagged'; readonly tag: string; readonly members: ReadonlyArray<UnionMember> }
  | { readonly _tag: 'Intersection'; readonly members: ReadonlyArray<Plan> }
  | {
      readonly _tag: 'Refinement'
      readonly plan: Plan
      readonly predicate: (a: unknown) => unknown
    }
  | { readonly _tag: 'Opaque'; readonly codec: t.Mixed }
  | StructPlan
  | Dictionary
  | Exact
  | Recursive

// predicates

/**
 * Returns true if every accepted value is returned unchanged, as the same object. (io-ts nevertheless copies a few rare values,
 * such as an object with a NaN.)
 */
export const keepsInput = (plan: Plan): boolean => everyPart((inner) => !changes(inner), plan)

/** Returns true if a value is changed at most where it has too many or too few keys. */
export const mostlyKeepsInput = (plan: Plan): boolean =>
  everyPart((inner) => inner._tag !== 'Opaque', plan)

/** Returns true if undefined may be accepted, or if that is unknown. */
export const mayTakeUndefined = (plan: Plan, within: ReadonlyArray<Plan> = []): boolean => {
  if (within.includes(plan)) return false
  const below = (inner: Plan): boolean => mayTakeUndefined(inner, [...within, plan])
  switch (plan._tag) {
    case 'Basic':
      return plan.test === 'any' || plan.test === 'undefined'
    case 'Literals':
      return plan.values.includes(undefined)
    case 'Opaque':
      return true
    case 'Union':
      return plan.members.some(below)
    case 'Intersection':
      return plan.members.every(below)
    case 'Refinement':
      return below(plan.plan)
    case 'Recursive':
      return below(plan.body())
    default:
      return false
  }
}

const changes = (plan: Plan): boolean => {
  switch (plan._tag) {
    case 'Opaque':
    case 'Exact':
      return true
    case 'Struct':
      return !plan.optional && plan.fields.some((field) => mayTakeUndefined(field.plan))
    case 'Dictionary':
      return !(plan.domain._tag === 'Basic' && plan.domain.test === 'string')
    default:
      return false
  }
}

const everyPart = (holds: (plan: Plan) => boolean, plan: Plan): boolean => {
  const seen = new Set<Plan>()
  const visit = (inner: Plan): boolean => {
    if (seen.has(inner)) return true
    seen.add(inner)
    return holds(inner) && partsOf(inner).every(visit)
  }
  return visit(plan)
}

const partsOf = (plan: Plan): ReadonlyArray<Plan> => {
  switch (plan._tag) {
    case 'Basic':
    case 'Literals':
    case 'Opaque':
      return []
    case 'List':
      return [plan.item]
    case 'Tuple':
      return plan.items
    case 'Union':
    case 'Intersection':
      return plan.members
    case 'Tagged':
      return plan.members.map((member) => member.plan)
    case 'Struct':
      return plan.fields.map((field) => field.plan)
    case 'Dictionary':
      return [plan.domain, plan.codomain]
    case 'Refinement':
    case 'Exact':
      return [plan.plan]
    case 'Recursive':
      return [plan.body()]
  }
}
