/**
 * The example of each call. The examples of a page form one program, which begins with `opening`. The docs test runs it, and
 * compares its output with the comments after `console.log`.
 */

interface Opening {
  /** Names imported from `payments-rx`, in addition to `createClient`. */
  readonly names: string
  readonly operators?: string
  readonly sandboxNames?: string
  readonly clientLines?: string
  /** Options of the sandbox. */
  readonly sandbox?: string
}

const opening = ({
  names,
  operators,
  sandboxNames = '',
  clientLines = '',
  sandbox = '',
}: Opening): string =>
  [
    `import { createClient, ${names} } from 'payments-rx'`,
    `import { createSandbox, sandboxCredentials${sandboxNames} } from 'payments-rx/sandbox'`,
    ...(operators === undefined ? [] : [`import { ${operators} } from 'rxjs'`]),
    '',
    'const payments = createClient({',
    "  baseUrl: 'https://sandbox',",
    '  credentials: sandboxCredentials,',
    `${clientLines}  fetch: createSandbox(${sandbox}).fetch,`,
    '})',
  ].join('\n')

/** First lines of each page's program, by resource. */
export const openings: Readonly<Record<string, string>> = {
  charges: opening({
    names: 'orThrow, toError, unwrap',
    operators: 'lastValueFrom, take, toArray',
    sandbox: '{ charges: 100, seed: 7 }',
  }),
  batchTransfers: opening({
    names: 'orThrow, toError, unwrap',
    operators: 'lastValueFrom, toArray',
  }),
  reference: opening({ names: 'industriesUnder, industryKindOf, unwrap' }),
  webhooks: opening({ names: 'orThrow, toError, unwrap', operators: 'lastValueFrom, toArray' }),
  partnerWebhooks: opening({
    names: 'orThrow, toError, unwrap',
    operators: 'lastValueFrom, toArray',
    sandboxNames: ', sandboxPartner',
    clientLines: '  partner: sandboxPartner,\n',
  }),
}

/** The examples, by the name of the operation. */
export const snippets: Readonly<Record<string, string>> = {
  'charges.create': `const charge = await unwrap(
  payments.charges.create({
    amount: '100.50',
    currency: 'USD',
    reason: 'goods_purchased',
    reference: 'Invoice 4711',
    source: 'acct_1',
  }),
)
console.log(charge.status, charge.amount) // NEW 100.5`,
  'charges.retrieve': `const sameCharge = await unwrap(payments.charges.retrieve({ id: charge.id }))
console.log(sameCharge.reference) // Invoice 4711`,
  'charges.list': `const settled = payments.charges.list({ status: 'SETTLED', page_size: 50 })
const three = await lastValueFrom(settled.pipe(orThrow(toError), take(3), toArray()))
console.log(three.map(({ status }) => status).join(' ')) // SETTLED SETTLED SETTLED`,

  'batchTransfers.create': `const batch = await unwrap(
  payments.batchTransfers.create({ request_id: 'payroll-2026-01', name: 'Payroll January' }),
)
console.log(batch.status) // DRAFTING`,
  'batchTransfers.retrieve': `const sameBatch = await unwrap(payments.batchTransfers.retrieve({ id: batch.id }))
console.log(sameBatch.name) // Payroll January`,
  'batchTransfers.list': `const drafts = payments.batchTransfers.list({ status: 'DRAFTING' })
const all = await lastValueFrom(drafts.pipe(orThrow(toError), toArray()))
console.log(all.length) // 1`,
  'batchTransfers.addItems': `const wage = {
  reason: 'wages_salary',
  reference: 'Salary January',
  source_currency: 'USD',
  transfer_currency: 'EUR',
  transfer_method: 'LOCAL',
  source_amount: 1_000,
  beneficiary: {
    entity_type: 'PERSONAL',
    bank_details: {
      account_currency: 'EUR',
      account_name: 'Erika Mustermann',
      bank_country_code: 'DE',
      iban: 'DE89370400440532013000',
    },
  },
} as const
const filled = await unwrap(
  payments.batchTransfers.addItems({
    id: batch.id,
    items: [
      { ...wage, request_id: 'wage-1' },
      { ...wage, request_id: 'wage-2' },
    ],
  }),
)
console.log(filled.valid_item_count) // 2`,
  'batchTransfers.quote': `const quoted = await unwrap(payments.batchTransfers.quote({ id: batch.id, validity: 'MIN_15' }))
console.log(quoted.quote_summary?.quotes?.[0]?.currency_pair) // USDEUR`,
  'batchTransfers.submit': `const submitted = await unwrap(payments.batchTransfers.submit({ id: batch.id }))
console.log(submitted.status) // SCHEDULED`,
  'batchTransfers.delete': `const draft = await unwrap(payments.batchTransfers.create({ name: 'A draft' }))
await unwrap(payments.batchTransfers.delete({ id: draft.id }))`,
  'batchTransfers.deleteItems': `const { id } = await unwrap(payments.batchTransfers.create({ name: 'Bonuses' }))
await unwrap(payments.batchTransfers.addItems({ id, items: [{ ...wage, request_id: 'bonus-1' }] }))
const [bonus] = await lastValueFrom(
  payments.batchTransfers.items({ id }).pipe(orThrow(toError), toArray()),
)
const empty = await unwrap(
  payments.batchTransfers.deleteItems({ id, item_ids: [bonus?.id ?? ''] }), // not its request_id
)
console.log(empty.total_item_count) // 0`,
  'batchTransfers.items': `const items = await lastValueFrom(
  payments.batchTransfers.items({ id: batch.id }).pipe(orThrow(toError), toArray()),
)
console.log(items.map(({ request_id }) => request_id).join(' ')) // wage-1 wage-2`,

  'reference.industryCategories': `const [top] = await unwrap(payments.reference.industryCategories())
console.log(top && industryKindOf(top), top && industriesUnder(top).length) // list 2`,
  'reference.invalidConversionDates': `const { currency_pair } = await unwrap(
  payments.reference.invalidConversionDates({ currency_pair: 'EURUSD' }),
)
console.log(currency_pair) // EURUSD`,
  'reference.supportedCurrencies': `const { conversion } = await unwrap(payments.reference.supportedCurrencies())
console.log(conversion.sell_currencies.includes('USD')) // true`,
  'reference.expiringQuota': `const expiring = await unwrap(payments.reference.expiringQuota({ type: 'CN_INBOUND' }))
console.log(expiring.currency) // USD`,
  'reference.quota': `const quota = await unwrap(payments.reference.quota({ type: 'CN_INBOUND' }))
console.log(quota.currency) // USD`,
  'reference.upload': `await unwrap(
  payments.reference.upload({
    items: [
      {
        category: 'goods_trade_online',
        currency: 'USD',
        item_name: 'Desk lamp',
        item_quantity: 3,
        item_unit_price: 19.9,
        item_url: 'https://shop.example/lamps/1',
        line_total: 59.7,
        order_datetime: new Date(),
        order_id: 'SO-1',
        shipment_provider: 'DHL',
        shipment_tracking_number: 'JD0146000',
      },
    ],
    allow_partial_success: false, // one invalid item rejects them all
    types: ['CN_INBOUND'],
  }),
)`,
  'reference.lookUpBin': `const [card] = await unwrap(payments.reference.lookUpBin({ pan: '4111 1111 1111 1111' }))
console.log(card?.card_brand) // visa`,

  'webhooks.create': `const webhook = await unwrap(
  payments.webhooks.create({
    url: 'https://shop.example/events',
    events: ['account.active', 'issuing.transaction.succeeded'],
    version: '2026-08-21',
  }),
)
console.log(webhook.secret === '') // false`,
  'webhooks.retrieve': `const sameWebhook = await unwrap(payments.webhooks.retrieve({ id: webhook.id }))
console.log(sameWebhook.version) // 2026-08-21`,
  'webhooks.list': `const webhooks = await lastValueFrom(
  payments.webhooks.list().pipe(orThrow(toError), toArray()),
)
console.log(webhooks.length) // 1`,
  'webhooks.update': `const moved = await unwrap(
  payments.webhooks.update({ id: webhook.id, url: 'https://shop.example/events/2' }),
)
console.log(moved.url) // https://shop.example/events/2`,
  'webhooks.delete': `const gone = await unwrap(payments.webhooks.delete({ id: webhook.id }))
console.log(gone.deleted) // true`,

  'partnerWebhooks.create': `const webhook = await unwrap(
  payments.partnerWebhooks.create({
    url: 'https://partner.example/events',
    events: ['account.active', 'spend.bill.paid'],
    version: '2026-08-21',
  }),
)
console.log(webhook.events.length) // 2`,
  'partnerWebhooks.retrieve': `const sameWebhook = await unwrap(payments.partnerWebhooks.retrieve({ id: webhook.id }))
console.log(sameWebhook.url) // https://partner.example/events`,
  'partnerWebhooks.list': `const webhooks = await lastValueFrom(
  payments.partnerWebhooks.list({ page_size: 20 }).pipe(orThrow(toError), toArray()),
)
console.log(webhooks.length) // 1`,
  'partnerWebhooks.update': `const moved = await unwrap(
  payments.partnerWebhooks.update({ id: webhook.id, url: 'https://partner.example/v2' }),
)
console.log(moved.url) // https://partner.example/v2`,
  'partnerWebhooks.connect': `await unwrap(
  payments.partnerWebhooks.connect({
    id: webhook.id,
    account_id: 'acct_1',
    org_id: 'org_1', // needed, since the webhook listens to Spend events
  }),
)`,
  'partnerWebhooks.disconnect': `await unwrap(payments.partnerWebhooks.disconnect({ id: webhook.id, account_id: 'acct_1' }))`,
  'partnerWebhooks.delete': `await unwrap(payments.partnerWebhooks.delete({ id: webhook.id }))`,
}
