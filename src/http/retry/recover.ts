import { map } from 'rxjs'
import type { Decoder } from '../../decode/index.js'
import { left, mapLeft, type ObservableEither } from '../../stream/index.js'
import { type ParseText, pageReader } from '../answer/readAnswer.js'
import type { Execute } from '../execute.js'
import type { Ambiguous, Failure } from '../Failure.js'
import type { PreparedRequest } from '../request/prepareRequest.js'
import { findByRequestId } from './findByRequestId.js'

export interface Recovery {
  /** Asks the list that finds things by `request_id`. */
  readonly find: Execute
  readonly onFound: (requestId: string) => void
  /** The fields that what is found must share with what was asked for. */
  readonly knownBy: ReadonlyArray<string>
}

/**
 * Clears up an `Ambiguous` write: asks the list that finds things by `request_id` what became of it.
 * What is found is the value of the call, marked as recovered.
 */
export const recover =
  <A>({ find, onFound, knownBy }: Recovery, decode: Decoder<A>, parseText?: ParseText) =>
  (failure: Failure, written: PreparedRequest['written']): ObservableEither<Failure, A> => {
    if (failure._tag !== 'Ambiguous' || failure.requestId === undefined) return left(failure)
    const { requestId } = failure
    return find({ request_id: requestId }, pageReader(decode, parseText)({})).pipe(
      map(findByRequestId({ requestId, params: written(), knownBy, onFound })),
      mapLeft((why) => still(failure, why)),
    )
  }

const still = (failure: Ambiguous, tried: string): Ambiguous => ({
  ...failure,
  tried: [...failure.tried, tried],
  message: `${failure.message}; ${tried}`,
})
