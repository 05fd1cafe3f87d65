/** The shapes of the items, in one place, so that all libraries check the same data. */
import * as p from './texts.ts'

export type Shape =
  | 'text'
  | 'number'
  | { readonly oneOf: ReadonlyArray<string> }
  | { readonly nullable: Shape }
  | { readonly list: Shape }
  | { readonly record: Shape }
  | ObjectShape

export interface ObjectShape {
  readonly fields: Readonly<Record<string, Shape>>
  readonly optional?: Readonly<Record<string, Shape>>
}

export const charge: ObjectShape = {
  fields: {
    id: 'text',
    amount: 'number',
    currency: 'text',
    reason: { oneOf: p.reasons },
    reference: 'text',
    request_id: 'text',
    source: 'text',
    fee: 'number',
    short_reference_id: 'text',
    status: { oneOf: p.statuses },
    created_at: 'text',
    updated_at: 'text',
  },
}

const failure: Shape = {
  fields: {
    code: 'text',
    iso_code: 'text',
    provider_failure_details: {
      fields: { code: 'text', local_clearing_system: { oneOf: p.clearings }, message: 'text' },
    },
  },
}

const quote: Shape = {
  fields: {
    amount_beneficiary_receives: 'number',
    amount_payer_pays: 'number',
    client_rate: { nullable: 'number' },
    currency_pair: { nullable: 'text' },
    fee_amount: 'number',
    fee_currency: 'text',
    source_currency: 'text',
    transfer_currency: 'text',
  },
}

export const transfer: ObjectShape = {
  fields: {
    id: 'text',
    request_id: 'text',
    short_reference_id: 'text',
    name: 'text',
    remarks: 'text',
    metadata: { record: 'text' },
    transfer_date: 'text',
    status: { oneOf: p.batchStatuses },
    total_item_count: 'number',
    valid_item_count: 'number',
    funding: {
      fields: {
        status: { oneOf: p.fundings },
        deposit_type: { oneOf: p.deposits },
        funding_source_id: { nullable: 'text' },
        reference: 'text',
        failure_reason: 'text',
      },
      optional: { failure_details: failure },
    },
    quote_summary: {
      fields: {
        expires_at: 'text',
        last_quoted_at: 'text',
        validity: { oneOf: p.validities },
        quotes: { list: quote },
      },
    },
    updated_at: 'text',
  },
}

/** `fields` and `optional` in the form that a library requires. */
export const mapFields = <A>(
  fields: Readonly<Record<string, Shape>> | undefined,
  f: (shape: Shape) => A,
): Record<string, A> =>
  Object.fromEntries(Object.entries(fields ?? {}).map(([key, shape]) => [key, f(shape)]))
