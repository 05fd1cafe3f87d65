import { lastValueFrom, type Observable, take, toArray } from 'rxjs'
import { E } from '../fp.js'
import { type AnyFailure, toError } from '../http/Failure.js'
import type { TooMany } from '../stream/index.js'

/**
 * Runs a call, and returns its value as a promise: `await unwrap(payments.charges.retrieve({ id }))`. Rejects with the
 * `PaymentsError` of a failure, or with a `RangeError` for a list of more than the `max` of `collect`. A list has many
 * values: `collect` it first; given as it is, it does not compile.
 */
export const unwrap = async <A>(
  call: Observable<E.Either<AnyFailure | TooMany, A>> & { readonly pages?: never },
): Promise<A> => {
  const [answer, second] = await lastValueFrom(call.pipe(take(2), toArray()))
  if (answer === undefined || second !== undefined) {
    const came = second === undefined ? 'none' : 'more'
    throw new TypeError(
      `unwrap should be given a call, which has one value, but ${came} came: collect({ max }) makes one of a list`,
    )
  }
  // thrown here, not in the stream: its stack then names the function that awaits
  if (E.isRight(answer)) return answer.right
  if (answer.left._tag !== 'TooMany') throw toError(answer.left)
  throw new RangeError(answer.left.message, { cause: answer.left })
}
