/** Finds the batch of a call, and answers it as it was changed. */
import type { BatchTransfer } from '../../codec/BatchTransfer.js'
import { E } from '../../fp.js'
import { byId } from '../byId.js'
import type { Asking } from '../Context.js'
import type { Outcome } from '../Handler.js'
import type { Refusal } from '../Refusal.js'
import { put } from '../Register.js'
import { success } from '../Result.js'
import type { State } from '../State.js'
import type { Batch } from './Batch.js'
import { batchAt, statusAt } from './batchAt.js'
import { onlyIn } from './refusals.js'

export const findBatch = (
  { batches }: State,
  id: string,
  { settings }: Asking,
): E.Either<Refusal, Batch> => byId('batch', id, settings.seed)(batches)

/** The batch, if it is in one of these states now. */
export const isIn = (asking: Asking, ...states: ReadonlyArray<string>) =>
  E.filterOrElse(
    (batch: Batch) => states.includes(statusAt(batch, asking).status),
    () => onlyIn(states.join(' or ')),
  )

/** The outcome for a batch that was changed, or was not. */
export const changed =
  (state: State, asking: Asking) =>
  (batch: E.Either<Refusal, Batch>): Outcome<BatchTransfer> =>
    E.isLeft(batch)
      ? [batch.left, state]
      : [
          success(batchAt(asking)(batch.right)),
          { ...state, batches: put(batch.right)(state.batches) },
        ]
