import * as t from 'io-ts'
import type { E } from '../fp.js'

/** The `decode` of an io-ts codec: the value, or io-ts's own errors. */
export type Decoder<A> = (u: unknown) => E.Either<t.Errors, A>

/** The message of an error that io-ts does not have: decoding would overflow the stack. */
export const TOO_DEEP = 'nested too deeply'

/** The `expected` text of that error. */
export const LESS_DEEP = 'nested less deeply'

/** Distinguishes a stack overflow from other exceptions. */
export const isOverflow = (u: unknown): boolean =>
  u instanceof Error &&
  ((u instanceof RangeError && /call stack/i.test(u.message)) ||
    /too much recursion/i.test(u.message))

/** Decodes with io-ts itself. Converts a stack overflow to a `Left`. */
export const decodeSafely = <A>(
  codec: t.Type<A, unknown, unknown>,
  u: unknown,
): E.Either<t.Errors, A> => {
  try {
    return codec.decode(u)
  } catch (thrown) {
    if (!isOverflow(thrown)) throw thrown
    return t.failures([
      { value: u, context: [{ key: '', type: codec, actual: u }], message: TOO_DEEP },
    ])
  }
}
