/** The first pass over the items of a run. It checks each item and divides the items into batches before anything is sent. */
import { AMOUNTS, NewBatchItem } from '../../codec/NewBatchItem.js'
import { type Cause, parameterCauses } from '../../decode/causes.js'
import { fieldsOf } from '../../decode/unknown.js'
import { E } from '../../fp.js'
import { invalidParams } from '../../http/request/invalidParams.js'
import { requestIdOf } from '../../http/retry/Outcome.js'
import { InvalidOption } from '../../options/index.js'
import { Stop } from './flow.js'
import { addHash, Chain, hashText, paymentHash, valueJson } from './hashes.js'
import { requestIdOf as batchIdOf, type PayContext } from './PayContext.js'
import { itemsChanged } from './PayFailure.js'
import type { InvalidItem, PayItem, PayItems, PaymentBatch } from './PayOptions.js'
import { RequestIds } from './RequestIds.js'

/** A run, divided into batches. The items are not kept in memory, but read again. */
export interface PayPlan {
  readonly run: string
  readonly perBatch: number
  /** Number of items, excluding those left out. */
  readonly items: number
  /** For each batch, the hash of all items up to its end. */
  readonly chain: ReadonlyArray<string>
  /** The last hash in `chain`, of all items. */
  readonly hash: string
  /** A hash of all items that does not depend on their order or on the `request_id`s that `pay` gives to rows. */
  readonly set: string
  /** Indexes of invalid items. */
  readonly leftOut: ReadonlySet<number>
  /** The invalid items, with all reasons. */
  readonly invalid: ReadonlyArray<InvalidItem>
  /** True if two items have the same `request_id`. Nothing can be paid then. */
  readonly isRepeated: boolean
}

interface PayPlanOptions {
  readonly run: string
  readonly perBatch: number
  /** `false` skips the check of items by their codec. */
  readonly check: boolean
}

export interface Payments extends Omit<PaymentBatch, 'index' | 'items'> {
  /** The `hash` of an approval of these payments. */
  readonly approvalHash: string
  /** Number of items, including those left out. */
  readonly items: number
  /** Number of items that are left out as invalid before anything is sent. */
  readonly leftOut: number
  readonly batches: () => AsyncIterable<PlacedBatch>
  /** False if these are only some batches of the run. */
  readonly isWhole: boolean
}

/** A batch, with the indexes of its items among all items. */
export interface PlacedBatch extends PaymentBatch {
  readonly places: ReadonlyArray<number>
}

// reading

/** Reads the items from the beginning, each with its index. */
async function* read<F>(
  items: PayItems<F>,
): AsyncGenerator<readonly [place: number, item: PayItem<F>]> {
  let place = 0
  const begun = typeof items === 'function' ? items() : items
  if (!isIterable(begun)) throw unreadableItems('')
  for await (const item of begun) yield [place++, item]
}

const isIterable = (u: unknown): boolean => {
  if (typeof u !== 'object' || u === null) return false
  return (
    typeof (Reflect.get(u, Symbol.asyncIterator) ?? Reflect.get(u, Symbol.iterator)) === 'function'
  )
}

/** Methods that only a generator, a Node stream or a web stream has. All three can be read only once. */
const READ_ONCE = ['next', 'pipe', 'getReader']

/** Throws an `InvalidOption` for items that cannot be read twice, and for a function that returns a promise of items. */
export const checkItems = (items: unknown, context: string): void => {
  const canBeRead =
    typeof items === 'function'
      ? Object.prototype.toString.call(items) !== '[object AsyncFunction]'
      : isIterable(items) &&
        !READ_ONCE.some((name) => typeof Reflect.get(Object(items), name) === 'function')
  if (!canBeRead) throw unreadableItems(context)
}

const unreadableItems = (context: string): InvalidOption => {
  const expected =
    'readable twice: an array, rows of a file, or a function that returns a fresh iterable, not a promise'
  return new InvalidOption('items', expected, context)
}

type PlannedRow = { readonly requestId: string | undefined } & (
  | { readonly item: NewBatchItem }
  | { readonly causes: ReadonlyArray<Cause> }
)

/** Returns an item, or the reason why a row of a file is not one. An unreadable file ends the run. */
const rowOf = <F>(given: PayItem<F>): PlannedRow => {
  if (!isEither(given)) return { requestId: requestIdOf(given), item: given }
  if (E.isRight(given)) return { requestId: requestIdOf(given.right), item: given.right }
  const { _tag, requestId, causes } = fieldsOf(given.left)
  if (_tag !== 'UnreadableRow' || !Array.isArray(causes)) throw new Stop(given.left)
  return { requestId: typeof requestId === 'string' ? requestId : undefined, causes }
}

const isEither = <F>(given: PayItem<F>): given is E.Either<F, NewBatchItem> => {
  const { _tag } = fieldsOf(given)
  return _tag === 'Left' || _tag === 'Right'
}

// planning

/** Reads and checks all items, and divides them into batches. Sends nothing. */
export const planOf = async <F>(items: PayItems<F>, options: PayPlanOptions): Promise<PayPlan> => {
  const { run, perBatch } = options
  const checked = itemCheck(options)
  const ids = new RequestIds()
  const maybeRepeated = new Set<string>()
  const leftOut = new Set<number>()
  const invalid: Array<InvalidItem> = []
  const chain = new Chain(run, perBatch)
  let set = 0n
  let count = 0
  for await (const [index, given] of read(items)) {
    const row = rowOf(given)
    const { requestId } = row
    if (requestId !== undefined && ids.add(requestId)) maybeRepeated.add(requestId)
    const text = 'item' in row ? valueJson(row.item) : undefined
    const reasons = 'item' in row ? checked(row.item, text, index) : describeCauses(row.causes)
    if ('item' in row && reasons.length === 0) {
      count++
      chain.add(text)
      set = addHash(set, paymentHash(row.item, run, index))
      continue
    }
    leftOut.add(index)
    invalid.push({ index, ...(requestId === undefined ? {} : { requestId }), reasons })
  }
  const repeated = maybeRepeated.size === 0 ? [] : await repeatedIn(items, maybeRepeated)
  const hashes = chain.hashes()
  return {
    run,
    perBatch,
    items: count,
    chain: hashes,
    hash: hashes.at(-1) ?? '',
    set: hashText(set),
    leftOut,
    invalid: [...invalid, ...repeated],
    isRepeated: repeated.length > 0,
  }
}

/** Reads the items again, to find those with the `request_id` of an earlier one. */
const repeatedIn = async <F>(
  items: PayItems<F>,
  some: ReadonlySet<string>,
): Promise<ReadonlyArray<InvalidItem>> => {
  const first = new Map<string, number>()
  const repeated: Array<InvalidItem> = []
  for await (const [index, given] of read(items)) {
    const { requestId } = rowOf(given)
    if (requestId === undefined || !some.has(requestId)) continue
    const before = first.get(requestId)
    if (before === undefined) first.set(requestId, index)
    else {
      const reasons = [`request_id is the same as in item ${before + 1}`]
      repeated.push({ index, requestId, reasons })
    }
  }
  return repeated
}

const itemCheck = ({ check }: Pick<PayPlanOptions, 'check'>) => {
  /** For each currency pair, the field that holds its amounts, and the first item that used it. */
  const fields = new Map<string, readonly [field: string, index: number]>()
  return (item: NewBatchItem, text: unknown, index: number): ReadonlyArray<string> => {
    if (requestIdOf(item) === undefined) return ['request_id should be a non-empty string']
    if (typeof text !== 'string') return ['it should be JSON-serializable']
    if (!check) return []
    const decoded = NewBatchItem.decode(item)
    if (E.isLeft(decoded)) return describeCauses(parameterCauses(decoded.left))
    const misspelt = invalidParams(NewBatchItem, item, check) // as in the check by the call, which includes the batch
    if (misspelt !== undefined) return describeCauses(misspelt)
    const field = AMOUNTS.find((name) => item[name] !== undefined)
    if (field === undefined)
      return [`${AMOUNTS.join(' or ')} should be given, but both are missing`]
    const pair = `${item.source_currency} to ${item.transfer_currency}`
    const [known, first] = fields.get(pair) ?? [field, index]
    fields.set(pair, [known, first])
    return known === field
      ? []
      : [
          `${known} should be given instead of ${field}, as in item ${first + 1}, which is also from ${pair}`,
        ]
  }
}

/** Drops causes about a whole value if another cause names a part of it. */
const describeCauses = (all: ReadonlyArray<Cause>): ReadonlyArray<string> =>
  all
    .filter(({ path }) => path === '' || !all.some((other) => other.path.startsWith(`${path}.`)))
    .map(describeCause)

const describeCause = ({ path, expected, actual }: Cause): string =>
  `${path || 'it'} should be ${expected}, but is ${actual}`

// the second pass

/** Thrown if the items had changed when they were read again. */
class Changed extends Error {
  override readonly name = 'Changed'
  /** Number of the batch, from 1. */
  readonly index: number

  constructor(index: number) {
    super(`the items of batch ${index} had changed when they were read again`)
    this.index = index
  }
}

/** Reads the items again, one batch at a time, and throws `Changed` unless they match the plan. */
export async function* batchesOf<F>(
  items: PayItems<F>,
  { run, perBatch, chain, hash, set, leftOut }: PayPlan,
): AsyncGenerator<PlacedBatch> {
  const again = new Chain(run, perBatch)
  const count = chain.length
  let some: Array<NewBatchItem> = []
  let places: Array<number> = []
  let index = 0
  const batch = (hashes: ReadonlyArray<string>): PlacedBatch => {
    if (index >= count || hashes[index] !== chain[index]) throw new Changed(index + 1)
    index++
    const full = { run, index, count, hash, set, items: some, places }
    some = []
    places = []
    return full
  }
  for await (const [place, given] of read(items)) {
    if (leftOut.has(place)) continue
    const row = rowOf(given)
    if (!('item' in row)) throw new Changed(index + 1)
    some.push(row.item)
    places.push(place)
    again.add(valueJson(row.item))
    if (some.length === perBatch) yield batch(again.hashes())
  }
  if (some.length > 0) yield batch(again.hashes())
  if (index < count) throw new Changed(index + 1)
}

/** Ends the run if the items have changed. */
export async function* unchanged(
  { run }: Pick<PayContext, 'run'>,
  batches: AsyncIterable<PlacedBatch>,
): AsyncGenerator<PlacedBatch> {
  try {
    yield* batches
  } catch (error) {
    if (!(error instanceof Changed)) throw error
    throw new Stop(itemsChanged(run, batchIdOf({ run, index: error.index }), error.message))
  }
}
