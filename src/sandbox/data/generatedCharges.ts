/** Charges that exist from the start. They are a pure function of seed and number, so ten million of them take no memory. */
import { type Charge, ChargeReason, type ChargeStatus, type NewCharge } from '../../codec/Charge.js'
import { R } from '../../fp.js'
import { hash, hex8, subSeed } from './hash.js'
import { idOf, numberOfRequestId, requestIdOf } from './ids.js'
import { minorUnitsIn, rounded } from './money.js'
import { timeWriter } from './time.js'

export interface ChargeOptions {
  readonly seed: number
  readonly charges: number
  /** Time of creation of the first charge. */
  readonly since: Date
  /** Average time between two charges, in ms. */
  readonly every: number
  /** Latest time at which any charge is updated. */
  readonly until?: Date | undefined
}

/** The filter of a list. Times are in ms since 1970, and both bounds are inclusive. */
export interface Filter extends ColumnFilter {
  readonly request_id?: string | undefined
  readonly from?: number | undefined
  readonly to?: number | undefined
}

/** Charges that match a filter, in order of creation. */
export interface Selection {
  readonly size: number
  /** Returns the k-th matching charge. */
  readonly at: (k: number) => ChargeJson
}

export interface ChargeJson extends Omit<Charge, 'created_at' | 'updated_at'> {
  readonly created_at: string
  readonly updated_at: string
}

export interface CompleteNewCharge extends NewCharge {
  readonly request_id: string
}

export interface GeneratedCharges {
  readonly count: number
  /** Time of creation of the last charge, in whole seconds since 1970. */
  readonly until: number
  readonly charge: (n: number) => ChargeJson
  readonly select: (filter: Filter) => Selection
  /** Returns the n-th charge that arrives automatically. */
  readonly arrival: (n: number) => CompleteNewCharge
}

const subjects = ['Invoice', 'Order', 'Subscription', 'Payout', 'Membership', 'Booking', 'Shipment']

const reasons = R.keys(ChargeReason.keys)

/** Times of eight consecutive charges, in steps. Some are in the same second, and some are far apart. */
const rhythm = [0, 0, 0.7, 1.5, 1.5, 3.2, 5, 7.1]

/** Returns the time at which charge `n` is created, in units of `every`. */
const stepOf = (n: number): number => n - (n % 8) + (rhythm[n % 8] ?? 0)

/** Returns the step of the last of the given number of charges. */
export const lastStep = (charges: number): number => stepOf(Math.max(0, charges - 1))

export const generatedCharges = ({
  seed,
  charges: count,
  since,
  every,
  until,
}: ChargeOptions): GeneratedCharges => {
  const columns = columnTable(seed)
  const timeText = timeWriter()
  const key = subSeed(seed, 5)
  const arrivalKey = subSeed(seed, 19)
  const end = until === undefined ? Number.POSITIVE_INFINITY : Math.floor(until.getTime() / 1_000)

  /** Returns the time of creation, in whole seconds since 1970. */
  const createdAt = (n: number): number => Math.floor((since.getTime() + stepOf(n) * every) / 1_000)

  const charge = (n: number): ChargeJson => {
    const { status, currency, source } = columns.at(n)
    const random = hash(n ^ key)
    const more = hash(random ^ key)
    const amount = amountOf(random, currency)
    const created = createdAt(n)
    const changed = Math.min(created + 1 + (more % 7_200), Math.max(created, end))
    const updated = status === 'NEW' ? created : changed
    return {
      id: idOf('charge', seed, n),
      amount,
      currency,
      reason: reasons[more % reasons.length] ?? 'travel',
      reference: `${subjects[random % subjects.length]} ${more >>> 12}`,
      request_id: requestIdOf(seed, n),
      source,
      fee: feeOf(amount, currency),
      short_reference_id: `CH${hex8(more)}`,
      status,
      created_at: timeText(created),
      updated_at: timeText(updated),
    }
  }

  const range = ({ from, to }: Filter): readonly [number, number] => [
    from === undefined ? 0 : firstWhere(count, (n) => createdAt(n) * 1_000 >= from),
    to === undefined ? count : firstWhere(count, (n) => createdAt(n) * 1_000 > to),
  ]

  const selection = (size: number, at: (k: number) => number): Selection => ({
    size,
    at: (k) => charge(at(k)),
  })

  const byRequestId = (requestId: string, filter: Filter): Selection => {
    const [low, high] = range(filter)
    const n = numberOfRequestId(seed, requestId) ?? -1
    return n >= low && n < high && passes(columns.at(n), filter)
      ? selection(1, () => n)
      : selection(0, () => 0)
  }

  return {
    count,
    until: count === 0 ? Math.floor(since.getTime() / 1_000) : createdAt(count - 1),
    charge,
    arrival: (n) => {
      const { currency, source } = columns.at(n)
      return {
        amount: rounded(((hash(n ^ arrivalKey) % 100_000) + 100) / 100, currency),
        currency,
        reason: 'goods_purchased',
        reference: `Order ${n}`,
        request_id: requestIdOf(seed, n),
        source,
      }
    },
    select: (filter) => {
      if (filter.request_id !== undefined) return byRequestId(filter.request_id, filter)
      const matching = columns.matches(filter)
      const [low, high] = range(filter)
      const skipped = matching.before(low)
      return selection(Math.max(0, matching.before(high) - skipped), (k) =>
        matching.at(skipped + k),
      )
    },
  }
}

/** Returns the fee of 0.3 %, rounded once to the minor unit. */
export const feeOf = (amount: number, currency: string): number => {
  const units = minorUnitsIn(currency)
  return Math.round(Math.round(amount * units) * 0.003) / units
}

/** Returns an amount: usually 1 to 1,000 units, but one in sixteen amounts is up to 50,000. */
const amountOf = (random: number, currency: string): number =>
  rounded((((random & 15) === 0 ? 50 : 1) * ((random >>> 4) % 100_000) + 100) / 100, currency)

/**
 * Finds the smallest number below `end` for which `holds` returns true; it must then also return true for all later numbers.
 * Returns `end` if there is none.
 */
const firstWhere = (end: number, holds: (n: number) => boolean): number => {
  let low = 0
  let high = end
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}

// columns

/** Number of rows after which status, currency and source repeat. */
const PERIOD = 4_096

/** Number of charged accounts. */
const SOURCES = 40

const currencies = ['USD', 'EUR', 'GBP', 'AUD', 'SGD', 'HKD', 'JPY', 'CAD', 'CHF', 'NZD'] as const

export interface ChargeColumns {
  readonly status: ChargeStatus
  readonly currency: string
  readonly source: string
}

/** Exact values to filter by. If a column is omitted, every row is accepted. */
export type ColumnFilter = { readonly [Column in keyof ChargeColumns]?: string | undefined }

/** The rows that match a filter, by number. */
export interface Matches {
  /** Returns the number of matching rows before the n-th row. */
  readonly before: (n: number) => number
  /** Returns the number of the k-th matching row. */
  readonly at: (k: number) => number
}

export interface ColumnTable {
  readonly at: (n: number) => ChargeColumns
  readonly matches: (filter: ColumnFilter) => Matches
}

const columnTable = (seed: number): ColumnTable => {
  const key = subSeed(seed, 1)
  const sources = Array.from(
    { length: SOURCES },
    (_, n) => `acct_${hash(subSeed(seed, 2) ^ n).toString(36)}`,
  )
  const randomAt = (slot: number, purpose: number) => hash(subSeed(key, purpose) ^ slot)
  const rows = Array.from({ length: PERIOD }, (_, slot): ChargeColumns => {
    const random = randomAt(slot, 3)
    // the smaller of two draws, so that a few accounts are charged often and most accounts rarely
    const source = sources[Math.min((random >>> 16) % SOURCES, random % SOURCES)]
    return {
      status: statusOf(randomAt(slot, 1) % 100),
      currency: currencies[randomAt(slot, 2) % currencies.length] ?? 'USD',
      source: source ?? 'acct_0',
    }
  })
  const at = (n: number): ChargeColumns => rows[n % PERIOD] ?? NO_ROW
  return { at, matches: (filter) => matchesOf(rows, filter) }
}

const passes = (row: ChargeColumns, { status, currency, source }: ColumnFilter): boolean =>
  (status ?? row.status) === row.status &&
  (currency ?? row.currency) === row.currency &&
  (source ?? row.source) === row.source

const NO_ROW: ChargeColumns = { status: 'SETTLED', currency: 'USD', source: 'acct_0' }

const everyRow: Matches = { before: (n) => n, at: (k) => k }

const matchesOf = (rows: ReadonlyArray<ChargeColumns>, filter: ColumnFilter): Matches => {
  if (filter.status === undefined && filter.currency === undefined && filter.source === undefined) {
    return everyRow
  }
  const slots = rows.flatMap((row, slot) => (passes(row, filter) ? [slot] : []))
  return {
    before: (n) =>
      Math.floor(n / PERIOD) * slots.length + slots.filter((slot) => slot < n % PERIOD).length,
    at: (k) => Math.floor(k / slots.length) * PERIOD + (slots[k % slots.length] ?? 0),
  }
}

/** Returns a status: 88 % settled, 4 % pending, 3 % failed, 3 % new, 2 % suspended. */
const statusOf = (percent: number): ChargeStatus => {
  if (percent < 88) return 'SETTLED'
  if (percent < 92) return 'PENDING'
  if (percent < 95) return 'FAILED'
  return percent < 98 ? 'NEW' : 'SUSPENDED'
}
