/** Deletes the drafts of a run. */
import type { BatchTransfer } from '../../codec/BatchTransfer.js'
import { fieldsOf } from '../../decode/unknown.js'
import { E } from '../../fp.js'
import { checkOptions } from '../../options/index.js'
import type { ObservableEither } from '../../stream/index.js'
import { isDraft, lookedUp } from './fillBatch.js'
import { each, flow, Stop } from './flow.js'
import {
  askUntil,
  orStop,
  type PayContext,
  type PaySpec,
  requestIdOf,
  WIDTH,
} from './PayContext.js'
import type { PayFailure } from './PayFailure.js'
import { type Discarded, type DiscardOptions, discardTable } from './PayOptions.js'

/** Deletes the drafts of a run; what was submitted stays. */
export type DiscardRun = (options: DiscardOptions) => ObservableEither<PayFailure, Discarded>

type DiscardContext = Pick<PayContext, 'ask' | 'calls' | 'first' | 'lookUpFor' | 'random' | 'timer'>

export const discardRun =
  (spec: PaySpec): DiscardRun =>
  (given) => {
    const { run } = checkOptions(given, discardTable, { context: 'discardRun: ' })
    return flow<PayFailure, Discarded>(async (asking) => {
      const context: DiscardContext = { ...spec, ...asking, calls: spec.calls() }
      const counts = { deleted: 0, submitted: 0 }
      const discard = async (batch: BatchTransfer | undefined): Promise<void> => {
        if (batch === undefined) return
        const isGone = isDraft(batch) && (await isDeleted(context, batch.id))
        if (isGone) counts.deleted++
        else counts.submitted++
      }
      const first = await batchOf(context, run, 1)
      const count = Number(fieldsOf(first?.metadata).count)
      const others = Array.from({ length: count > 1 ? count - 1 : 0 }, (_, n) => n + 2)
      await each(others, WIDTH, async (index) => discard(await batchOf(context, run, index)))
      await discard(first) // at last: as long as it is there, no other payments can take the name
      asking.emit(counts)
    })
  }

/** Looks the batch up, for as long as a list may be behind. */
const batchOf = async (
  context: DiscardContext,
  run: string,
  index: number,
): Promise<BatchTransfer | undefined> =>
  orStop(
    await askUntil(
      context,
      lookedUp(context, requestIdOf({ run, index })),
      (answer) => E.isLeft(answer) || answer.right !== undefined,
      context.lookUpFor,
    ),
  )

/** Deletes a draft; resolves with false if it was submitted meanwhile. */
const isDeleted = async ({ calls, first }: DiscardContext, id: string): Promise<boolean> => {
  const answer = await first(calls.delete({ id }))
  if (E.isRight(answer)) return true
  const now = await first(calls.retrieve({ id }))
  if (E.isRight(now)) {
    if (!isDraft(now.right)) return false
    throw new Stop(answer.left)
  }
  if (now.left._tag === 'Refused' && now.left.status === 404) return true
  throw new Stop(answer.left)
}
