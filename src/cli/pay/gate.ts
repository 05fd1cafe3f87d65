/** The gate of `pay`: bounds for `--yes`, and the flags for a command that pays within the quote shown. */
import { byCurrency, excessOf } from '../../client/pay/approval.js'
import type { PayBound, PaySummary } from '../../client/pay/PayOptions.js'
import { fieldsOf } from '../../decode/unknown.js'
import { EXIT_LOOK, EXIT_USAGE } from '../output.js'
import type { Ending } from '../runCommand.js'

export interface GateFlags {
  readonly yes: boolean
  /** Maximum total to pay, by currency. */
  readonly max?: ReadonlyArray<PayBound>
  /** Minimum total that beneficiaries receive, by currency. */
  readonly atLeast?: ReadonlyArray<PayBound>
}

export const isUnbounded = ({ max, atLeast }: GateFlags): boolean =>
  max === undefined && atLeast === undefined

/** Returns why a quote is not paid; `undefined` if it may be paid. */
export const refusalOf = (summary: PaySummary, flags: GateFlags): Ending | undefined => {
  const { yes, max = [], atLeast = [] } = flags // no bound in --max, so nothing may be paid
  const reason = isUnbounded(flags)
    ? yes && '--yes requires a limit, such as --max in the line above'
    : excessOf({ max, atLeast }, summary)
  if (reason === undefined || reason === false) return undefined
  return summary.submittedBefore === 0
    ? { status: EXIT_USAGE, reason: `${reason}: nothing was submitted` }
    : { status: EXIT_LOOK, reason: `${reason}: nothing more was submitted` }
}

/**
 * Returns the flags that pay at most the amounts shown. `converted`: currencies in which the amount for the beneficiaries
 * depends on a rate.
 */
export const boundFlags = (
  { approval: { max, atLeast = [] } }: PaySummary,
  converted: ReadonlySet<string>,
): string => {
  const flag = (name: string, bounds: ReadonlyArray<PayBound>): ReadonlyArray<string> =>
    bounds.length === 0
      ? []
      : [`--${name} ${bounds.map(({ currency, amount }) => `${currency}=${amount}`).join(',')}`]
  const received = byCurrency(atLeast).filter(({ currency }) => converted.has(currency))
  return [...flag('max', byCurrency(max)), ...flag('at-least', received)].join(' ')
}

/**
 * Returns the beneficiaries' currency if a payment gives the amount before conversion. A worse rate then costs the
 * beneficiaries and not the payer.
 */
export const convertedCurrency = (payment: unknown): string | undefined => {
  const { source_amount, source_currency, transfer_currency } = fieldsOf(payment)
  const isConverted = source_amount !== undefined && source_currency !== transfer_currency
  return isConverted && typeof transfer_currency === 'string' ? transfer_currency : undefined
}
