/** Why the calls of batch transfers are refused; the codes are not specified by the interface document. */
import {
  type NewBatchTransfer,
  newBatchTransferRules,
  QuoteValidity,
} from '../../codec/BatchTransfer.js'
import { ITEMS_PER_BATCH } from '../../codec/NewBatchItem.js'
import { O } from '../../fp.js'
import { type ApiError, apiError, invalid } from '../ApiError.js'

export const duplicate = apiError(
  400,
  'batch_request_id_duplicate',
  'A batch with this request_id was made before.',
  'request_id',
)

/** Adding items has a code of its own. */
export const notOpen = apiError(
  400,
  'add_batch_item_unsupported',
  'Items are added to a batch in DRAFTING only.',
)

export const repeatedItem = apiError(
  400,
  'request_id_in_batch_duplicate',
  'The batch has an item with this request_id.',
  'items.request_id',
)

export const tooManyItems = invalid(`A batch takes up to ${ITEMS_PER_BATCH} items.`, 'items')

export const emptyBatch = invalid('There is no valid item in the batch.', 'id')

export const expiredQuote = invalid('The quote of the batch has expired.', 'quote_summary')

/** The account has those of the interface, and no other. */
export const notAValidity = invalid(`validity must be ${QuoteValidity.name}.`, 'validity')

export const onlyIn = (states: string): ApiError =>
  invalid(`This can be done to a batch in ${states} only.`, 'status')

const dateInvalid = apiError(
  400,
  'transfer_date_invalid',
  'transfer_date must be today or later.',
  'transfer_date',
)

const metadataTooLarge = apiError(
  400,
  'metadata_above_size_limit',
  'metadata must have fewer than 15 keys and 4,500 characters.',
  'metadata',
)

const unknownSource = apiError(
  400,
  'invalid_funding_source',
  'There is no such linked account.',
  'funding_source.id',
)

/** What is wrong with a batch to make, besides what its codec says; `now` in ms since 1970. */
export const problemOf = (asked: NewBatchTransfer, now: number): O.Option<ApiError> => {
  const { metadata = {}, funding_source } = asked
  if (newBatchTransferRules(now).some(({ broken }) => broken(asked).length > 0)) {
    return O.some(dateInvalid)
  }
  if (Object.keys(metadata).length >= 15 || JSON.stringify(metadata).length >= 4_500) {
    return O.some(metadataTooLarge)
  }
  return funding_source?.id?.endsWith('_unknown') === true ? O.some(unknownSource) : O.none
}
