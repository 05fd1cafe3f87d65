/** Limits on the transfers and deposits of an account, raised by the orders it has supplied. */
import * as t from 'io-ts'
import { type Codec, closed, optional } from './Codec.js'
import { Instant } from './Instant.js'
import { Currency, Finite } from './scalars.js'
import { nullable } from './shapes.js'

const quotaType = t.keyof({ CN_INBOUND: null, ID_OUTBOUND: null, VN_OUTBOUND: null })

/** A kind of limit (interface, Reference data). */
export type QuotaType = t.TypeOf<typeof quotaType>

export const QuotaType = quotaType

const quotaFilter = closed(
  optional({
    /** The interface does not say which one it is when left out. */
    type: quotaType,
  }),
)

/** The limit to ask about. */
export type QuotaFilter = t.TypeOf<typeof quotaFilter>

export const QuotaFilter: Codec<QuotaFilter> = quotaFilter

const quota = t.type({
  /** The amount left, in major units of `currency`. */
  available_order_amount: Finite,
  /** A 3-letter ISO 4217 code. */
  currency: Currency,
  /** The amount used, in major units of `currency`. */
  history_order_amount: Finite,
})

/** The amount left of a limit. */
export interface Quota extends t.TypeOf<typeof quota> {}

export const Quota: Codec<Quota> = quota

const expiringQuota = t.intersection([
  t.type({
    /** A 3-letter ISO 4217 code. */
    currency: Currency,
    /** The expiring amount, in major units of `currency`. */
    expiring_order_amount: Finite,
  }),
  t.partial({
    /** The day by which it expires. */
    expire_by: nullable(Instant),
  }),
])

/** The part of a limit that expires within the next week. */
export interface ExpiringQuota extends t.TypeOf<typeof expiringQuota> {}

export const ExpiringQuota: Codec<ExpiringQuota> = expiringQuota
