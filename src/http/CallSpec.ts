import type { AnyEndpoint } from '../api/Endpoint.js'
import type { Decoder } from '../decode/index.js'
import type { ObservableEither } from '../stream/index.js'
import type { ParseText, ResponseReader } from './answer/readAnswer.js'
import type { Failure } from './Failure.js'
import type { PreparedRequest } from './request/prepareRequest.js'

/**
 * Executes one call of a row. Cold; emits one value. `resolve` may replace a failure, knowing the parameters
 * that were sent.
 */
export type Execute = <A>(
  params: unknown,
  read: ResponseReader<A>,
  resolve?: (
    failure: Failure,
    sentParams: PreparedRequest['sentParams'],
  ) => ObservableEither<Failure, A>,
) => ObservableEither<Failure, A>

/** How the calls of a row are executed, and their responses read. */
export interface CallSpec<A> {
  readonly row: AnyEndpoint
  readonly execute: Execute
  /** Checks the names of a caller's parameters. */
  readonly check: boolean
  readonly decode: Decoder<A>
  /** Default `JSON.parse`. */
  readonly parseText?: ParseText | undefined
}
