/** Costs of a run of payments, as a table; and the limits that it is held to. */
import type { PaySummary } from '../../client/pay/PayOptions.js'
import { shownTotals, totalsOf } from '../../client/pay/totals.js'
import type { BatchTransfer } from '../../codec/BatchTransfer.js'
import { parseDecimal, unitsAt } from '../../decode/minorUnits.js'
import { O } from '../../fp.js'
import { number, plural } from '../../report/text.js'

/** The most that may be paid, by currency: decimal text. */
export type SpendingLimits = ReadonlyMap<string, string>

const HEADER = ['from', 'to', 'you pay', 'they receive', 'fees', 'rate']

/** Returns the lines that show a quote. */
export const quoteTable = (summary: PaySummary): ReadonlyArray<string> => {
  const { run, items, batches, leftOut, submittedBefore, totals, expiresAt, isWorse } = summary
  const rows = totals.map((total) => [
    total.sourceCurrency,
    total.transferCurrency,
    grouped(total.payerPays),
    grouped(total.beneficiariesReceive),
    `${grouped(total.fee)}${total.feeCurrency === total.sourceCurrency ? '' : ` ${total.feeCurrency}`}`,
    rateOf(total.rates),
  ])
  const without = leftOut === 0 ? '' : `, without ${plural(leftOut, 'invalid item')}`
  const before =
    submittedBefore === 0 ? '' : `; ${plural(submittedBefore, 'other batch')} submitted before`
  return [
    `${run}: ${plural(items, 'item')} in ${batches === 1 ? '1 batch' : `${number(batches)} batches`}${without}${before.replace('batchs', 'batches')}`,
    ...(isWorse ? ['new quotes, and worse than those approved before:'] : []),
    ...table([HEADER, ...rows]),
    ...(expiresAt === undefined
      ? []
      : [`quotes hold until ${expiresAt.toISOString().replace('.000Z', 'Z')}`]),
  ]
}

/** Pads columns: currencies to the left, numbers to the right. */
const table = (rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
  const widths = HEADER.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)))
  return rows.map((row) =>
    row
      .map((cell, at) => (at < 2 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join('  ')
      .trimEnd(),
  )
}

/** `1,250.50`. */
const grouped = (decimal: string): string => decimal.replace(/\B(?=(\d{3})+(?!\d))(?<!\.\d*)/g, ',')

const rateOf = (rates: ReadonlyArray<string>): string => {
  const sorted = [...rates].sort((a, b) => Number(a) - Number(b))
  const [lowest = ''] = sorted
  return sorted.length <= 1 ? lowest : `${lowest} to ${sorted.at(-1)}`
}

// limits

/** Returns why a quote and the batches `submitted` before are above the limits; `undefined` if they are within them. */
export const aboveLimits = (
  { totals }: PaySummary,
  submitted: ReadonlyArray<BatchTransfer>,
  limits: SpendingLimits,
): string | undefined => {
  if (totals.length === 0) return 'the platform has quoted no totals to hold against --max'
  const sums = new Map<string, bigint>()
  for (const { sourceCurrency: currency, payerPays } of [
    ...totals,
    ...shownTotals(totalsOf(submitted)),
  ]) {
    sums.set(currency, (sums.get(currency) ?? 0n) + unitsOf(payerPays))
  }
  for (const [currency, sum] of sums) {
    const most = limits.get(currency)
    if (most === undefined) return `${currency} is paid, too, and not in --max`
    if (sum > unitsOf(most)) return `more than ${most} ${currency} is to be paid`
  }
  return undefined
}

/** Decimals that amounts are compared with: more than any currency has. */
const SCALE = 12

const MAX_LENGTH = 100

const unitsOf = (text: string): bigint => {
  const decimal = parseDecimal(text, MAX_LENGTH)
  return O.isSome(decimal) ? O.getOrElse(() => 0n)(unitsAt(SCALE)(decimal.value)) : 0n
}
