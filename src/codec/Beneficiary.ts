import * as t from 'io-ts'
import { type Codec, optional, rule, ruled, unspecified } from './Codec.js'
import { Country, Currency, SwiftCode } from './scalars.js'

// bank details

const bankDetails = t.intersection([
  t.type({
    /** The currency of the account: a 3-letter ISO 4217 code. */
    account_currency: Currency,
    /** The holder's name. */
    account_name: t.string,
    /** The country of the bank: a 2-letter ISO 3166 code. */
    bank_country_code: Country,
  }),
  optional({
    /** The holder's name in the payment system, in some regions only. */
    account_name_alias: t.string,
    /** The account number, mostly outside Europe. */
    account_number: t.string,
    /** The IBAN, mostly in Europe. */
    iban: t.string,
    /** The type of the routing code in `account_routing_value1`. */
    account_routing_type1: t.string,
    /** The sub-type of the routing code in `account_routing_value2`. */
    account_routing_type2: t.string,
    /** A routing code, of the type given in `account_routing_type1`. */
    account_routing_value1: t.string,
    /** A second routing code, of the type given in `account_routing_type2`. */
    account_routing_value2: t.string,
    /** The type of the bank account. */
    bank_account_category: t.string,
    /** The branch. */
    bank_branch: t.string,
    /** The name of the bank. */
    bank_name: t.string,
    /** The state or province of the bank. */
    bank_state: t.string,
    /** The street address of the bank, with the number. */
    bank_street_address: t.string,
    /** The mobile number linked to the account. */
    binding_mobile_number: t.string,
    /** A fingerprint of the account. The API description does not explain it. */
    fingerprint: t.string,
    /** The intermediary bank, if any. */
    intermediary_bank_name: t.string,
    /** The SWIFT code (BIC) of the intermediary bank. */
    intermediary_bank_swift_code: SwiftCode,
    /** The clearing system of a local transfer. Default: depends on the routing type. */
    local_clearing_system: t.string,
    /** The bank's SWIFT code. */
    swift_code: t.string,
  }),
])

/** The bank account to pay. */
export interface BankDetails extends t.TypeOf<typeof bankDetails> {}

const isFilled = (text: string | undefined): boolean => text !== undefined && text !== ''

export const BankDetails: Codec<BankDetails> = ruled<BankDetails>(
  rule(
    'account_number',
    'non-empty when iban is missing or empty',
    ({ account_number, iban }) => isFilled(account_number) || isFilled(iban),
  ),
)(bankDetails)

// beneficiaries

const address = unspecified(
  optional({
    /** The city. */
    city: t.string,
    /** A 2-letter ISO 3166 code. */
    country_code: Country,
    /** The postal code. */
    postcode: t.string,
    /** The state or the province. */
    state: t.string,
    /** The street, with the number. */
    street_address: t.string,
  }),
)

/** A postal address. Its fields are our assumption: the API description does not specify them. */
export interface Address extends t.TypeOf<typeof address> {}

export const Address: Codec<Address> = address

const additionalInfo = t.intersection([
  optional({
    business_area: t.string,
    business_phone_number: t.string,
    business_registration_number: t.string,
    /** Your own identifier for the beneficiary. */
    external_identifier: t.string,
    /** Used only for declarations; no money is sent to this account. */
    legal_rep_bank_account_number: t.string,
    legal_rep_first_name_in_chinese: t.string,
    legal_rep_id_number: t.string,
  }),
  unspecified(
    optional({
      legal_rep_last_name_in_chinese: t.string,
      legal_rep_mobile_number: t.string,
      personal_email: t.string,
      personal_first_name_in_chinese: t.string,
      personal_last_name_in_chinese: t.string,
      personal_id_number: t.string,
      personal_id_type: t.string,
      personal_mobile_number: t.string,
      recipient_account_id: t.string,
    }),
  ),
])

const beneficiary = t.intersection([
  t.type({
    /** A company or a person. The possible values are not documented. */
    entity_type: t.string,
    /** The bank account to pay. */
    bank_details: BankDetails,
  }),
  optional({
    /** More about the beneficiary, such as its legal representative, and your own identifier. */
    additional_info: additionalInfo,
  }),
  unspecified(
    optional({
      /** The address of the beneficiary. */
      address,
      /** A company's name. */
      company_name: t.string,
      /** A person's first name. */
      first_name: t.string,
      /** A person's last name. */
      last_name: t.string,
      /** A person's date of birth, `YYYY-MM-DD`. */
      date_of_birth: t.string,
      /** `BANK_ACCOUNT` or `DIGITAL_WALLET`. */
      type: t.string,
      /**
       * Optional, and sent in addition to the required `bank_details`. To send it without `bank_details`, set `check: false`.
       */
      digital_wallet: t.UnknownRecord,
    }),
  ),
])

/** The recipient of a transfer, with a bank account. */
export interface Beneficiary extends t.TypeOf<typeof beneficiary> {}

export const Beneficiary: Codec<Beneficiary> = beneficiary
