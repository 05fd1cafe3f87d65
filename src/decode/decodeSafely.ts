import * as t from 'io-ts'
import type { E } from '../fp.js'

/** The message of the one failure that io-ts has no word for: it would overflow the stack. */
export const TOO_DEEP = 'nested too deeply'

/** What such a value should be. */
export const LESS_DEEP = 'nested less deeply'

/** Whether it was thrown where the stack ended. */
export const isOverflow = (u: unknown): boolean =>
  u instanceof Error &&
  ((u instanceof RangeError && /call stack/i.test(u.message)) ||
    /too much recursion/i.test(u.message))

/** io-ts's own answer; where it would overflow the stack, a failure that says so. */
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
