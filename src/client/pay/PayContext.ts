/** Everything that the steps of a run need: the platform's calls, the time, and the stream of events. */
import type { SchedulerLike } from 'rxjs'
import type { Api } from '../../api/index.js'
import type { BatchTransfer, NewBatchTransfer } from '../../codec/BatchTransfer.js'
import { E, type IO } from '../../fp.js'
import type { Failure } from '../../http/Failure.js'
import { doubling } from '../../stream/Backoff.js'
import type { ObservableEither } from '../../stream/either/ObservableEither.js'
import { backoffDefaults, type Millis } from '../../stream/index.js'
import { later } from '../../stream/later.js'
import type { CompareAdded } from '../addItems.js'
import type { ClientOf } from '../callFactory.js'
import type { CreateOnce } from '../createOnce.js'
import { type Flow, Stop } from './flow.js'
import type { PayFailure } from './PayFailure.js'
import type { PayEvent, PaymentBatch } from './PayOptions.js'

/** The calls of a run. Endpoint calls are in the bulk lane. */
export type PayCalls = ClientOf<Api>['batchTransfers'] & {
  readonly compare: CompareAdded
  readonly createOnce: CreateOnce<NewBatchTransfer, BatchTransfer>
}

export interface PaySpec {
  readonly calls: IO<PayCalls>
  /** `false` skips the check of items by their codec. */
  readonly check: boolean
  readonly timer: SchedulerLike
  readonly random: IO<number>
  /** The time at the service, in ms since 1970. */
  readonly serviceTime: IO<Millis>
  /** Time to look up a write that may have arrived. */
  readonly lookUpFor: Millis
}

export interface PayContext extends Omit<PaySpec, 'calls'>, Flow<PayFailure, PayEvent> {
  readonly run: string
  readonly calls: PayCalls
  /** Ids of the batches that this process has created or found, by their `request_id`s. */
  readonly seen: Map<string, string>
}

/** A batch of the run, as far as it is known. Only the `request_id`s of its items are kept. */
export interface RunBatch {
  readonly requestId: string
  readonly index: number
  /** `request_id`s of the run's items for this batch, including those left out. */
  readonly itemIds: ReadonlyArray<string>
  /** The currency pairs of the items to pay, such as `USD-EUR`. Each pair needs a quote. */
  readonly pairs: ReadonlySet<string>
  readonly batch: BatchTransfer
  /** Invalid items of the batch, which are left out, with the reason, by `request_id`. */
  readonly leftOut: ReadonlyMap<string, string>
}

/** Number of batches that are quoted, submitted or read concurrently: enough to use the rate limit fully. */
export const WIDTH = 20

/** The state in which the platform accepts items and a submission. */
export const DRAFTING = 'DRAFTING'

export const requestIdOf = ({ run, index }: Pick<PaymentBatch, 'run' | 'index'>): string =>
  `${run}-${index}`

/** Repeats a request after 1, 2, 4 ... s until a response is accepted or `limit` is over. Resolves with the last response. */
export const askUntil = async <A>(
  { first, timer, random }: Pick<PayContext, 'first' | 'timer' | 'random'>,
  source: ObservableEither<Failure, A>,
  accepts: (answer: E.Either<Failure, A>) => boolean,
  limit: Millis,
): Promise<E.Either<Failure, A>> => {
  const pause = doubling({ ...backoffDefaults, random })
  const end = timer.now() + limit
  for (let attempt = 1; ; attempt++) {
    const answer = await first(source)
    if (accepts(answer) || timer.now() >= end) return answer
    await first(later(Math.min(pause(attempt), Math.max(0, end - timer.now())), timer))
  }
}

/** Returns the value of a response. A `Left` ends the run. */
export const orStop = <A>(answer: E.Either<PayFailure, A>): A => {
  if (E.isLeft(answer)) throw new Stop(answer.left)
  return answer.right
}
