/** All that the steps of a run need: the calls of the platform, time, and the stream of events. */
import type { SchedulerLike } from 'rxjs'
import type { Api } from '../../api/index.js'
import type { BatchTransfer, NewBatchTransfer } from '../../codec/BatchTransfer.js'
import { E, type IO } from '../../fp.js'
import type { Failure } from '../../http/Failure.js'
import { doubling } from '../../stream/Backoff.js'
import { type Millis, type ObservableEither, PAUSES } from '../../stream/index.js'
import { later } from '../../stream/later.js'
import type { CompareAdded } from '../addItems.js'
import type { ClientOf } from '../callFactory.js'
import type { CreateOnce } from '../createOnce.js'
import { type Flow, Stop } from './flow.js'
import type { PayFailure } from './PayFailure.js'
import type { PayEvent, PaymentBatch } from './PayOptions.js'

// model

/** The calls of a run; those of the rows are in the bulk lane. */
export type PayCalls = ClientOf<Api>['batchTransfers'] & {
  readonly compare: CompareAdded
  readonly createOnce: CreateOnce<NewBatchTransfer, BatchTransfer>
}

/** The part of a client that payments need. */
export interface PaySpec {
  readonly calls: IO<PayCalls>
  /** `false`: items are not checked by their codec. */
  readonly check: boolean
  readonly timer: SchedulerLike
  readonly random: IO<number>
  /** The time at the service, in ms since 1970. */
  readonly serviceTime: IO<Millis>
  /** How long is looked for what may have arrived. */
  readonly lookUpFor: Millis
}

/** One run under way. */
export interface PayContext extends Omit<PaySpec, 'calls'>, Flow<PayFailure, PayEvent> {
  readonly run: string
  readonly calls: PayCalls
}

/** A batch of the run, as far as it is known. Of its items only the `request_id`s are kept. */
export interface RunBatch {
  readonly requestId: string
  readonly index: number
  /** `request_id`s of the items that the run has for it, also of those left out. */
  readonly itemIds: ReadonlyArray<string>
  readonly batch: BatchTransfer
  /** Its invalid items, which are left out: why, by `request_id`. */
  readonly leftOut: ReadonlyMap<string, string>
}

/** Batches that are quoted, submitted or read at once: these use the rate limit up. */
export const WIDTH = 20

/** The platform still takes items and a submission. */
export const DRAFTING = 'DRAFTING'

// functions

export const requestIdOf = ({ run, index }: Pick<PaymentBatch, 'run' | 'index'>): string =>
  `${run}-${index}`

/** Asks again, after 1, 2, 4 ... s, until the answer is accepted or `limit` has passed; resolves with the last. */
export const askUntil = async <A>(
  { first, timer, random }: Pick<PayContext, 'first' | 'timer' | 'random'>,
  source: ObservableEither<Failure, A>,
  accepts: (answer: E.Either<Failure, A>) => boolean,
  limit: Millis,
): Promise<E.Either<Failure, A>> => {
  const pause = doubling({ ...PAUSES, random })
  const end = timer.now() + limit
  for (let attempt = 1; ; attempt++) {
    const answer = await first(source)
    if (accepts(answer) || timer.now() >= end) return answer
    await first(later(Math.min(pause(attempt), Math.max(0, end - timer.now())), timer))
  }
}

/** Returns the value of an answer; a `Left` ends the run. */
export const orStop = <A>(answer: E.Either<PayFailure, A>): A => {
  if (E.isLeft(answer)) throw new Stop(answer.left)
  return answer.right
}
