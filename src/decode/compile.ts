import type * as t from 'io-ts'
import { E } from '../fp.js'
import { invalid, is } from '../options/index.js'
import { closures } from './closures/readers.js'
import type { Decoder } from './Decoder.js'
import { decodeSafely } from './decodeSafely.js'
import { generate } from './generate/generate.js'
import { mayGenerate } from './generate/made.js'
import type { Plan } from './Plan.js'
import { planOf } from './planOf.js'
import { refused } from './runtime.js'

/** How decoders are made: as generated code, or as functions where that is forbidden. */
export type Means = 'code' | 'closures'

/** So many refusals in a row, and the next value is taken to be refused as well. */
const MANY = 8

/**
 * What succeeds at once is answered here; all else is answered by io-ts. Where one value after the
 * other is refused, io-ts is asked straight away, until it takes one.
 */
const withClosures = (plan: Plan, slow: Decoder<unknown>): Decoder<unknown> => {
  const read = closures(plan)
  let refusals = 0
  return (u) => {
    if (refusals < MANY) {
      try {
        const a = read(u)
        if (a !== refused) {
          refusals = 0
          return E.right(a)
        }
      } catch {
        // unusual, too deep, or thrown by a custom codec: io-ts does the same or knows better
      }
    }
    const answer = slow(u)
    refusals = E.isLeft(answer) ? refusals + 1 : 0
    return answer
  }
}

/** io-ts binds `decode` to the codec; another `decode` may do something else than validate. */
const isBound = (decode: { readonly name: string }): boolean => decode.name.startsWith('bound ')

const make = <A>(codec: t.Type<A, unknown, unknown>, means: Means): Decoder<unknown> => {
  const slow: Decoder<unknown> = (u) => decodeSafely(codec, u)
  if (!isBound(codec.decode)) return slow
  try {
    const plan = planOf(codec)
    if (plan._tag === 'Opaque') return slow
    return means === 'code' ? generate(plan, slow) : withClosures(plan, slow)
  } catch {
    return slow // a recursive codec whose definition throws
  }
}

const isMeans = is.oneOf('code', 'closures')

/** Compiles by the means given, each codec once and at its first use. Throws an `InvalidOption`. */
export const compiler = (
  means?: Means,
): (<A>(codec: t.Type<A, unknown, unknown>) => Decoder<A>) => {
  if (means !== undefined && !isMeans.fits(means)) throw invalid('means', means, isMeans)
  const made = new WeakMap<object, Decoder<unknown>>()
  const decoderOf = (codec: t.Mixed): Decoder<unknown> => {
    const known = made.get(codec)
    if (known !== undefined) return known
    let decode: Decoder<unknown> = (u) => {
      decode = make(codec, means ?? (mayGenerate() ? 'code' : 'closures'))
      return decode(u)
    }
    const decoder: Decoder<unknown> = (u) => decode(u)
    made.set(codec, decoder)
    return decoder
  }
  return <A>(codec: t.Type<A, unknown, unknown>) => decoderOf(codec) as Decoder<A> // of this very codec
}

/**
 * A decoder with the type, the results and the errors of `codec.decode`, at a fraction of its cost.
 * It is made at its first use, once for each codec, and lives as long as the codec.
 */
export const compile: <A>(codec: t.Type<A, unknown, unknown>) => Decoder<A> = compiler()
