import type { AnyEndpoint } from '../../api/Endpoint.js'
import { O, pipe } from '../../fp.js'
import type { Millis } from '../../stream/index.js'
import type { ClientRuntime } from '../ClientRuntime.js'
import { isInProgressBy } from '../codes.js'
import type { Failure } from '../Failure.js'
import { redactFailure } from '../redactFailure.js'
import type { PreparedRequest } from '../request/prepareRequest.js'
import type { Attempts } from '../sendWithRetry.js'
import { ambiguous } from './ambiguous.js'
import { carriesRequestId, hasRequestIds, isRetryable, mayHaveBeenApplied } from './isRetryable.js'

// model

/** How often one call is sent again, and what its failures come to. */
export interface RetryPolicy {
  /** How long after a failure it is sent again, if it is. */
  readonly after: (failure: Failure, attempt: number) => O.Option<Millis>
  /** What the last failure says of the whole call. */
  readonly conclude: (failure: Failure) => Failure
  /** The call is over: a turn that was taken, and not used, goes to others. */
  readonly end: () => void
}

// constructors

/** Those of a call that carries these parameters, of which so many attempts were made. */
export const retryPolicy =
  ({ backoff, budget, codes, emit }: ClientRuntime, row: AnyEndpoint) =>
  (written: PreparedRequest['written'], attempts: Attempts): RetryPolicy => {
    const endpoint = row.route
    let unsure = false // an attempt may have done it
    let spent = false // all that the client may try again
    let taken = 0 // after so many attempts: a turn of those

    /** The pause, or longer: until it is this call's turn. */
    const inTurn = (pause: Millis): O.Option<Millis> => {
      const wait = budget.take()
      spent = O.isNone(wait)
      if (!spent) taken = attempts.count
      return O.map((ms: Millis) => Math.max(pause, ms))(wait)
    }

    return {
      after: (failure, attempt) => {
        // the login's: it was repeated by itself, and says nothing of what became of this call
        if (failure.endpoint !== endpoint) return O.none
        const repeating = hasRequestIds(row, written()) ? row : { ...row, repeatable: undefined }
        const isInProgress = isInProgressBy(codes, carriesRequestId(repeating))
        unsure ||= mayHaveBeenApplied(failure, isInProgress)
        if (!isRetryable(repeating, failure, isInProgress)) return O.none
        const pause = pipe(backoff(attempt), O.chain(inTurn))
        if (O.isSome(pause)) {
          emit({ _tag: 'Repeating', endpoint, failure: redactFailure(failure), pause: pause.value })
        }
        return pause
      },

      conclude: (failure) => {
        const last = spent ? notAgain(failure) : failure
        return unsure ? ambiguous(row, written(), attempts.count)(last) : last
      },

      end: () => {
        if (taken > 0 && taken === attempts.count) budget.giveBack()
      },
    }
  }

const notAgain = (failure: Failure): Failure => ({
  ...failure,
  message: `${failure.message} (not tried again: too many others are, see retry.budget)`,
})
