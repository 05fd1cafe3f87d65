/**
 * The charges that are there from the start: a pure function of seed and index, so ten million of
 * them take no memory. What is created later is state, and not here.
 */
import type { NewCharge } from '../../codec/Charge.js'
import { A, O, pipe } from '../../fp.js'
import { rounded } from '../rates.js'
import { type Bytes, written } from './ascii.js'
import { chargeBytes, ROOM } from './chargeBytes.js'
import { type ChargeIds, chargeIds } from './chargeIds.js'
import { type ColumnFilter, columns, matches, PERIOD, passes } from './columns.js'
import { hash, subSeed } from './hash.js'
import { type Rows, rows } from './Rows.js'

// model

export interface AccountOptions {
  /** A whole number of 32 bits. Another one gives another account; the same one the same. */
  readonly seed: number
  /** How many charges there are. */
  readonly charges: number
  /** When the first one was created, in ms since 1970. */
  readonly since: number
  /** Time from one charge to the next, in ms, on average. */
  readonly every: number
}

/** What a list is narrowed by; times in ms since 1970, both inclusive. */
export interface Filter extends ColumnFilter {
  readonly request_id?: string | undefined
  readonly from?: number | undefined
  readonly to?: number | undefined
}

/** Rows that pass a filter, in order of creation. */
export interface Selection {
  readonly size: number
  /** The rows from `start`, which is at least 0, to before `end`, the newest one first if so wanted. */
  readonly slice: (start: number, end: number, newestFirst: boolean) => Rows
}

/** What a charge is made of, all of it given. */
export interface Ingredients extends Required<NewCharge> {}

export interface GeneratedCharges {
  readonly charges: number
  readonly ids: ChargeIds
  /** One charge as JSON. */
  readonly charge: (index: number) => Bytes
  /** When the last charge was created, in whole seconds since 1970. */
  readonly until: number
  readonly select: (filter: Filter) => Selection
  /** What a charge is made of that comes by itself. */
  readonly arrival: (index: number) => Ingredients
}

// constructors

/** Where charges fall within eight steps of time: some in the same second, some far apart. */
const rhythm = [0, 0, 0.7, 1.5, 1.5, 3.2, 5, 7.1]

/** The smallest number below `end` for which it holds, as for all after it; `end` if there is none. */
const first = (end: number, holds: (n: number) => boolean): number => {
  let low = 0
  let high = end
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}

export const account = ({ seed, charges, since, every }: AccountOptions): GeneratedCharges => {
  const ids = chargeIds(seed)
  const table = columns(seed)
  const write = chargeBytes(seed, ids, table)
  const key = subSeed(seed, 19)

  const created = (index: number): number =>
    Math.floor((since + (index - (index % 8) + (rhythm[index % 8] ?? 0)) * every) / 1_000)

  const charge = (index: number): Bytes =>
    written(ROOM, (to, position) => write(index, created(index), to, position))

  const range = ({ from, to }: Filter): readonly [number, number] => [
    from === undefined ? 0 : first(charges, (n) => created(n) * 1_000 >= from),
    to === undefined ? charges : first(charges, (n) => created(n) * 1_000 > to),
  ]

  const selection = (size: number, at: (k: number) => number): Selection => ({
    size,
    slice: (start, end, newestFirst) => {
      const to = Math.max(start, Math.min(end, size))
      return rows(to - start, ROOM, (n, bytes, position) => {
        const index = at(newestFirst ? to - 1 - n : start + n)
        return write(index, created(index), bytes, position)
      })
    },
  })

  const one = (requestId: string, filter: Filter): Selection => {
    const [low, high] = range(filter)
    const found = pipe(
      ids.indexOfRequestId(requestId),
      O.filter((index) => index >= low && index < high && passes(filter)(table)(index)),
      A.fromOption,
    )
    return selection(found.length, (k) => found[k] ?? 0)
  }

  const many = (filter: Filter): Selection => {
    const matching = matches(filter)(table)
    const [low, high] = range(filter)
    const skipped = matching.below(low)
    return selection(Math.max(0, matching.below(high) - skipped), (k) => matching.at(skipped + k))
  }

  return {
    charges,
    ids,
    charge,
    until: charges === 0 ? Math.floor(since / 1_000) : created(charges - 1),
    arrival: (index) => {
      const currency = table.currency[index % PERIOD] ?? 'USD'
      return {
        amount: rounded(((hash(index ^ key) % 100_000) + 100) / 100, currency),
        currency,
        reason: 'goods_purchased',
        reference: `Order ${index}`,
        request_id: ids.requestId(index),
        source: table.source[index % PERIOD] ?? '',
      }
    },
    select: (filter) =>
      filter.request_id === undefined ? many(filter) : one(filter.request_id, filter),
  }
}
