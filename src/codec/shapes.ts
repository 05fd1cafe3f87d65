/** What resources are built with. */
import * as t from 'io-ts'
import type { Codec } from './Codec.js'
import { described } from './Schema.js'

/** A value that may be null in an answer. */
export const nullable = <C extends t.Mixed>(codec: C): t.UnionC<[C, t.NullC]> =>
  t.union([codec, t.null])

/** Keys and values that are stored with a resource, and mean nothing to the service. */
export const Metadata = t.UnknownRecord

/** A list of `min` to `max` items; `advice` for those who have more. */
export const listOf = <A>(
  item: Codec<A>,
  { min, max, what, advice }: { min: number; max?: number; what: string; advice?: string },
): Codec<ReadonlyArray<A>> =>
  described(
    t.refinement(
      t.readonlyArray(item),
      ({ length }) => length >= min && length <= (max ?? Number.POSITIVE_INFINITY),
      `a list of ${max === undefined ? `at least ${min}` : `${min} to ${max}`} ${what}${advice === undefined ? '' : ` (${advice})`}`,
    ),
    { type: 'array', minItems: min, ...(max === undefined ? {} : { maxItems: max }) },
  )
