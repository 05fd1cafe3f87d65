/**
 * The columns that a list is filtered by. They repeat after `PERIOD` rows, so the k-th row that
 * passes a filter is computed and not searched: any page of ten million rows costs the same.
 */
import { hash, subSeed } from './hash.js'

// model

/** Rows until status, currency and source begin again. */
export const PERIOD = 4_096

/** How many accounts are charged. */
const SOURCES = 40

const currencies = ['USD', 'EUR', 'GBP', 'AUD', 'SGD', 'HKD', 'JPY', 'CAD', 'CHF', 'NZD'] as const

export interface Columns {
  readonly status: ReadonlyArray<string>
  readonly currency: ReadonlyArray<string>
  readonly source: ReadonlyArray<string>
}

/** What is asked for, column by column; one that is left out takes every row. */
export interface ColumnFilter {
  readonly status?: string | undefined
  readonly currency?: string | undefined
  readonly source?: string | undefined
}

/** The rows that pass, by number: how many there are among the first `n`, and which is the k-th. */
export interface Matches {
  readonly below: (n: number) => number
  readonly at: (k: number) => number
}

// constructors

/** 88 % settled, 4 % pending, 3 % failed, 3 % new, 2 % suspended. */
const statusOf = (percent: number): string =>
  percent < 88
    ? 'SETTLED'
    : percent < 92
      ? 'PENDING'
      : percent < 95
        ? 'FAILED'
        : percent < 98
          ? 'NEW'
          : 'SUSPENDED'

export const columns = (seed: number): Columns => {
  const key = subSeed(seed, 1)
  const sources = Array.from(
    { length: SOURCES },
    (_, n) => `acct_${hash(subSeed(seed, 2) ^ n).toString(36)}`,
  )
  const column = (pick: (random: number) => string, purpose: number) =>
    Array.from({ length: PERIOD }, (_, slot) => pick(hash(subSeed(key, purpose) ^ slot)))
  return {
    status: column((random) => statusOf(random % 100), 1),
    currency: column((random) => currencies[random % currencies.length] ?? 'USD', 2),
    // the smaller of two numbers: a few accounts are charged often, most seldom
    source: column(
      (random) => sources[Math.min((random >>> 16) % SOURCES, random % SOURCES)] ?? 'acct_0',
      3,
    ),
  }
}

// combinators

const all: Matches = { below: (n) => n, at: (k) => k }

const SLOTS = Array.from({ length: PERIOD }, (_, slot) => slot)

const firstNotBelow = (sorted: ReadonlyArray<number>, n: number): number => {
  const found = sorted.findIndex((value) => value >= n)
  return found < 0 ? sorted.length : found
}

/** Whether the row of this number passes. */
export const passes =
  ({ status, currency, source }: ColumnFilter) =>
  (columns: Columns) =>
  (n: number): boolean => {
    const slot = n % PERIOD
    return (
      (status === undefined || status === columns.status[slot]) &&
      (currency === undefined || currency === columns.currency[slot]) &&
      (source === undefined || source === columns.source[slot])
    )
  }

export const matches =
  (filter: ColumnFilter) =>
  (columns: Columns): Matches => {
    if (
      filter.status === undefined &&
      filter.currency === undefined &&
      filter.source === undefined
    ) {
      return all
    }
    const slots = SLOTS.filter(passes(filter)(columns))
    const each = slots.length
    return {
      below: (n) => Math.floor(n / PERIOD) * each + firstNotBelow(slots, n % PERIOD),
      at: (k) => Math.floor(k / each) * PERIOD + (slots[k % each] ?? 0),
    }
  }
