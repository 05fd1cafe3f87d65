import { at, type Constraint } from './Constraint.js'
import { currency, needed, optionalText } from './shared.js'

const ADD = 'POST /api/v1/batch_transfers/{id}/add_items'

const item = {
  reason: 'wages_salary',
  reference: 'Salary',
  request_id: 'r',
  source_currency: 'USD',
  transfer_currency: 'EUR',
  transfer_method: 'SWIFT',
}

const named = (metadata: object) => ({ ...item, metadata })

/** Without a prototype. */
const bare = (fields: object): object => Object.assign(Object.create(null), fields)

const items = (n: number) => Array.from({ length: n }, (_, i) => ({ ...item, request_id: `r${i}` }))

const bank = { account_currency: 'AUD', account_name: 'Jo Blake', bank_country_code: 'AU' }

const beneficiary = { entity_type: 'PERSONAL', bank_details: { ...bank, account_number: '12345' } }

const fee = 'items[0].application_fee_options[0]'

const details = 'items[0].beneficiary.bank_details'

const fixed = { type: 'FIXED', source_type: 'TRANSFER', amount: '1', currency: 'EUR' }

const share = { type: 'PERCENTAGE', source_type: 'CONVERSION', percentage: '1' }

const fees = (...options: ReadonlyArray<unknown>) => ({ ...item, application_fee_options: options })

const rules: ReadonlyArray<Omit<Constraint, 'route'>> = [
  {
    field: 'items',
    good: [items(1), items(100)],
    bad: [items(0), items(101)],
    expected: 'a list of 1 to 100 items (to send more, use addAllItems)',
  },
  {
    field: 'items',
    good: [
      [item, item],
      [item, Object.fromEntries(Object.entries(item).reverse())],
      [named({ a: '1', b: '2' }), named(bare({ b: '2', a: '1' }))],
      [item, { ...item, request_id: 's', reference: 'Bonus' }],
    ],
    bad: [
      [item, { ...item, reference: 'Bonus' }],
      [named(bare({ a: '1' })), named(bare({ a: '2' }))],
      [named({ a: Object(1) }), named({ a: Object(2) })],
      [named({ a: 1n }), named({ a: 2n })],
    ],
    path: 'items[1].request_id',
    expected: 'unique, except among identical items',
  },
  ...at(ADD, ['items[0].reason', 'items[0].reference'], needed),
  {
    field: 'items[0].request_id',
    good: ['no UUID'],
    bad: [undefined, ''],
    expected: 'a non-empty string',
  },
  { field: 'items[0].source_currency', ...currency, good: ['USD', 'EUR'] },
  { field: 'items[0].transfer_currency', ...currency, good: ['EUR'] },
  {
    field: 'items[0].transfer_method',
    good: ['SWIFT', 'LOCAL'],
    bad: [undefined, 'local', 'WIRE'],
    expected: '"SWIFT" | "LOCAL"',
  },
  {
    field: 'items[0].beneficiary',
    good: [undefined, beneficiary, { ...beneficiary, digital_wallet: { provider: 'p' } }],
    bad: ['ben_1'],
    expected: 'object | an empty object',
  },
  {
    field: 'items[0].beneficiary',
    good: [beneficiary],
    bad: [{}],
    expected: 'omitted or non-empty when beneficiary_id is missing',
  },
  {
    field: 'items[0].beneficiary',
    good: [beneficiary],
    bad: [{ entity_type: 'PERSONAL' }, { entity_type: 'PERSONAL', digital_wallet: {} }],
    path: 'items[0].beneficiary.bank_details',
    expected: 'object',
  },
  {
    field: 'items[0].beneficiary_id',
    good: [undefined],
    bad: ['ben_1'],
    path: 'items[0].beneficiary',
    expected: 'omitted or empty when beneficiary_id is given',
  },
  {
    field: 'items[0]',
    good: [
      { ...item, beneficiary_id: 'ben_1' },
      { ...item, beneficiary: {}, beneficiary_id: 'ben_1' },
    ],
    bad: [{ ...item, beneficiary, beneficiary_id: 'ben_1' }],
    path: 'items[0].beneficiary',
    expected: 'omitted or empty when beneficiary_id is given',
  },
  {
    field: 'items[0].transfer_amount',
    good: [undefined],
    bad: [900],
    path: 'items[0].source_amount',
    expected: 'omitted when transfer_amount is given',
  },
  {
    field: 'items[0]',
    good: [
      { ...item, source_amount: '9.99' },
      { ...item, source_amount: 9.99 },
      { ...item, source_currency: 'JPY', source_amount: '10.00' },
      { ...item, source_currency: 'BHD', source_amount: '1.005' },
      { ...item, source_currency: 'QQQ', source_amount: '1.23456789' },
    ],
    bad: [
      { ...item, source_amount: 0.1 + 0.2 },
      { ...item, source_amount: '1.005' },
    ],
    path: 'items[0].source_amount',
    expected: 'an amount with at most 2 decimals, the maximum for USD',
  },
  {
    field: 'items[0]',
    good: [{ ...item, transfer_currency: 'JPY', transfer_amount: '10' }],
    bad: [
      { ...item, transfer_currency: 'JPY', transfer_amount: '10.5' },
      { ...item, transfer_currency: 'JPY', transfer_amount: 10.5 },
    ],
    path: 'items[0].transfer_amount',
    expected: 'an amount with at most 0 decimals, the maximum for JPY',
  },
  {
    field: 'items[0]',
    good: [{ ...item, transfer_amount: 0 }],
    bad: [
      { ...item, transfer_amount: -1 },
      { ...item, transfer_amount: '-1' },
      { ...item, transfer_amount: '1e3' },
    ],
    path: 'items[0].transfer_amount',
    expected: 'a number of at least 0, or plain decimal text such as "9.99"',
  },
  {
    field: 'items[0].fee_paid_by',
    good: [undefined, 'PAYER', 'BENEFICIARY', 'BOTH'],
    bad: [null, 7],
    expected: '"PAYER" | "BENEFICIARY" | string',
  },
  {
    field: 'items[0].swift_charge_option',
    good: [undefined, 'SHARED', 'PAYER', 'OURS'],
    bad: [null, 7],
    expected: '"SHARED" | "PAYER" | string',
  },
  // fee options
  {
    field: `${fee}.type`,
    good: ['FIXED'],
    bad: [undefined, 'fixed'],
    expected: '"FIXED" | "PERCENTAGE"',
  },
  {
    field: `${fee}.source_type`,
    good: [undefined, 'TRANSFER'],
    bad: ['CONVERSION'],
    path: `${fee}.type`,
    expected: '"PERCENTAGE" when source_type is CONVERSION',
  },
  {
    field: `${fee}.amount`,
    good: ['1', '150', '007'],
    bad: ['0', '-1', '1.50', '', 150],
    expected: 'a positive whole number as text, in the smallest unit',
  },
  { field: `${fee}.amount`, good: ['1'], bad: [undefined], expected: 'given when type is FIXED' },
  {
    field: `${fee}.currency`,
    good: ['USD', 'JPY'],
    bad: [undefined],
    expected: 'given when type is FIXED',
  },
  {
    field: 'items[0].application_fee_options[1].percentage',
    good: ['0.5'],
    bad: [undefined, ''],
    expected: 'non-empty when type is PERCENTAGE',
  },
  {
    field: 'items[0].application_fee_options[1].currency',
    good: [undefined, 'USD', 'EUR'],
    bad: ['GBP'],
    expected: "one of the item's currencies for a PERCENTAGE fee on a CONVERSION",
  },
  {
    field: 'items[0]',
    good: [
      fees(),
      fees(fixed, share),
      fees({ ...share, source_type: 'TRANSFER', currency: 'GBP' }),
    ],
    bad: [fees(fixed, { ...share, currency: 'GBP' })],
    path: 'items[0].application_fee_options[1].currency',
    expected: "one of the item's currencies for a PERCENTAGE fee on a CONVERSION",
  },
  // the beneficiary
  { field: 'items[0].beneficiary.entity_type', ...needed },
  { field: `${details}.account_currency`, ...currency },
  { field: `${details}.account_name`, ...needed },
  {
    field: `${details}.bank_country_code`,
    good: ['DE'],
    bad: [undefined, 'DEU', 'de', 'D'],
    expected: 'a country code of 2 capital letters',
  },
  {
    field: details,
    good: [
      { ...bank, account_number: '1' },
      { ...bank, iban: 'DE1' },
      { ...bank, account_number: '1', iban: 'DE1' },
      { ...bank, account_number: '', iban: 'DE1' },
    ],
    bad: [bank, { ...bank, account_number: '' }, { ...bank, iban: '' }],
    path: `${details}.account_number`,
    expected: 'non-empty when iban is missing or empty',
  },
  {
    field: `${details}.intermediary_bank_swift_code`,
    good: [undefined, 'COBADEFF', 'COBADEFF370'],
    bad: ['COBA-DEFF', 'COBADEF', 'COBADEFF3700'],
    expected: 'a SWIFT code of 8 or 11 letters and digits',
  },
  ...at(
    ADD,
    [
      `${details}.account_name_alias`,
      `${details}.account_number`,
      `${details}.account_routing_type1`,
      `${details}.account_routing_type2`,
      `${details}.account_routing_value1`,
      `${details}.account_routing_value2`,
      `${details}.bank_account_category`,
      `${details}.bank_branch`,
      `${details}.bank_name`,
      `${details}.bank_state`,
      `${details}.bank_street_address`,
      `${details}.binding_mobile_number`,
      `${details}.fingerprint`,
      `${details}.intermediary_bank_name`,
      `${details}.local_clearing_system`,
      `${details}.swift_code`,
      'items[0].beneficiary.additional_info.business_area',
      'items[0].beneficiary.additional_info.business_phone_number',
      'items[0].beneficiary.additional_info.business_registration_number',
      'items[0].beneficiary.additional_info.external_identifier',
      'items[0].beneficiary.additional_info.legal_rep_bank_account_number',
      'items[0].beneficiary.additional_info.legal_rep_first_name_in_chinese',
      'items[0].beneficiary.additional_info.legal_rep_id_number',
    ],
    optionalText,
  ),
]

export const batchItems = rules.map((rule): Constraint => ({ route: ADD, ...rule }))
