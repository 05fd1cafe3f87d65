/** What is known of cards, by how their numbers begin; and numbers that are refused on purpose. */
import type { Bin } from '../../codec/Bin.js'
import { type ApiError, apiError } from '../ApiError.js'
import { unauthorized } from '../auth.js'

const visa: Bin = {
  card_brand: 'visa',
  card_type: 'credit',
  commercial_card: false,
  issuer_country_code: 'US',
  issuer_name: 'Sandbox Bank',
  product_code: 'F',
  product_description: 'Visa Classic',
  product_subtype_code: 'VC',
  product_subtype_description: 'Visa Classic Credit',
}

const visaDeferred: Bin = {
  ...visa,
  card_type: 'deferred_debit',
  commercial_card: true,
  issuer_country_code: 'FR',
  product_code: 'G',
  product_description: 'Visa Business',
  product_subtype_code: 'VB',
  product_subtype_description: 'Visa Business Deferred Debit',
}

const mastercard: Bin = {
  card_brand: 'mastercard',
  card_type: 'debit',
  commercial_card: false,
  issuer_country_code: 'GB',
  issuer_name: 'Sandbox Bank',
  product_code: 'MDS',
  product_description: 'Debit Mastercard',
  product_subtype_code: 'DMC',
  product_subtype_description: 'Debit Mastercard (standard)',
}

const unionPay: Bin = {
  card_brand: 'union pay',
  card_type: 'credit',
  commercial_card: false,
  issuer_country_code: 'CN',
  issuer_name: 'Sandbox Bank',
  product_code: 'UNION_PAY_GOLD',
  product_description: 'UnionPay Gold',
  product_subtype_code: '03',
  product_subtype_description: 'Gold',
}

const amex: Bin = {
  card_brand: 'american express',
  card_type: 'corporate',
  commercial_card: true,
  issuer_country_code: 'US',
  issuer_name: 'Sandbox Bank',
  product_code: 'GRN',
  product_description: 'Corporate Green',
  product_subtype_code: 'CGR',
  product_subtype_description: 'Corporate Green Card',
}

/** Several entries where account ranges overlap. */
const ranges: ReadonlyArray<readonly [RegExp, ReadonlyArray<Bin>]> = [
  [/^42/, [visa, visaDeferred]],
  [/^4/, [visa]],
  [/^(5[1-5]|2[2-7])/, [mastercard]],
  [/^62/, [unionPay]],
  [/^3[47]/, [amex]],
]

/** None for a number that no scheme has. */
export const binsOf = (pan: string): Array<Bin> => [
  ...(ranges.find(([begins]) => begins.test(pan))?.[1] ?? []),
]

const refusals: Readonly<Record<string, ApiError>> = {
  '0400': apiError(400, 'validation_error', 'The card number is not valid.'),
  '0401': unauthorized,
  '0403': apiError(403, 'forbidden', 'This account may not look up cards.'),
  '0404': apiError(404, 'not_found', 'There is no such resource.'),
  '0500': apiError(500, 'internal_error', 'Service unavailable.'),
}

/** The last four digits may ask for an error, by its status. */
export const refusalOf = (pan: string): ApiError | undefined => refusals[pan.slice(-4)]
