/** Hashes of payments. Hashes in order identify a run; hashes of a set tell how two files differ. */
import { createHash, type Hash } from 'node:crypto'
import { AMOUNTS, type NewBatchItem, sortedJson } from '../../codec/NewBatchItem.js'
import { parseDecimal } from '../../decode/minorUnits.js'
import { O } from '../../fp.js'
import { requestIdOf } from './PayContext.js'

// values

/** Maximum length of an amount that is read as a number, in characters. */
const MAX_LENGTH = 1_000

/** Returns the JSON of an item with sorted keys and normalized amounts: `12.50`, `12.5` and `1.25e1` become equal. */
export const valueJson = (item: NewBatchItem): unknown => {
  const values = AMOUNTS.flatMap((name) => {
    const amount = item?.[name] // may be missing in plain JavaScript
    return amount === undefined ? [] : [[name, amountValue(String(amount))] as const]
  })
  return sortedJson({ ...item, ...Object.fromEntries(values) })
}

/** Normalizes an amount: `1250`, `1250.0` and `1.25e3` become `125e1`. */
export const amountValue = (amount: string): string => {
  const decimal = parseDecimal(amount, MAX_LENGTH)
  if (O.isNone(decimal)) return amount
  const { units, scale } = decimal.value
  if (units === 0n) return '0'
  const digits = String(units).replace(/0+$/, '')
  return `${digits}e${String(units).length - digits.length - scale}`
}

// the order

/** Hashes items one after the other. At the end of each batch, the hash covers all items so far. */
export class Chain {
  readonly #perBatch: number
  readonly #hash: Hash
  readonly #all: Array<string> = []
  #size = 0

  constructor(run: string, perBatch: number) {
    this.#perBatch = perBatch
    this.#hash = createHash('sha256').update(`${run} ${perBatch}`)
  }

  /** Adds the `valueJson` of an item. */
  add(text: unknown): void {
    this.#hash.update(`\n${String(text)}`)
    if (++this.#size === this.#perBatch) this.#close()
  }

  /** Returns the hashes after each batch; the last batch may have fewer items. */
  hashes(): ReadonlyArray<string> {
    if (this.#size > 0) this.#close()
    return this.#all
  }

  #close(): void {
    this.#all.push(this.#hash.copy().digest('hex'))
    this.#size = 0
  }
}

// the set

/** Returns the `request_id` that `pay` gives to a row without one; `place` is its index, from 0. */
const generatedId = (run: string, place: number): string => requestIdOf({ run, index: place + 1 })

/** Returns the hash of a payment's values. Ignores a `request_id` that was generated from the run and the index. */
export const paymentHash = (item: NewBatchItem, run: string, place: number): bigint => {
  const isGenerated = item.request_id === generatedId(run, place)
  const json = valueJson(isGenerated ? { ...item, request_id: '' } : item)
  return BigInt(`0x${createHash('sha256').update(String(json)).digest('hex')}`)
}

const MODULUS = 1n << 256n

/**
 * Adds the hash of a payment to the hash of a set. A sum does not depend on the order. The hash of a subset is the hash of the
 * whole set minus that of the rest, which proves which payments a file has in addition to those of a run. Not secure against
 * payments crafted to collide.
 */
export const addHash = (sum: bigint, hash: bigint): bigint => (sum + hash) % MODULUS

export const subtractHash = (sum: bigint, hash: bigint): bigint => addHash(sum, MODULUS - hash)

/** Returns a hash as 64 hex digits. */
export const hashText = (sum: bigint): string => sum.toString(16).padStart(64, '0')
