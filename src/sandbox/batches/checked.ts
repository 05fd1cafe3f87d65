/** Items of a batch as they were sent: wrong ones are kept, with what is wrong. */
import type { BatchItem } from '../../codec/BatchItem.js'
import { NewBatchItem } from '../../codec/NewBatchItem.js'
import { causes } from '../../decode/index.js'
import { E, pipe } from '../../fp.js'
import { isWithinReach } from '../rates.js'

// model

export type ItemErrors = NonNullable<BatchItem['errors']>

/** An item to be booked, or why it is not. */
export type Checked = E.Either<ItemErrors, NewBatchItem>

// constructors

export const error = (code: string, source: string): ItemErrors => [{ code, source, params: {} }]

/** An item whose reference ends so is invalid, whatever else it says. */
const INVALID = '_invalid'

/** An item whose reference ends so is not booked. */
const UNBOOKABLE = '_failed'

export const isBookable = ({ reference }: NewBatchItem): boolean => !reference.endsWith(UNBOOKABLE)

const isPriceable = ({ source_amount = 0, transfer_amount = 0 }: NewBatchItem): boolean =>
  isWithinReach(source_amount) && isWithinReach(transfer_amount)

export const checked = (item: unknown): Checked =>
  pipe(
    NewBatchItem.decode(item),
    E.mapLeft(
      (errors): ItemErrors =>
        causes(errors).map(({ path, expected, actual }) => ({
          code: actual === 'missing' ? 'field_required' : 'invalid_argument',
          source: path,
          params: { expected },
        })),
    ),
    E.filterOrElse(
      ({ reference }) => !reference.endsWith(INVALID),
      () => error('invalid_argument', 'reference'),
    ),
    E.filterOrElse(isPriceable, ({ source_amount }) =>
      error('invalid_argument', source_amount === undefined ? 'transfer_amount' : 'source_amount'),
    ),
  )
