/** Deletes the drafts of a run. */
import type { BatchTransfer } from '../../codec/BatchTransfer.js'
import { fieldsOf } from '../../decode/unknown.js'
import { E } from '../../fp.js'
import type { FieldDifference } from '../../http/Failure.js'
import { checkOptions } from '../../options/index.js'
import type { ObservableEither } from '../../stream/either/ObservableEither.js'
import { later } from '../../stream/later.js'
import { isDraft, lookedUp } from './fillBatch.js'
import { each, flow, Stop } from './flow.js'
import { countOf, isHash, isOfRun, MOST_BATCHES } from './heldBatches.js'
import { type PayContext, type PaySpec, requestIdOf, WIDTH } from './PayContext.js'
import { otherRun, type PayFailure } from './PayFailure.js'
import { type Discarded, type DiscardOptions, discardTable } from './PayOptions.js'

/** Deletes the drafts of a run, but not its submitted batches. */
export type DiscardRun = (options: DiscardOptions) => ObservableEither<PayFailure, Discarded>

type DiscardContext = Pick<PayContext, 'ask' | 'calls' | 'first' | 'lookUpFor' | 'run' | 'timer'>

export const discardRun =
  (spec: PaySpec): DiscardRun =>
  (given) => {
    const { run } = checkOptions(given, discardTable, { context: 'discardRun: ' })
    return flow<PayFailure, Discarded>(async (asking) => {
      const context: DiscardContext = { ...spec, ...asking, run, calls: spec.calls() }
      const batches = await batchesOf(context)
      const counts = { deleted: 0, submitted: 0 }
      const discard = async (batch: BatchTransfer): Promise<void> => {
        const isGone = isDraft(batch) && (await isDeleted(context, batch.id))
        if (isGone) counts.deleted++
        else counts.submitted++
      }
      const [first, ...others] = batches
      await each(others, WIDTH, discard)
      if (first !== undefined) await discard(first) // deleted last, because no other payments can take the name while this batch exists
      asking.emit(counts)
    })
  }

/**
 * Reads all batches of the run, and reads them again after `lookUpFor` if a list may lag. Ends with `OtherRun`, and deletes
 * nothing, if one of the batches does not belong to the same run.
 */
const batchesOf = async (context: DiscardContext): Promise<ReadonlyArray<BatchTransfer>> => {
  const { run, ask, first: wait, lookUpFor, timer } = context
  const found = new Map<number, BatchTransfer>()
  const look = async (index: number): Promise<void> => {
    const batch = await ask(lookedUp(context, requestIdOf({ run, index })))
    if (batch !== undefined) found.set(index, batch)
  }
  const lookAll = async (indices: ReadonlyArray<number>): Promise<void> => {
    await each(indices, WIDTH, look)
    const absent = indices.filter((index) => !found.has(index))
    if (absent.length === 0) return
    await wait(later(lookUpFor, timer))
    await each(absent, WIDTH, look)
  }
  await lookAll([1])
  const first = found.get(1)
  if (first === undefined) return []
  checkOfRun(run, found, first)
  await lookAll(Array.from({ length: (countOf(first) ?? 1) - 1 }, (_, n) => n + 2))
  checkOfRun(run, found, first)
  return [...found].sort(([a], [b]) => a - b).map(([, batch]) => batch)
}

/** Ends the run unless each batch has its place in the run, a count, and the hash of the first batch. */
const checkOfRun = (
  run: string,
  found: ReadonlyMap<number, BatchTransfer>,
  first: BatchTransfer,
): void => {
  const { hash } = fieldsOf(first.metadata)
  for (const [index, batch] of found) {
    const metadata = fieldsOf(batch.metadata)
    if (isOfRun(batch, index) && metadata.hash === hash) continue
    const requestId = requestIdOf({ run, index })
    const failure = otherRun(run, requestId, placeDifferences(batch, { index, hash }))
    const held = { batches: [...found.values()], isWhole: false }
    const message = `${run}: batch ${requestId} was not created by this run, because its metadata lacks the run's position, count or hash: no draft was deleted`
    throw new Stop({ ...failure, held, message })
  }
}

const placeDifferences = (
  batch: BatchTransfer,
  { index, hash }: { readonly index: number; readonly hash: unknown },
): ReadonlyArray<FieldDifference> => {
  const found = fieldsOf(batch.metadata)
  const expected = {
    index: String(index),
    count: `1 to ${MOST_BATCHES}`,
    hash: isHash(hash) ? hash : 'a hash',
  }
  return Object.entries(expected).flatMap(([key, sent]) => {
    const text = textOf(found[key])
    const isSame = key === 'count' ? countOf(batch) !== undefined : text === sent
    return isSame ? [] : [{ path: `metadata.${key}`, sent, found: text }]
  })
}

const textOf = (u: unknown): string => (typeof u === 'string' ? u.slice(0, 64) : 'missing')

/** Deletes a draft. Resolves with false if it was submitted in the meantime. */
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
