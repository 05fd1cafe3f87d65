import { BatchItem, BatchItemFilter } from '../codec/BatchItem.js'
import {
  BatchFilter,
  BatchTransfer,
  NewBatchTransfer,
  newBatchTransferRules,
  QuoteRequest,
  shownOfBatch,
} from '../codec/BatchTransfer.js'
import { Acknowledgement, ById } from '../codec/common.js'
import { ItemsToAdd, ItemsToDelete, uniqueRequestIds } from '../codec/NewBatchItem.js'
import { endpoint } from './Endpoint.js'
import { byCursor } from './Paging.js'

export const batchTransfers = {
  /** Creates a batch of transfers, in state `DRAFTING`; its items are added afterwards. */
  create: endpoint('POST /api/v1/batch_transfers/create', {
    params: NewBatchTransfer,
    success: BatchTransfer,
    otherErrors: [
      'invalid_argument',
      'batch_request_id_duplicate',
      'transfer_date_invalid',
      'metadata_above_size_limit',
      'invalid_deposit_type',
      'invalid_funding_source',
    ],
    rules: newBatchTransferRules,
    repeatable: 'by request_id',
    foundBy: 'GET /api/v1/batch_transfers',
    knownBy: shownOfBatch,
  }),

  /** Returns one batch, in its current state. */
  retrieve: endpoint('GET /api/v1/batch_transfers/{id}', {
    params: ById,
    success: BatchTransfer,
    errors: { 400: ['field_required', 'invalid_argument'] },
  }),

  /** Lists the batches that match the filter. */
  list: endpoint('GET /api/v1/batch_transfers', {
    params: BatchFilter,
    success: BatchTransfer,
    errors: { 400: ['field_required', 'invalid_argument'] },
    paging: byCursor(50),
  }),

  /** Adds up to 100 items to a batch in `DRAFTING`. Items with wrong data are kept as invalid. */
  addItems: endpoint('POST /api/v1/batch_transfers/{id}/add_items', {
    params: ItemsToAdd,
    success: BatchTransfer,
    otherErrors: [
      'transfer_amount_currency_unsupported',
      'request_id_in_batch_duplicate',
      'add_batch_item_unsupported',
    ],
    rules: () => [uniqueRequestIds],
    repeatable: 'by request_id of items',
    unspecified: ['success'],
  }),

  /** Quotes the valid items of a batch. Safe to repeat, because no money moves. */
  quote: endpoint('POST /api/v1/batch_transfers/{id}/quote', {
    params: QuoteRequest,
    success: BatchTransfer,
    repeatable: 'as it is',
    unspecified: ['params', 'success'],
  }),

  /** Submits the valid items of a batch for approval and booking. This moves the money. */
  submit: endpoint('POST /api/v1/batch_transfers/{id}/submit', {
    params: ById,
    success: BatchTransfer,
    unspecified: ['params', 'success'],
  }),

  /** Deletes a batch in `DRAFTING`. */
  delete: endpoint('POST /api/v1/batch_transfers/{id}/delete', {
    params: ById,
    success: Acknowledgement,
    answer: 'anything',
    unspecified: ['params', 'success'],
  }),

  /** Deletes items from a batch in `DRAFTING`, by their own ids. */
  deleteItems: endpoint('POST /api/v1/batch_transfers/{id}/delete_items', {
    params: ItemsToDelete,
    success: BatchTransfer,
    unspecified: ['params', 'success'],
  }),

  /** Lists the items of a batch. */
  items: endpoint('GET /api/v1/batch_transfers/{id}/items', {
    params: BatchItemFilter,
    success: BatchItem,
    paging: byCursor(1_000),
    unspecified: ['params', 'success', 'paging'],
  }),
}
