import { lastValueFrom, type Observable, take, toArray } from 'rxjs'
import { E } from '../fp.js'
import { type AnyFailure, PaymentsError } from '../http/Failure.js'
import { callerOf, withCaller } from '../stream/caller.js'
import type { TooMany } from '../stream/index.js'
import { RunError, type RunFailure } from './pay/PayFailure.js'

/**
 * Runs a call, and returns its value as a promise: `await unwrap(payments.charges.retrieve({ id }))`. Rejects with the
 * `PaymentsError` of a failure (`RunError` of a run of payments), or with a `RangeError` for a list of more than the `max` of `collect`. A list has many
 * values: `collect` it first; given as it is, it does not compile. The stack of an error begins with the call of
 * `unwrap`.
 */
export const unwrap = async <A>(
  call: Observable<E.Either<AnyFailure | RunFailure | TooMany, A>> & { readonly pages?: never },
): Promise<A> => {
  const caller = callerOf(unwrap)
  const [answer, second] = await lastValueFrom(call.pipe(take(2), toArray()))
  if (answer === undefined || second !== undefined) {
    const count = second === undefined ? 'none' : 'more'
    const message = `unwrap should be given a call, which has one value, but ${count} came: collect({ max }) makes one of a list`
    throw withCaller(new TypeError(message), caller)
  }
  if (E.isRight(answer)) return answer.right
  const failure = answer.left
  const error =
    failure._tag === 'TooMany'
      ? new RangeError(failure.message, { cause: failure })
      : toError(failure)
  throw withCaller(error, caller)
}

/** Makes the error of a failure, for `orThrow(toError)`. Does not throw. */
export const toError = (failure: AnyFailure | RunFailure): PaymentsError | RunError =>
  'run' in failure ? new RunError(failure) : new PaymentsError(failure)
