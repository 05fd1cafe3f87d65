/** What an account may still transfer or deposit, by the orders it has supplied. */
import * as t from 'io-ts'
import type { Codec } from './Codec.js'
import { Instant } from './Instant.js'
import { Currency } from './scalars.js'
import { nullable } from './shapes.js'

const quotaType = t.keyof({ CN_INBOUND: null, ID_OUTBOUND: null, VN_OUTBOUND: null })

/** Which limit (interface, Reference data). */
export type QuotaType = t.TypeOf<typeof quotaType>

export const QuotaType = quotaType

const quotaFilter = t.partial({
  /** The interface does not say which one it is when left out. */
  type: quotaType,
})

/** Which limit to ask about. */
export interface QuotaFilter extends t.TypeOf<typeof quotaFilter> {}

export const QuotaFilter: Codec<QuotaFilter> = quotaFilter

const quota = t.type({
  /** What is left, in whole units of `currency`. */
  available_order_amount: t.number,
  /** A 3-letter ISO 4217 code. */
  currency: Currency,
  /** What was used, in whole units of `currency`. */
  history_order_amount: t.number,
})

/** What is left of a limit. */
export interface Quota extends t.TypeOf<typeof quota> {}

export const Quota: Codec<Quota> = quota

const expiringQuota = t.intersection([
  t.type({
    /** A 3-letter ISO 4217 code. */
    currency: Currency,
    /** What expires, in whole units of `currency`. */
    expiring_order_amount: t.number,
  }),
  t.partial({
    /** The day by which it expires. */
    expire_by: nullable(Instant),
  }),
])

/** What of a limit expires within the next week. */
export interface ExpiringQuota extends t.TypeOf<typeof expiringQuota> {}

export const ExpiringQuota: Codec<ExpiringQuota> = expiringQuota
