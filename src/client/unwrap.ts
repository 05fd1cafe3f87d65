import { lastValueFrom, type Observable, take, toArray } from 'rxjs'
import { E } from '../fp.js'
import { type AnyFailure, PaymentsError } from '../http/Failure.js'
import { callerOf, withCaller } from '../stream/caller.js'
import type { TooMany } from '../stream/index.js'
import { RunError, type RunFailure } from './pay/PayFailure.js'

/**
 * Runs a call, and returns its value as a promise: `await unwrap(payments.charges.retrieve({ id }))`. Rejects with the
 * `PaymentsError` of a failure (`RunError` for a run of payments), or with a `RangeError` for a list with more values than the
 * `max` of `collect`. A list has many values, so `collect` it first; passing the list itself does not compile. The stack of an
 * error begins at the `unwrap` call.
 */
export const unwrap = async <A>(
  call: Observable<E.Either<AnyFailure | RunFailure | TooMany, A>> & { readonly pages?: never },
): Promise<A> => {
  const caller = callerOf(unwrap)
  const [answer, second] = await lastValueFrom(call.pipe(take(2), toArray()))
  if (answer === undefined || second !== undefined) {
    const count = second === undefined ? 'none' : 'more'
    const message = `unwrap takes a call with one value, but it emitted ${count}: for a list, use collect({ max }) first`
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

/** Converts a failure to an error, for `orThrow(toError)`. Does not throw. */
export const toError = (failure: AnyFailure | RunFailure): PaymentsError | RunError =>
  'run' in failure ? new RunError(failure) : new PaymentsError(failure)
