/** Values of a query, where all is text: written as text, and read from it. */
import * as t from 'io-ts'
import { E } from '../fp.js'
import type { Codec } from './Codec.js'
import { described } from './Schema.js'

/** A whole number from `min` to `max`; without that, as large as there are. */
export const intFrom = (min: number, max = Number.MAX_SAFE_INTEGER): Codec<number> => {
  const open = max === Number.MAX_SAFE_INTEGER
  const is = (u: unknown): u is number =>
    Number.isInteger(u) && Number(u) >= min && Number(u) <= max
  return described(
    new t.Type(
      `a whole number from ${min}${open ? '' : ` to ${max}`}`,
      is,
      (u, context) => {
        const n = typeof u === 'string' && /^-?\d+$/.test(u) ? Number(u) : u
        return is(n) ? t.success(n) : t.failure(u, context)
      },
      String,
    ),
    { type: 'integer', minimum: min, ...(open ? {} : { maximum: max }) },
  )
}

/** Yes or no. */
export const Flag: Codec<boolean> = described(
  new t.Type<boolean, unknown, unknown>(
    'boolean',
    t.boolean.is,
    (u, context) => {
      if (typeof u === 'boolean') return t.success(u)
      return u === 'true' || u === 'false' ? t.success(u === 'true') : t.failure(u, context)
    },
    String,
  ),
  { type: 'boolean' },
)

/** A parameter that is repeated for each value (default, not specified by the interface document). */
export class RepeatedType<A> extends t.Type<ReadonlyArray<A>, unknown, unknown> {
  readonly _tag = 'RepeatedType'
  readonly type: Codec<A>

  constructor(type: Codec<A>) {
    const list = t.readonlyArray(type)
    super(
      `a list of ${type.name}`,
      list.is,
      (u, context) => {
        // one value alone does not show that it is a list
        const alone = typeof u === 'string' ? type.validate(u, context) : E.left([])
        return E.isRight(alone) ? t.success([alone.right]) : list.validate(u, context)
      },
      list.encode,
    )
    this.type = type
  }
}

export const repeated = <A>(type: Codec<A>): Codec<ReadonlyArray<A>> => new RepeatedType(type)
