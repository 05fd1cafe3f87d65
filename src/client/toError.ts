import { type AnyFailure, PaymentsError } from '../http/Failure.js'
import { RunError, type RunFailure } from './pay/PayFailure.js'

/** Makes the error of a failure, for `orThrow(toError)`. Does not throw. */
export const toError = (failure: AnyFailure | RunFailure): PaymentsError | RunError =>
  'run' in failure ? new RunError(failure) : new PaymentsError(failure)
