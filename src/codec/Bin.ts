/** Card account ranges. */
import * as t from 'io-ts'
import { open } from '../decode/index.js'
import { type Codec, described, patternOf } from './Codec.js'
import { nullable } from './shapes.js'

const digits = (text: string): string => text.replace(/[ -]/g, '')

const shape = /^\d{12,19}$/

const isNumber = (u: unknown): u is string => typeof u === 'string' && shape.test(u)

/**
 * A card number of 12 to 19 digits (default, not specified by the interface document); spaces and
 * hyphens between them are taken out. It is repeated in no error.
 */
const CardNumber: Codec<string> = described(
  new t.Type<string, unknown, unknown>(
    'a card number of 12 to 19 digits',
    isNumber,
    (u, context) => {
      const bare = typeof u === 'string' ? digits(u) : u
      return isNumber(bare) ? t.success(bare) : t.failure(u, context)
    },
    (text) => (typeof text === 'string' ? digits(text) : text),
  ),
  patternOf(shape, { 'x-not-specified': ['pattern'] }),
)

const byCardNumber = t.exact(
  t.type({
    /** The card number. Sent as `x-pan`, and found in no error, event or log. */
    pan: CardNumber,
  }),
)

/**
 * The card to look up; nothing else of it is sent. Handling card numbers is subject to the rules of the card
 * industry (PCI DSS).
 */
export type ByCardNumber = t.TypeOf<typeof byCardNumber>

export const ByCardNumber: Codec<ByCardNumber> = byCardNumber

const bin = t.intersection([
  t.type({
    /** The scheme of the card. */
    card_brand: open('visa', 'mastercard', 'union pay', 'american express'),
    /** The type of the card; each scheme has its own values. */
    card_type: open(
      'credit',
      'debit',
      'prepaid',
      'charge',
      'deferred_debit',
      'not_applicable',
      'non_mastercard',
      'consumer',
      'corporate',
      'small_business',
      'prepaid_reloadable',
    ),
    /** True for the card of a business. */
    commercial_card: t.boolean,
  }),
  t.partial({
    /** The country of the issuer, as a code. */
    issuer_country_code: nullable(t.string),
    /** The issuer of the card. */
    issuer_name: nullable(t.string),
    /** The product; each scheme has its own codes. Union Pay: `UNION_PAY_CLASSIC`, `UNION_PAY_GOLD` and so on. */
    product_code: nullable(t.string),
    /** The description of `product_code`. */
    product_description: nullable(t.string),
    /** Visa: its sub-type id; Mastercard: the GCMS product id; Union Pay: the level of the card. */
    product_subtype_code: nullable(t.string),
    /** The description of `product_subtype_code`. */
    product_subtype_description: nullable(t.string),
  }),
])

/** The account range of a card. */
export interface Bin extends t.TypeOf<typeof bin> {}

export const Bin: Codec<Bin> = bin

export const Bins: Codec<Array<Bin>> = t.array(bin)
