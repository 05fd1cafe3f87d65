import type * as t from 'io-ts'
import type { Decoder } from './Decoder.js'

/** A decoder with the type, the results and the errors of `codec.decode`. */
export const compile =
  <A>(codec: t.Type<A, unknown, unknown>): Decoder<A> =>
  (u) =>
    codec.decode(u)
