/** Building blocks of resources. */
import * as t from 'io-ts'
import { OpenType } from '../decode/open.js'
import { defined, E } from '../fp.js'
import { type Codec, described } from './Codec.js'

/** A value that may be null in an answer. */
export const nullable = <C extends t.Mixed>(codec: C): t.UnionC<[C, t.NullC]> =>
  t.union([codec, t.null])

/** Opens an enumeration to values that may be added: for answers. */
export const opened = <D extends { readonly [value: string]: unknown }>(
  codec: t.KeyofC<D>,
): OpenType<Extract<keyof D, string>> =>
  new OpenType(Object.keys(codec.keys) as Array<Extract<keyof D, string>>) // what keyof says

export const isEmpty = (o: object): o is Readonly<Record<string, never>> =>
  Object.keys(o).length === 0

/** An object without fields, where one is sent for nothing. */
export const Empty: Codec<Readonly<Record<string, never>>> = described(
  t.refinement(t.type({}), isEmpty, 'an empty object'),
  { type: 'object', maxProperties: 0 },
)

/** Keys and values that are stored with a resource, and mean nothing to the service. */
export const Metadata = t.UnknownRecord

interface Listed {
  readonly min: number
  readonly max?: number
  /** The noun for the items; in the singular where `min` is 1 and there is no `max`. */
  readonly what: string
  readonly advice?: string
}

/**
 * A list of `min` to `max` items, with `advice` if there are more. The minimum is a default, not specified by the
 * interface document.
 */
export const listOf = <A>(
  item: Codec<A>,
  { min, max, what, advice }: Listed,
): Codec<ReadonlyArray<A>> =>
  described(
    t.refinement(
      t.readonlyArray(item),
      ({ length }) => length >= min && length <= (max ?? Number.POSITIVE_INFINITY),
      `a list of ${max === undefined ? `at least ${min}` : `${min} to ${max}`} ${what}${advice === undefined ? '' : ` (${advice})`}`,
    ),
    {
      type: 'array',
      minItems: min,
      ...defined({ maxItems: max }),
      'x-not-specified': ['minItems'],
    },
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
