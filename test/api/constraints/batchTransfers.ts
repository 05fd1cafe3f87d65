import { at, type Constraint } from './Constraint.js'
import { needed, optionalText, pageSize } from './shared.js'

const CREATE = 'POST /api/v1/batch_transfers/create'

const LIST = 'GET /api/v1/batch_transfers'

const QUOTE = 'POST /api/v1/batch_transfers/{id}/quote'

const DELETE_ITEMS = 'POST /api/v1/batch_transfers/{id}/delete_items'

const ITEMS = 'GET /api/v1/batch_transfers/{id}/items'

const filled = { bad: ['', 7], expected: 'a non-empty string' }

const day = 'an ISO 8601 date, such as "2026-01-31"'

export const batchTransfers: ReadonlyArray<Constraint> = [
  { route: CREATE, field: 'request_id', good: [undefined, 'x'.repeat(200)], ...filled },
  {
    route: CREATE,
    field: 'funding_source',
    good: [undefined, {}, { id: 'la_1' }],
    bad: ['wallet', []],
    expected: 'object',
  },
  {
    route: CREATE,
    field: 'funding_source.deposit_type',
    good: [undefined, 'DIRECT_DEBIT', 'FASTER_DIRECT_DEBIT'],
    bad: ['WIRE', null],
    expected: '"DIRECT_DEBIT" | "FASTER_DIRECT_DEBIT"',
  },
  ...at(CREATE, ['funding_source.id', 'funding_source.reference', 'name', 'remarks'], optionalText),
  {
    route: CREATE,
    field: 'metadata',
    good: [undefined, {}, { key: 'value' }],
    bad: ['key=value', []],
    expected: 'object',
  },
  {
    route: CREATE,
    field: 'transfer_date',
    good: [undefined, ''],
    bad: ['2026-01-31'],
    expected: 'omitted or empty when funding_source has an id',
  },
  {
    route: CREATE,
    field: 'transfer_date',
    good: [undefined],
    bad: ['2026-02-30', '31.01.2026', new Date(0)],
    expected: day,
  },
  { route: 'GET /api/v1/batch_transfers/{id}', field: 'id', ...needed },
  { route: LIST, field: 'page_size', ...pageSize(1, 50) },
  ...at(LIST, ['page', 'request_id', 'short_reference_id'], optionalText),
  {
    route: LIST,
    field: 'status',
    good: [
      undefined,
      'DRAFTING',
      'IN_APPROVAL',
      'APPROVAL_RECALLED',
      'APPROVAL_REJECTED',
      'APPROVAL_BLOCKED',
      'SCHEDULED',
      'OVERDUE',
      'BOOKING',
      'PARTIALLY_BOOKED',
      'BOOKED',
      'FAILED',
      'CANCELLATION_REQUESTED',
      'CANCELLED',
    ],
    bad: ['NEW', 'drafting'],
    expected:
      '"DRAFTING" | "IN_APPROVAL" | "APPROVAL_RECALLED" | "APPROVAL_REJECTED" | "APPROVAL_BLOCKED" | "SCHEDULED" | "OVERDUE" | "BOOKING" | "PARTIALLY_BOOKED" | "BOOKED" | "FAILED" | "CANCELLATION_REQUESTED" | 1 more',
  },
  {
    route: QUOTE,
    field: 'validity',
    good: [undefined, 'MIN_1', 'MIN_15', 'MIN_30', 'HR_1', 'HR_4', 'HR_8', 'HR_24', 'HR_48'],
    bad: [60, null],
    expected: '"MIN_1" | "MIN_15" | "MIN_30" | "HR_1" | "HR_4" | "HR_8" | "HR_24" | string',
  },
  {
    route: DELETE_ITEMS,
    field: 'item_ids',
    good: [['itm_1'], Array.from({ length: 1_000 }, (_, i) => `itm_${i}`)],
    bad: [[]],
    expected: 'a list of at least 1 item id',
  },
  { route: ITEMS, field: 'page_size', ...pageSize(1, 1_000) },
]
