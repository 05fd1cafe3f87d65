import * as t from 'io-ts'
import { type Codec, optional } from './Codec.js'
import { rule, ruled } from './Rule.js'
import { Currency, MinorAmount } from './scalars.js'
import { Metadata } from './shapes.js'

const feeOption = t.intersection([
  t.type({
    /** `FIXED`: an `amount`. `PERCENTAGE`: a part of what `source_type` names. */
    type: t.keyof({ FIXED: null, PERCENTAGE: null }),
  }),
  optional({
    /** The base of the fee. */
    source_type: t.keyof({ CONVERSION: null, TRANSFER: null }),
    /** In the smallest unit of `currency`, as text; for `FIXED`. */
    amount: MinorAmount,
    /**
     * Needed for `FIXED`. For `PERCENTAGE` on a `CONVERSION` it is one of the item's two currencies; when
     * left out, the contra currency of the quote.
     */
    currency: Currency,
    /** For `PERCENTAGE`: a markup on the rate of a conversion, else a part of the amount. */
    percentage: t.string,
    /** Keys and values that belong to the fee. */
    metadata: Metadata,
  }),
])

/** A fee for the platform. */
export interface FeeOption extends t.TypeOf<typeof feeOption> {}

export const FeeOption: Codec<FeeOption> = ruled<FeeOption>(
  rule(
    'type',
    '"PERCENTAGE" when source_type is CONVERSION',
    ({ type, source_type }) => source_type !== 'CONVERSION' || type === 'PERCENTAGE',
  ),
  rule(
    'amount',
    'given when type is FIXED',
    ({ type, amount }) => type !== 'FIXED' || amount !== undefined,
  ),
  rule(
    'currency',
    'given when type is FIXED',
    ({ type, currency }) => type !== 'FIXED' || currency !== undefined,
  ),
  rule(
    'percentage',
    'filled when type is PERCENTAGE',
    ({ type, percentage = '' }) => type !== 'PERCENTAGE' || percentage !== '',
  ),
)(feeOption)
