/** Reads the batches that the platform has under the name of a run that cannot continue. The run's own data may be outdated. */
import type { BatchTransfer } from '../../codec/BatchTransfer.js'
import { fieldsOf } from '../../decode/unknown.js'
import { E } from '../../fp.js'
import { later } from '../../stream/later.js'
import { isDraft, lookedUp } from './fillBatch.js'
import { each } from './flow.js'
import { type PayContext, requestIdOf, WIDTH } from './PayContext.js'
import type { PaymentBatch, RunBatches } from './PayOptions.js'

/** Maximum number of batches of a run: ten million payments. */
export const MOST_BATCHES = 10_000

/** Returns the number of batches in the metadata of one; `undefined` if no run wrote that metadata. */
export const countOf = ({ metadata }: Pick<BatchTransfer, 'metadata'>): number | undefined => {
  const { count } = fieldsOf(metadata)
  const n = typeof count === 'string' && /^[1-9]\d{0,4}$/.test(count) ? Number(count) : 0
  return n >= 1 && n <= MOST_BATCHES ? n : undefined
}

/** Returns true for a hash as written to metadata: 64 hex digits. */
export const isHash = (u: unknown): u is string => typeof u === 'string' && /^[0-9a-f]{64}$/.test(u)

/** Returns true if the metadata gives the batch this index in a run. */
export const isOfRun = (batch: BatchTransfer, index: number): boolean => {
  const { index: place, hash } = fieldsOf(batch.metadata)
  return place === String(index) && isHash(hash) && countOf(batch) !== undefined
}

// reading

/** The result of looking up a batch: `undefined` if the platform shows none. */
type Look = E.Either<unknown, BatchTransfer | undefined>

/**
 * Reads all batches with the name of a run. Batches that were seen before are read by `id`, because lists may lag. The others
 * are looked up, and once more after `lookUpFor` if some are missing.
 */
export const heldBatches = async (
  context: PayContext,
  { run, count }: Pick<PaymentBatch, 'run' | 'count'>,
): Promise<RunBatches> => {
  const looks = new Map<number, Look>()
  const look = async (index: number): Promise<void> => {
    looks.set(index, await lookAt(context, requestIdOf({ run, index })))
  }
  await look(1)
  const first = shownBy(looks.get(1))
  // the first is created before the others, and deleted after them
  const isEmpty = E.isRight(looks.get(1) ?? E.left(undefined)) && first === undefined
  if (!(isEmpty && context.seen.size === 0)) {
    const most = (first === undefined ? undefined : countOf(first)) ?? count
    await each(rest(most), WIDTH, look)
    const absent = [...looks].filter(([, one]) => E.isRight(one) && one.right === undefined)
    if (absent.length > 0) {
      await context.first(later(context.lookUpFor, context.timer))
      await each(
        absent.map(([index]) => index),
        WIDTH,
        look,
      )
    }
  }
  return {
    batches: [...looks].sort(([a], [b]) => a - b).flatMap(([, one]) => shownBy(one) ?? []),
    isWhole: [...looks.values()].every(E.isRight),
  }
}

const rest = (count: number): ReadonlyArray<number> =>
  Array.from({ length: count - 1 }, (_, n) => n + 2)

const shownBy = (look: Look | undefined): BatchTransfer | undefined =>
  look !== undefined && E.isRight(look) ? look.right : undefined

const lookAt = async ({ calls, first, seen }: PayContext, requestId: string): Promise<Look> => {
  const known = seen.get(requestId)
  if (known === undefined) return first(lookedUp({ calls }, requestId))
  const now = await first(calls.retrieve({ id: known }))
  const isGone = E.isLeft(now) && now.left._tag === 'Refused' && now.left.status === 404
  return isGone ? E.right(undefined) : now
}

// messages

/** Final states of a submitted batch that pays nothing. */
const NEVER_PAID: ReadonlyArray<string> = [
  'APPROVAL_BLOCKED',
  'APPROVAL_RECALLED',
  'APPROVAL_REJECTED',
  'CANCELLED',
  'FAILED',
]

/** Maximum number of batches that a message names. */
const MOST_NAMED = 3

export const submittedOf = ({ batches }: RunBatches): ReadonlyArray<BatchTransfer> =>
  batches.filter((batch) => !isDraft(batch))

export const mayBePaid = ({ status }: BatchTransfer): boolean => !NEVER_PAID.includes(status)

/** Describes which batches with the name of a run are submitted. */
export const heldText = (run: string, held: RunBatches): string => {
  const submitted = submittedOf(held)
  const named = submitted
    .slice(0, MOST_NAMED)
    .map(
      (one) => `${one.request_id} is ${one.status} with ${counted(one.total_item_count, 'item')}`,
    )
  const more = submitted.length - named.length
  const texts = [
    ...named,
    ...(more > 0 ? [more === 1 ? 'another is submitted' : `${more} others are submitted`] : []),
  ]
  if (held.isWhole) return texts.length === 0 ? `no batch of ${run} is submitted` : texts.join(', ')
  const unknown = texts.length === 0 ? 'any batch' : 'another batch'
  return [...texts, `it is not known whether ${unknown} of ${run} is submitted`].join(', ')
}

/** Returns a count with its noun, such as `1,000 items`. */
const counted = (n: number, one: string): string =>
  `${n.toLocaleString('en-US')} ${one}${n === 1 ? '' : 's'}`
