/** Counts of a run for its report: rows and exact sums by status and currency, and reasons for rejected rows. */
import * as t from 'io-ts'
import { digitsOf } from '../../decode/index.js'
import { exponentOf, parseDecimal, unitsAt } from '../../decode/minorUnits.js'
import { fieldsOf } from '../../decode/unknown.js'
import { O, pipe, withoutUndefined } from '../../fp.js'
import { isExact, SCALE, scaledNumber, scaledText } from '../column/decimal.js'
import type { Reject } from '../source/sortPage.js'

// totals

export const Total = t.readonly(
  t.intersection([
    t.type({
      /** Number of rows with this status and currency. */
      rows: t.number,
    }),
    t.partial({
      status: t.string,
      currency: t.string,
      /** The sum of their amounts as decimal text; absent if one of the amounts cannot be added exactly. */
      amount: t.string,
      /** True for the rows beyond the first thousand combinations of status and currency. */
      others: t.literal(true),
    }),
  ]),
)

/** Number of rows with one status and currency, and the exact sum of their amounts. */
export interface Total extends t.TypeOf<typeof Total> {}

/**
 * Maximum number of totals, which is more than all documented statuses and currencies. Both are open, so a service may send any
 * number.
 */
const MAX_TOTALS = 1_000

/** Updated in place, because there are tens of thousands of rows per second. */
interface Sum {
  readonly status: string | undefined
  readonly currency: string | undefined
  rows: number
  /** The sum in ten-thousandths; `undefined` once an amount cannot be added exactly. */
  amount: bigint | undefined
  /** Further ten-thousandths, as a safe integer, because adding bigints takes ten times as long. */
  more: number
}

/** Adds up the rows of a run that have a status, a currency or an amount. */
export class Totals {
  /** Sums by status, then by currency. */
  readonly #sums = new Map<string | undefined, Map<string | undefined, Sum>>()
  #size = 0
  #others = 0

  constructor(kept: ReadonlyArray<Total> = []) {
    for (const { status, currency, rows, amount, others } of kept) {
      if (others === true) this.#others = rows
      else Object.assign(this.#begin(status, currency), { rows, amount: unitsOf(amount) })
    }
  }

  add(rows: ReadonlyArray<unknown>): void {
    for (const row of rows) {
      const { status, currency, amount } = fieldsOf(row)
      const sum = this.#sumOf(textOf(status), textOf(currency), amount)
      if (sum === undefined) continue
      sum.rows++
      addAmount(sum, row, amount)
    }
  }

  #sumOf(
    status: string | undefined,
    currency: string | undefined,
    amount: unknown,
  ): Sum | undefined {
    const known = this.#sums.get(status)?.get(currency)
    if (known !== undefined) return known
    if (status === undefined && currency === undefined && amount === undefined) return undefined
    if (this.#size < MAX_TOTALS) return this.#begin(status, currency)
    this.#others++
    return undefined
  }

  #begin(status: string | undefined, currency: string | undefined): Sum {
    const sum: Sum = { status, currency, rows: 0, amount: 0n, more: 0 }
    const ofStatus = this.#sums.get(status) ?? new Map<string | undefined, Sum>()
    this.#sums.set(status, ofStatus.set(currency, sum))
    this.#size++
    return sum
  }

  /** Returns the totals so far, sorted by status and currency. */
  values(): ReadonlyArray<Total> {
    const known = [...this.#sums.values()].flatMap((ofStatus) => [...ofStatus.values()])
    return [
      ...known.sort(byName).map(({ status, currency, rows, amount, more }) => ({
        ...withoutUndefined({ status, currency }),
        rows,
        ...(amount === undefined ? {} : { amount: decimalText(amount + BigInt(more), currency) }),
      })),
      ...(this.#others === 0 ? [] : [{ others: true as const, rows: this.#others }]),
    ]
  }
}

const byName = (one: Sum, other: Sum): number => (nameOf(one) < nameOf(other) ? -1 : 1)

const nameOf = ({ status = '', currency = '' }: Sum): string => `${status}\n${currency}`

/** Maximum length of a status or currency, in characters. */
const MAX_NAME = 64

const textOf = (u: unknown): string | undefined =>
  typeof u === 'string' ? (u.length <= MAX_NAME ? u : u.slice(0, MAX_NAME)) : undefined

/** Adds an amount, using its digits if it may have been rounded. A row without an amount makes the sum unknown. */
const addAmount = (sum: Sum, row: unknown, amount: unknown): void => {
  if (sum.amount === undefined) return
  if (typeof amount === 'number' && isExact(amount)) {
    const near = Math.round(amount * FACTOR)
    if (near / FACTOR === amount && Number.isSafeInteger(sum.more + near)) {
      sum.more += near
      return
    }
  }
  const units = unitsOfAmount(row, amount)
  sum.amount = units === undefined ? undefined : sum.amount + units
}

const unitsOfAmount = (row: unknown, amount: unknown): bigint | undefined => {
  if (typeof amount === 'string') return scaledText(amount)
  if (typeof amount !== 'number') return undefined
  const digits = digitsOf('amount')(fieldsOf(row))
  return O.isSome(digits) ? scaledText(digits.value) : scaledNumber(amount)
}

/** Number of ten-thousandths in one unit. */
const FACTOR = 10 ** SCALE

/** Maximum length of a stored sum, in characters. */
const MAX_LENGTH = 400

const unitsOf = (amount: string | undefined): bigint | undefined =>
  amount === undefined
    ? undefined
    : pipe(parseDecimal(amount, MAX_LENGTH), O.chain(unitsAt(SCALE)), O.toUndefined)

/** Formats ten-thousandths with the decimals of a currency, or with more if the sum has more. */
const decimalText = (units: bigint, currency = ''): string => {
  const places = O.getOrElse(() => 0)(exponentOf(currency))
  const [sign, size] = units < 0n ? ['-', -units] : ['', units]
  const digits = size.toString().padStart(SCALE + 1, '0')
  const fraction = digits.slice(-SCALE).replace(/0+$/, '').padEnd(places, '0')
  return `${sign}${digits.slice(0, -SCALE)}${fraction === '' ? '' : `.${fraction}`}`
}

// reasons

export const ReasonCount = t.readonly(
  t.type({
    /** Why rows were rejected. Names the field, but not its value. */
    reason: t.string,
    rows: t.number,
  }),
)

/** A reason for rejecting rows, and the number of rows. */
export interface ReasonCount extends t.TypeOf<typeof ReasonCount> {}

/** Maximum number of reasons that are counted, because a service may send any number of different faults. */
const MAX_REASONS = 20
const OTHER_REASONS = 'other reasons'

/** Adds rejected rows to counts by reason. */
export const addReasons = (
  before: ReadonlyArray<ReasonCount>,
  rejects: ReadonlyArray<Pick<Reject, 'reason'>>,
): ReadonlyArray<ReasonCount> => {
  const counts = new Map(before.map(({ reason, rows }) => [reason, rows]))
  for (const { reason } of rejects) {
    const kind = kindOf(reason)
    const name = counts.has(kind) || counts.size < MAX_REASONS ? kind : OTHER_REASONS
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return Array.from(counts, ([reason, rows]) => ({ reason, rows }))
}

/** Generalizes a reason: `GET /x: items[7].amount should be a number, but is text` becomes `amount should be a number`. */
const kindOf = (reason: string): string =>
  reason.replace(/^[A-Z]+ \/\S*: (items\[\d+\]\.?)?/, '').replace(/, but is .*$/s, '')
