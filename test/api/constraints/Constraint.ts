import type { Route } from '../../../src/api/Endpoint.js'

/** What one field of a call's parameters may be, the others being those of the call's example. */
export interface Constraint {
  readonly route: Route
  readonly field: string
  /** `undefined` leaves the field out. */
  readonly good: ReadonlyArray<unknown>
  readonly bad: ReadonlyArray<unknown>
  /** What the first cause says of the bad ones. */
  readonly expected: string
  /** The field to blame, if it is another one. */
  readonly path?: string
}

export const text = (length: number): string => 'é'.repeat(length)

/** The same rule at several fields. */
export const at = (
  route: Route,
  fields: ReadonlyArray<string>,
  rule: Omit<Constraint, 'route' | 'field'>,
): ReadonlyArray<Constraint> => fields.map((field) => ({ route, field, ...rule }))
