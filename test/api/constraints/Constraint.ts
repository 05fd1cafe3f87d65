import type { Route } from '../../../src/api/Endpoint.js'

/** The good and bad values of one field of a call's params; the other fields are those of the call's example. */
export interface Constraint {
  readonly route: Route
  readonly field: string
  /** `undefined` leaves the field out. */
  readonly good: ReadonlyArray<unknown>
  readonly bad: ReadonlyArray<unknown>
  /** The `expected` of the first cause of the bad ones. */
  readonly expected: string
  /** The field to blame, if it is another one. */
  readonly path?: string
}

export const text = (length: number): string => 'é'.repeat(length)

/** One rule at several fields. */
export const at = (
  route: Route,
  fields: ReadonlyArray<string>,
  rule: Omit<Constraint, 'route' | 'field'>,
): ReadonlyArray<Constraint> => fields.map((field) => ({ route, field, ...rule }))
