import { at, type Constraint } from './Constraint.js'
import { currency, lengthOf, needed, optionalText, pageSize, time } from './shared.js'

const CREATE = 'POST /api/v1/charges/create'

const LIST = 'GET /api/v1/charges'

const REASONS =
  '"wages_salary" | "donation_charitable_contribution" | "personal_remittance" | "transfer_to_own_account" | "pension" | "family_support" | "living_expenses" | "education_training" | "travel" | "investment_proceeds" | "investment_capital" | "loan_credit_repayment" | 10 more'

export const charges: ReadonlyArray<Constraint> = [
  {
    route: CREATE,
    field: 'amount',
    good: ['100', '0.01', '9.990', 9.99, 100, 1e21],
    bad: [undefined, '', '1e3', '-1', '1.', '.5', ' 1', -1e-7, Number.NaN],
    expected: 'a number of at least 0, or plain decimal text such as "9.99"',
  },
  {
    route: CREATE,
    field: 'amount',
    good: ['9.9', 9.99],
    bad: ['1.005', 0.1 + 0.2, 1e-7],
    expected: 'an amount with at most 2 decimals, the maximum for USD',
  },
  { route: CREATE, field: 'currency', ...currency },
  {
    route: CREATE,
    field: 'reason',
    good: [
      'wages_salary',
      'donation_charitable_contribution',
      'personal_remittance',
      'transfer_to_own_account',
      'pension',
      'family_support',
      'living_expenses',
      'education_training',
      'travel',
      'investment_proceeds',
      'investment_capital',
      'loan_credit_repayment',
      'taxes',
      'goods_purchased',
      'business_expenses',
      'medical_services',
      'professional_business_services',
      'technical_services',
      'other_services',
      'construction',
      'freight',
      'real_estate',
    ],
    bad: [undefined, 'gift', 'PENSION'],
    expected: REASONS,
  },
  { route: CREATE, field: 'reference', ...lengthOf(1, 140) },
  { route: CREATE, field: 'request_id', ...lengthOf(1, 50) },
  { route: CREATE, field: 'source', ...needed },
  { route: 'GET /api/v1/charges/{id}', field: 'id', ...needed },
  { route: LIST, field: 'currency', ...currency },
  ...at(LIST, ['from_created_at', 'to_created_at'], time),
  {
    route: LIST,
    field: 'page_num',
    good: [undefined, 0, 1_000_000, '3'],
    bad: [-1, 0.5, '1.0', null],
    expected: 'a whole number from 0',
  },
  { route: LIST, field: 'page_size', ...pageSize(10, 2_000) },
  ...at(LIST, ['request_id', 'source'], optionalText),
  {
    route: LIST,
    field: 'status',
    good: [undefined, 'NEW', 'PENDING', 'SETTLED', 'SUSPENDED', 'FAILED'],
    bad: ['BOOKED', 'new'],
    expected: '"NEW" | "PENDING" | "SETTLED" | "SUSPENDED" | "FAILED"',
  },
]
