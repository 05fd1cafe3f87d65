import { type Open, open } from '../decode/index.js'
import type { Codec } from './Codec.js'

/** `account.dormant` and `account.closed` are known from API version 2026-08-21 on. */
const accountEvents = [
  'account.active',
  'account.connected',
  'account.suspended',
  'account.dormant',
  'account.closed',
] as const

const spendBillEvents = [
  'spend.bill.awaiting_approval',
  'spend.bill.awaiting_payment',
  'spend.bill.payment_in_progress',
  'spend.bill.paid',
  'spend.bill.rejected',
  'spend.bill.scheduled',
  'spend.bill.deleted',
  'spend.bill.updated',
] as const

const spendExpenseEvents = [
  'spend.expense.draft',
  'spend.expense.awaiting_approval',
  'spend.expense.rejected',
  'spend.expense.approved',
  'spend.expense.archived',
  'spend.expense.deleted',
  'spend.expense.updated',
] as const

const issuingTransactionEvents = [
  'issuing.transaction.succeeded',
  'issuing.transaction.failed',
] as const

const issuingDisputeEvents = [
  'issuing.transaction_dispute.created',
  'issuing.transaction_dispute.submitted',
  'issuing.transaction_dispute.accepted',
  'issuing.transaction_dispute.rejected',
  'issuing.transaction_dispute.cancelled',
  'issuing.transaction_dispute.expired',
  'issuing.transaction_dispute.won',
  'issuing.transaction_dispute.lost',
  'issuing.transaction_dispute.modified',
] as const

// defaults, not specified by the interface document

const chargeEvents = [
  'charge.new',
  'charge.pending',
  'charge.settled',
  'charge.suspended',
  'charge.failed',
] as const

/** The name of a batch's state. Webhooks before version 2024-09-27 leave out `payout.`. */
const batchTransferEvents = [
  'payout.batch_transfers.drafting',
  'payout.batch_transfers.in_approval',
  'payout.batch_transfers.approval_recalled',
  'payout.batch_transfers.approval_rejected',
  'payout.batch_transfers.approval_blocked',
  'payout.batch_transfers.scheduled',
  'payout.batch_transfers.overdue',
  'payout.batch_transfers.booking',
  'payout.batch_transfers.partially_booked',
  'payout.batch_transfers.booked',
  'payout.batch_transfers.failed',
  'payout.batch_transfers.cancellation_requested',
  'payout.batch_transfers.cancelled',
  'payout.batch_transfers.funding.scheduled',
  'payout.batch_transfers.funding.processing',
  'payout.batch_transfers.funding.funded',
  'payout.batch_transfers.funding.failed',
  'payout.batch_transfers.funding.reversed',
  'payout.batch_transfers.funding.cancelled',
] as const

const connectionEvents = ['partner_connection.disconnected', 'connection.disconnected'] as const

const known = open(
  ...accountEvents,
  ...spendBillEvents,
  ...spendExpenseEvents,
  ...issuingTransactionEvents,
  ...issuingDisputeEvents,
  ...chargeEvents,
  ...batchTransferEvents,
  ...connectionEvents,
)

/** The events with names that are known here. */
export type KnownEvent = (typeof known.known)[number]

/**
 * The events that a webhook can subscribe to. The interface names those of accounts, spend and issuing;
 * the others are defaults, not specified by it. Events may be added, so any other text passes.
 */
export type EventName = Open<KnownEvent>

export const EventName: Codec<EventName> = known

/** All names that are known here. */
export const eventNames: ReadonlyArray<KnownEvent> = Object.freeze(known.known)
