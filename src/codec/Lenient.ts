import * as t from 'io-ts'
import type { Codec } from './Codec.js'

/** The codec inside; but where a value itself asks for less, a looser one: the rest is for the service to judge. */
export class LenientType<A> extends t.Type<A, unknown, unknown> {
  readonly _tag = 'LenientType'
  readonly type: Codec<A>

  constructor(type: Codec<A>, loose: Codec<A>, asksForLess: (u: unknown) => boolean) {
    const codecOf = (u: unknown): Codec<A> => (asksForLess(u) ? loose : type)
    super(
      type.name,
      (u): u is A => codecOf(u).is(u),
      (u, context) => codecOf(u).validate(u, context),
      (a) => codecOf(a).encode(a),
    )
    this.type = type
  }
}
