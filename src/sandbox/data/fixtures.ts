/** Reference data of the simulated account: cards, industries, currencies, holidays. */
import type { Bin, IndustryCategory } from '../../codec/reference.js'

// currencies

/** Units of a currency for one US dollar, for all currencies that the account can buy and sell. */
export const unitsPerDollar: Readonly<Record<string, number>> = {
  AUD: 1.52,
  BRL: 5.45,
  CAD: 1.37,
  CHF: 0.88,
  CNY: 7.18,
  CZK: 22.9,
  DKK: 6.87,
  EUR: 0.92,
  GBP: 0.78,
  HKD: 7.8,
  IDR: 16_200,
  INR: 83.6,
  JPY: 151,
  KRW: 1_370,
  MXN: 18.4,
  MYR: 4.6,
  NOK: 10.7,
  NZD: 1.66,
  PHP: 57.5,
  PLN: 3.96,
  SEK: 10.5,
  SGD: 1.34,
  THB: 36.2,
  TRY: 32.4,
  USD: 1,
  VND: 25_300,
  ZAR: 18.6,
}

/** Days on which nothing is converted, in addition to weekends, as MM-DD. */
export const holidays: Readonly<Record<string, string>> = {
  '01-01': "New Year's Day",
  '12-25': 'Christmas Day',
}

// cards

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

/** Entries by the first digits of a card number. There are several where account ranges overlap. */
export const cardRanges: ReadonlyArray<readonly [RegExp, ReadonlyArray<Bin>]> = [
  [/^42/, [visa, visaDeferred]],
  [/^4/, [visa]],
  [/^(5[1-5]|2[2-7])/, [mastercard]],
  [/^62/, [unionPay]],
  [/^3[47]/, [amex]],
]

/** Errors by the last four digits of a card number: status, code, message. */
export const cardErrors: Readonly<Record<string, readonly [number, string, string]>> = {
  '0400': [400, 'validation_error', 'The card number is not valid.'],
  '0401': [401, 'unauthorized', 'The credentials are missing, unknown or expired.'],
  '0403': [403, 'forbidden', 'This account may not look up cards.'],
  '0404': [404, 'not_found', 'Not found.'],
  '0500': [500, 'internal_error', 'Service unavailable.'],
}

// industries

/** The newer shape. The letter case of types varies, as it does in the examples of the API description. */
export const industryCodes: ReadonlyArray<IndustryCategory> = [
  {
    type: 'LIST',
    name: 'Retail',
    values: [
      { type: 'CODE', name: 'Clothing and accessories', value: 'ICCV3_000001' },
      {
        type: 'LIST',
        name: 'Electronics',
        values: [
          { type: 'code', name: 'Computers', value: 'ICCV3_000101' },
          {
            type: 'QUESTION',
            name: 'Mobile phones',
            question: 'Do you repair what you sell?',
            values: [
              { type: 'CODE', name: null, value: 'ICCV3_000102', answer: 'Yes' },
              { type: 'CODE', name: null, value: 'ICCV3_000103', answer: 'No' },
            ],
          },
        ],
      },
    ],
  },
  {
    type: 'LIST',
    name: 'Travel',
    values: [
      {
        type: 'question',
        name: 'Travel agencies',
        question: 'Do you take payments on behalf of others?',
        values: [
          { type: 'code', name: null, value: 'ICCV3_000201', answer: 'Yes' },
          { type: 'code', name: null, value: 'ICCV3_000202', answer: 'No' },
        ],
      },
    ],
  },
]

/** The older shape. */
export const industryCategories: ReadonlyArray<IndustryCategory> = [
  {
    type: 'industry_category',
    name: 'Retail',
    sub_items: [
      {
        type: 'industry_sub_category',
        name: 'Clothing and accessories',
        sub_items: [
          { type: 'industry_category_level3', name: 'Shoes', sub_items: [] },
          { type: 'industry_category_level3', name: 'Jewellery', sub_items: [] },
        ],
      },
      {
        type: 'industry_sub_category',
        name: 'Electronics',
        sub_items: [{ type: 'industry_category_level3', name: 'Computers', sub_items: [] }],
      },
    ],
  },
  {
    type: 'industry_category',
    name: 'Travel',
    sub_items: [
      {
        type: 'industry_sub_category',
        name: 'Travel agencies',
        sub_items: [{ type: 'industry_category_level3', name: 'Tour operators', sub_items: [] }],
      },
    ],
  },
]
