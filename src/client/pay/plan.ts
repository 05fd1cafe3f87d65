/** The first pass over the items of a run: each is checked, and batches are cut, before anything is sent. */
import { createHash, type Hash } from 'node:crypto'
import { NewBatchItem, sortedJson } from '../../codec/NewBatchItem.js'
import { type Cause, parameterCauses } from '../../decode/causes.js'
import { fieldsOf } from '../../decode/unknown.js'
import { E } from '../../fp.js'
import { invalidParams } from '../../http/request/invalidParams.js'
import { requestIdOf } from '../../http/retry/Outcome.js'
import { Stop } from './flow.js'
import type { InvalidItem, PayItem, PayItems, PaymentBatch } from './PayOptions.js'
import { RequestIds } from './RequestIds.js'

// model

/** A run, cut into batches. The items are not kept: they are read again. */
export interface PayPlan {
  readonly run: string
  readonly perBatch: number
  /** Number of items, without those left out. */
  readonly items: number
  /** For each batch, a hash of all items up to its end. */
  readonly chain: ReadonlyArray<string>
  /** The last of the chain: a hash of all items. */
  readonly hash: string
  /** Places of invalid items. */
  readonly leftOut: ReadonlySet<number>
  /** All that is wrong with items. */
  readonly invalid: ReadonlyArray<InvalidItem>
  /** True if two items have one `request_id`: then nothing can be paid. */
  readonly isRepeated: boolean
}

interface PayPlanOptions {
  readonly run: string
  readonly perBatch: number
  /** `false`: items are not checked by their codec. */
  readonly check: boolean
}

/** A batch with the places of its items among all items. */
export interface PlacedBatch extends PaymentBatch {
  readonly places: ReadonlyArray<number>
}

// reading

/** Reads the items from the beginning, each with its place. */
async function* read<F>(
  items: PayItems<F>,
): AsyncGenerator<readonly [place: number, item: PayItem<F>]> {
  let place = 0
  for await (const item of typeof items === 'function' ? items() : items) yield [place++, item]
}

/** Returns whether the items can be read twice: a generator, once begun, only goes on. */
export const canBeReadTwice = (items: unknown): boolean => {
  if (typeof items === 'function') return true
  if (typeof items !== 'object' || items === null) return false
  const begin: unknown =
    Reflect.get(items, Symbol.asyncIterator) ?? Reflect.get(items, Symbol.iterator)
  return typeof begin === 'function' && typeof Reflect.get(items, 'next') !== 'function'
}

type PlannedRow = { readonly requestId: string | undefined } & (
  | { readonly item: NewBatchItem }
  | { readonly causes: ReadonlyArray<Cause> }
)

/** Returns an item, or why a row of a file is none. A file that cannot be read ends the run. */
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

/** Reads and checks all items, and cuts them into batches. Sends nothing. */
export const planOf = async <F>(items: PayItems<F>, options: PayPlanOptions): Promise<PayPlan> => {
  const { run, perBatch } = options
  const checked = itemCheck(options)
  const ids = new RequestIds()
  const maybeRepeated = new Set<string>()
  const leftOut = new Set<number>()
  const invalid: Array<InvalidItem> = []
  const chain = new Chain(run, perBatch)
  let count = 0
  for await (const [index, given] of read(items)) {
    const row = rowOf(given)
    const { requestId } = row
    if (requestId !== undefined && ids.add(requestId)) maybeRepeated.add(requestId)
    const text = 'item' in row ? sortedJson(row.item) : undefined
    const reasons = 'item' in row ? checked(row.item, text, index) : describeCauses(row.causes)
    if (reasons.length === 0) {
      count++
      chain.add(text)
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
    leftOut,
    invalid: [...invalid, ...repeated],
    isRepeated: repeated.length > 0,
  }
}

/** Reads the items again, for those that have the `request_id` of an earlier one. */
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
      const reasons = [`request_id is that of item ${before + 1}`]
      repeated.push({ index, requestId, reasons })
    }
  }
  return repeated
}

/** Returns what is wrong with an item. */
const itemCheck = ({ check }: Pick<PayPlanOptions, 'check'>) => {
  /** For each currency pair, the field that says its amounts, and the item that used it first. */
  const fields = new Map<string, readonly [field: string, index: number]>()
  return (item: NewBatchItem, text: unknown, index: number): ReadonlyArray<string> => {
    if (requestIdOf(item) === undefined) return ['request_id should be a text that is not empty']
    if (typeof text !== 'string') return ['it should be what JSON can say']
    if (!check) return []
    const decoded = NewBatchItem.decode(item)
    if (E.isLeft(decoded)) return describeCauses(parameterCauses(decoded.left))
    const misspelt = invalidParams(NewBatchItem, item, check) // as the call would find, with its batch there
    if (misspelt !== undefined) return describeCauses(misspelt)
    const field = AMOUNTS.find((name) => item[name] !== undefined)
    if (field === undefined)
      return [`${AMOUNTS.join(' or ')} should be given, and both are missing`]
    const pair = `${item.source_currency} to ${item.transfer_currency}`
    const [known, first] = fields.get(pair) ?? [field, index]
    fields.set(pair, [known, first])
    return known === field
      ? []
      : [`${field} should be ${known}, as in item ${first + 1}, which is from ${pair} as well`]
  }
}

/** One of them says how much to pay, and the same one for all items of a pair (default, not specified). */
const AMOUNTS = ['source_amount', 'transfer_amount'] as const

/** Leaves out what is said of a whole of which a part is named, too: that a beneficiary is not an empty one. */
const describeCauses = (all: ReadonlyArray<Cause>): ReadonlyArray<string> =>
  all
    .filter(({ path }) => path === '' || !all.some((other) => other.path.startsWith(`${path}.`)))
    .map(describeCause)

const describeCause = ({ path, expected, actual }: Cause): string =>
  `${path || 'it'} should be ${expected}, and is ${actual}`

// hashes

/** Hashes items one after the other; at the end of each batch, all up to there. */
class Chain {
  readonly #perBatch: number
  readonly #hash: Hash
  readonly #all: Array<string> = []
  #size = 0

  constructor(run: string, perBatch: number) {
    this.#perBatch = perBatch
    this.#hash = createHash('sha256').update(`${run} ${perBatch}`)
  }

  /** Adds the JSON of an item. */
  add(text: unknown): void {
    this.#hash.update(`\n${String(text)}`)
    if (++this.#size === this.#perBatch) this.#close()
  }

  /** Returns the hashes of all batches, the last of which may have fewer items. */
  hashes(): ReadonlyArray<string> {
    if (this.#size > 0) this.#close()
    return this.#all
  }

  #close(): void {
    this.#all.push(this.#hash.copy().digest('hex'))
    this.#size = 0
  }
}

// the second pass

/** Items that were other ones when they were read again. */
export class Changed extends Error {
  override readonly name = 'Changed'
  /** Number of the batch, from 1. */
  readonly index: number

  constructor(index: number) {
    super(`the items of batch ${index} were others when they were read again`)
    this.index = index
  }
}

/** Reads the items again, a batch at a time, and throws `Changed` unless they are those of the plan. */
export async function* batchesOf<F>(
  items: PayItems<F>,
  { run, perBatch, chain, hash, leftOut }: PayPlan,
): AsyncGenerator<PlacedBatch> {
  const again = new Chain(run, perBatch)
  const count = chain.length
  let some: Array<NewBatchItem> = []
  let places: Array<number> = []
  let index = 0
  const batch = (hashes: ReadonlyArray<string>): PlacedBatch => {
    if (index >= count || hashes[index] !== chain[index]) throw new Changed(index + 1)
    index++
    const full = { run, index, count, hash, items: some, places }
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
    again.add(sortedJson(row.item))
    if (some.length === perBatch) yield batch(again.hashes())
  }
  if (some.length > 0) yield batch(again.hashes())
  if (index < count) throw new Changed(index + 1)
}
