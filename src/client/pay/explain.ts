/** Adds details to the failure of a run: the batches that the platform has under its name, and how their payments differ. */
import type { BatchItem } from '../../codec/BatchItem.js'
import type { BatchTransfer } from '../../codec/BatchTransfer.js'
import type { NewBatchItem } from '../../codec/NewBatchItem.js'
import { fieldsOf } from '../../decode/unknown.js'
import { isDuplicate } from '../../http/answer/errors.js'
import type { Failure, FieldDifference } from '../../http/Failure.js'
import { differencesOf } from '../../http/retry/difference.js'
import { agreesIfShown } from '../lookUpItems.js'
import { itemsOf } from './fillBatch.js'
import { each, Stop } from './flow.js'
import { addHash, paymentHash, subtractHash } from './hashes.js'
import {
  countOf,
  heldBatches,
  heldText,
  isHash,
  isOfRun,
  mayBePaid,
  submittedOf,
} from './heldBatches.js'
import { type PayContext, WIDTH } from './PayContext.js'
import { isRunFailure, type OtherRun, type PayFailure } from './PayFailure.js'
import type { RunBatches } from './PayOptions.js'
import { type Payments, unchanged } from './plan.js'

/** Temporary failures, after which the same run can continue. */
const TRANSIENT: ReadonlyArray<unknown> = [
  'Ambiguous',
  'ServerFault',
  'Throttled',
  'TimedOut',
  'Undecodable',
  'Unreachable',
]

/** After a permanent failure, reads and emits the batches with the run's name, and returns a failure that describes them. */
export const explained = async <F>(
  context: PayContext,
  payments: Payments,
  failure: F | PayFailure,
): Promise<F | PayFailure> => {
  const isTaken = isAmbiguous(failure) && isDuplicate(failure.cause)
  if (!isTaken && TRANSIENT.includes(fieldsOf(failure)._tag)) return failure
  const { run } = payments
  const read = await heldBatches(context, payments)
  const held = isTaken ? { ...read, isWhole: false } : read // a batch exists but no list shows it
  context.emit({ _tag: 'BatchesFound', ...held })
  const end = heldText(run, held)
  if (isTaken) {
    const advice = `; if the drafts of ${run} were discarded, pay under another name`
    const isAlone = held.batches.length === 0
    return { ...failure, message: `${failure.message}; ${end}${isAlone ? advice : ''}` }
  }
  if (!isRunFailure(failure)) return failure
  if (failure._tag === 'OtherRun') return explainOther(context, payments, failure, held)
  return { ...failure, message: `${failure.message}; ${end}` }
}

const isAmbiguous = (failure: unknown): failure is Extract<Failure, { _tag: 'Ambiguous' }> =>
  fieldsOf(failure)._tag === 'Ambiguous'

// other payments

const explainOther = async (
  context: PayContext,
  payments: Payments,
  failure: OtherRun,
  held: RunBatches,
): Promise<OtherRun> => {
  const { run, requestId, differences } = failure
  const submitted = submittedOf(held)
  const fields = differences
    .filter(({ path }) => !path.startsWith('metadata.'))
    .map(({ path, sent, found }) => `${path} is ${found}, not ${sent}`)
  const areItemsSame = differences.length === fields.length && payments.count > 0
  const compared = areItemsSame ? NOT_COMPARED : await comparison(context, payments, held)
  const words = [...fields, ...compared.words].join('; ')
  const isPaid = submitted.some(mayBePaid)
  const ofOther = `batch ${requestId} holds other payments${words === '' ? '' : ` (${words})`}`
  const state = `${heldText(run, held)}${isPaid ? ': do not pay these again' : ''}`
  const { unpaid } = submitted.length === 0 ? NOT_COMPARED : compared
  const message = `${run}: ${ofOther}; ${state}${adviceOf(held, unpaid)}`
  return { ...failure, held, unpaid, message }
}

/** Returns advice that never suggests paying items that may already be paid: another name is only for items in no batch. */
const adviceOf = (held: RunBatches, unpaid: ReadonlyArray<number>): string => {
  if (unpaid.length > 0) {
    const isOne = unpaid.length === 1
    return `; only ${placesText(unpaid)} ${isOne ? 'is' : 'are'} in none of its batches: pay only ${isOne ? 'that item' : 'those items'} under another name`
  }
  if (!held.isWhole || submittedOf(held).length > 0) return ''
  const areDrafts = held.batches.every((batch, at) => isOfRun(batch, at + 1))
  return `; ${areDrafts ? 'discard its drafts, then ' : ''}pay these under another name`
}

/** Maximum number of items that a message names. */
const MOST_NAMED = 3

/** `items 4, 7, 9 and 2 others`. */
const placesText = (places: ReadonlyArray<number>): string => {
  const named = places.slice(0, MOST_NAMED).map((place) => `${place + 1}`)
  const more = places.length - named.length
  const noun = places.length === 1 ? 'item' : 'items'
  return `${noun} ${named.join(', ')}${more === 0 ? '' : ` and ${more} more`}`
}

// comparing items

interface Compared {
  readonly words: ReadonlyArray<string>
  /** Indexes of the items that are certain to be in no batch. */
  readonly unpaid: ReadonlyArray<number>
}

const NOT_COMPARED: Compared = { words: [], unpaid: [] }

/** Compares the items of a run with those in the batches with its name. */
const comparison = async (
  context: PayContext,
  payments: Payments,
  held: RunBatches,
): Promise<Compared> => {
  const [first] = held.batches
  if (first === undefined || !isOfRun(first, 1))
    return { ...NOT_COMPARED, words: ['it was not created by a run'] }
  const { set } = fieldsOf(first.metadata)
  if (set === payments.set) {
    const isCutSo = countOf(first) === payments.count
    return {
      ...NOT_COMPARED,
      words: [`the same payments in ${isCutSo ? 'another order' : 'other batches'}`],
    }
  }
  if (!held.isWhole || !payments.isWhole) return NOT_COMPARED
  try {
    const listed = await listedIn(context, held.batches)
    return listed === undefined
      ? NOT_COMPARED
      : compareRows(await rowsOf(context, payments, listed), listed, beyond(payments.set, set))
  } catch (error) {
    if (error instanceof Stop && error.failure !== undefined) return NOT_COMPARED
    throw error
  }
}

/** Returns the hash of the items that are in only one of two sets. */
const beyond = (set: string, other: unknown): bigint | undefined =>
  isHash(other) ? subtractHash(BigInt(`0x${set}`), BigInt(`0x${other}`)) : undefined

/** Items of batches by their `request_id`s. */
type ListedItems = ReadonlyMap<string, BatchItem>

/** Reads the items of all batches; `undefined` if a list does not show all of its items. */
const listedIn = async (
  context: PayContext,
  batches: ReadonlyArray<BatchTransfer>,
): Promise<ListedItems | undefined> => {
  const listed = new Map<string, BatchItem>()
  let isWhole = true
  await each(batches, WIDTH, async (batch) => {
    const items = await itemsOf(context, batch)
    isWhole &&= items.length >= batch.total_item_count
    for (const item of items) listed.set(item.request_id, item)
  })
  return isWhole ? listed : undefined
}

/** An item of the run, and its counterpart among the listed items. */
interface ComparedRow {
  readonly place: number
  readonly hash: bigint
  readonly isListed: boolean
  /** The first field for which the platform shows a different value. */
  readonly difference: FieldDifference | undefined
}

const rowsOf = async (
  context: PayContext,
  payments: Payments,
  listed: ListedItems,
): Promise<ReadonlyArray<ComparedRow>> => {
  const rows: Array<ComparedRow> = []
  for await (const { items, places } of unchanged(context, payments.batches())) {
    for (const [at, item] of items.entries()) {
      const place = places[at] ?? at
      const found = listed.get(item.request_id)
      rows.push({
        place,
        hash: paymentHash(item, payments.run, place),
        isListed: found !== undefined,
        difference: found === undefined ? undefined : shownDifference(item, found),
      })
    }
  }
  return rows
}

/** Compares the fields shown for an item. The list shows the terms of a transfer from the quote until the item is booked. */
const shownDifference = (item: NewBatchItem, found: BatchItem): FieldDifference | undefined =>
  differencesOf(item, { ...fieldsOf(found.transfer_draft), ...found }, agreesIfShown)[0]

const compareRows = (
  rows: ReadonlyArray<ComparedRow>,
  listed: ListedItems,
  rest: bigint | undefined,
): Compared => {
  const all = rows.length
  const unpaid = unpaidOf(rows, listed.size, rest)
  if (unpaid.length > 0) {
    return { words: [`the same payments and ${unpaid.length} more: ${placesText(unpaid)}`], unpaid }
  }
  const absent = rows.filter(({ isListed }) => !isListed)
  const other = rows.filter(({ difference }) => difference !== undefined)
  const gone = listed.size - (all - absent.length)
  const words = [
    ...(other.length > 0
      ? [
          `${other.length} of ${all} ${other.length === 1 ? 'differs' : 'differ'}: ${describe(other[0])}`,
        ]
      : []),
    ...(absent.length > 0
      ? [
          `${absent.length} of ${all} ${absent.length === 1 ? 'is' : 'are'} in none of its batches: ${placesText(absent.map(({ place }) => place))}`,
        ]
      : []),
    ...(gone > 0
      ? [
          `${gone} of its ${listed.size} items ${gone === 1 ? 'is' : 'are'} not among the given ones`,
        ]
      : []),
  ]
  const hidden = 'the request_ids are the same, but at least one amount or other detail differs'
  return { words: words.length > 0 ? words : [hidden], unpaid }
}

const describe = (row: ComparedRow | undefined): string => {
  const { path, sent, found } = row?.difference ?? { path: 'it', sent: '', found: '' }
  return `item ${(row?.place ?? 0) + 1}: ${path} is ${found}, not ${sent}`
}

/**
 * Returns the indexes of items that are in no batch, if hashes prove that all other items are exactly those of the earlier run;
 * `rest` is the hash of the items that the run does not have. A changed item does not count as a new one.
 */
const unpaidOf = (
  rows: ReadonlyArray<ComparedRow>,
  listed: number,
  rest: bigint | undefined,
): ReadonlyArray<number> => {
  const absent = rows.filter(({ isListed }) => !isListed)
  if (sumOf(absent) === rest) return absent.map(({ place }) => place)
  // rows without a request_id are identified by their index, which shifts when rows are inserted
  const count = rows.length - listed
  if (count <= 0) return []
  let sum = sumOf(rows.slice(0, count))
  for (let at = 0; ; at++) {
    if (sum === rest) return rows.slice(at, at + count).map(({ place }) => place)
    const [out, next] = [rows[at], rows[at + count]]
    if (out === undefined || next === undefined) return []
    sum = addHash(subtractHash(sum, out.hash), next.hash)
  }
}

const sumOf = (rows: ReadonlyArray<ComparedRow>): bigint =>
  rows.reduce((sum, { hash }) => addHash(sum, hash), 0n)
