import type * as t from 'io-ts'
import { type Decoder, decodeSafely } from './decodeSafely.js'
import { generate } from './generate/generate.js'
import { planOf } from './generate/planOf.js'

/** Returns true for io-ts's own `decode`, which is bound to its codec. An unbound `decode` may do more than validate. */
const isBound = (decode: { readonly name: string }): boolean => decode.name.startsWith('bound ')

const make = (codec: t.Mixed): Decoder<unknown> => {
  const slow: Decoder<unknown> = (u) => decodeSafely(codec, u)
  if (!isBound(codec.decode)) return slow
  try {
    const plan = planOf(codec)
    return plan._tag === 'Opaque' ? slow : generate(plan, slow)
  } catch {
    return slow // code generation is forbidden, or the definition of a recursive codec throws
  }
}

/** Decoders by codec. A codec lives as long as its decoder, and a decoder as long as its codec. */
const decoders = new WeakMap<object, Decoder<unknown>>()

/**
 * Compiles a codec to a decoder with the same type, results and errors as `codec.decode`, at a fraction of its cost. Compiles
 * on first use, once for each codec. If the runtime forbids code generation (a content security policy, workerd), uses io-ts's
 * own decoder.
 */
export const compile = <A>(codec: t.Type<A, unknown, unknown>): Decoder<A> => {
  const cached = decoders.get(codec)
  if (cached !== undefined) return cached as Decoder<A> // it was created from this codec
  let decode: Decoder<unknown> = (u) => {
    decode = make(codec)
    return decode(u)
  }
  const decoder: Decoder<unknown> = (u) => decode(u)
  decoders.set(codec, decoder)
  return decoder as Decoder<A>
}
