/**
 * The filterable columns of generated charges. They repeat after `PERIOD` rows, so the k-th row that passes a
 * filter is computed instead of searched for: any page of ten million rows costs the same.
 */
import type { ChargeStatus } from '../../codec/Charge.js'
import { hash, subSeed } from './hash.js'

/** Rows until status, currency and source repeat. */
const PERIOD = 4_096

/** How many accounts are charged. */
const SOURCES = 40

const currencies = ['USD', 'EUR', 'GBP', 'AUD', 'SGD', 'HKD', 'JPY', 'CAD', 'CHF', 'NZD'] as const

/** The values of one row. */
export interface ChargeColumns {
  readonly status: ChargeStatus
  readonly currency: string
  readonly source: string
}

/** Exact values to filter by; a column that is left out takes every row. */
export type ColumnFilter = { readonly [Column in keyof ChargeColumns]?: string | undefined }

/** The rows that pass a filter, by number. */
export interface Matches {
  /** How many of the rows before the n-th pass. */
  readonly before: (n: number) => number
  /** The number of the k-th row that passes. */
  readonly at: (k: number) => number
}

export interface ColumnTable {
  readonly at: (n: number) => ChargeColumns
  readonly matches: (filter: ColumnFilter) => Matches
}

export const columnTable = (seed: number): ColumnTable => {
  const key = subSeed(seed, 1)
  const sources = Array.from(
    { length: SOURCES },
    (_, n) => `acct_${hash(subSeed(seed, 2) ^ n).toString(36)}`,
  )
  const randomAt = (slot: number, purpose: number) => hash(subSeed(key, purpose) ^ slot)
  const rows = Array.from({ length: PERIOD }, (_, slot): ChargeColumns => {
    const random = randomAt(slot, 3)
    // the smaller of two draws: a few accounts are charged often, most of them seldom
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

/** True if the row has the values that the filter asks for. */
export const passes = (row: ChargeColumns, { status, currency, source }: ColumnFilter): boolean =>
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

/** 88 % settled, 4 % pending, 3 % failed, 3 % new, 2 % suspended. */
const statusOf = (percent: number): ChargeStatus => {
  if (percent < 88) return 'SETTLED'
  if (percent < 92) return 'PENDING'
  if (percent < 95) return 'FAILED'
  return percent < 98 ? 'NEW' : 'SUSPENDED'
}
