/** Finds the batch of a call, and answers it as it was changed. */
import type { BatchTransfer } from '../../codec/BatchTransfer.js'
import { E } from '../../fp.js'
import type { ApiError } from '../ApiError.js'
import { byId } from '../byId.js'
import { put } from '../Collection.js'
import type { CallContext } from '../Context.js'
import type { Outcome } from '../Handler.js'
import { success } from '../Result.js'
import type { Store } from '../Store.js'
import type { Batch } from './Batch.js'
import { batchAt, statusAt } from './batchAt.js'
import { onlyIn } from './batchErrors.js'

export const findBatch = (
  { batches }: Store,
  id: string,
  { settings }: CallContext,
): E.Either<ApiError, Batch> => byId('batch', id, settings.seed)(batches)

/** The batch, if it is in one of these states now. */
export const isIn = (context: CallContext, ...states: ReadonlyArray<string>) =>
  E.filterOrElse(
    (batch: Batch) => states.includes(statusAt(batch, context).status),
    () => onlyIn(states.join(' or ')),
  )

/** The outcome for a batch that was changed, or was not. */
export const changed =
  (state: Store, context: CallContext) =>
  (batch: E.Either<ApiError, Batch>): Outcome<BatchTransfer> =>
    E.isLeft(batch)
      ? [batch.left, state]
      : [
          success(batchAt(context)(batch.right)),
          { ...state, batches: put(batch.right)(state.batches) },
        ]
