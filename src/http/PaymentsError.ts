import type { AnyFailure } from './Failure.js'

/** A failure as an `Error`, for `orThrow` and for code that throws. */
export class PaymentsError extends Error {
  override readonly name = 'PaymentsError'
  readonly _tag = 'PaymentsError'
  /** What went wrong. */
  readonly failure: AnyFailure

  constructor(failure: AnyFailure) {
    super(failure.message)
    this.failure = failure
  }
}

/** For `orThrow(toError)`: makes the error, and throws nothing itself. */
export const toError = (failure: AnyFailure): PaymentsError => new PaymentsError(failure)
