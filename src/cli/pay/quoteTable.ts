/** The costs of a payment run, as a table. */
import type { PaySummary } from '../../client/pay/PayOptions.js'
import { number, plural } from '../../report/text.js'

const HEADER = ['from', 'to', 'you pay', 'they receive', 'fees', 'rate']

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
    submittedBefore === 0 ? '' : `; ${plural(submittedBefore, 'other batch')} submitted earlier`
  return [
    `${run}: ${plural(items, 'item')} in ${batches === 1 ? '1 batch' : `${number(batches)} batches`}${without}${before.replace('batchs', 'batches')}`,
    ...(isWorse ? ['the new quotes are worse than the ones you approved:'] : []),
    ...table([HEADER, ...rows]),
    ...(expiresAt === undefined
      ? []
      : [`quotes are valid until ${expiresAt.toISOString().replace('.000Z', 'Z')}`]),
  ]
}

/** Formats aligned columns, with currencies on the left and numbers on the right. */
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
