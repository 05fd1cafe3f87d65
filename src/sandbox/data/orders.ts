/** Sales orders that were uploaded, and the limits that they raise. */
import { ORDER_AGE } from '../../codec/OrderItem.js'
import type { ExpiringQuota, Quota, QuotaType } from '../../codec/reference.js'
import { rounded } from './money.js'
import { DAY, dayInstantAt } from './time.js'

export interface QuotaOrder {
  readonly type: QuotaType
  /** In major units of `LIMIT_CURRENCY`. */
  readonly amount: number
  /** Time of the order, in ms since 1970. The order counts until it is too old to be uploaded. */
  readonly at: number
}

export const LIMIT_CURRENCY = 'USD'

/** Amount of a limit before any upload, in major units. */
const BASE_LIMIT = 10_000

const WEEK = 7 * DAY

export const quotaAt = (now: number, type: QuotaType, orders: ReadonlyArray<QuotaOrder>): Quota => {
  const ofType = orders.filter((order) => order.type === type)
  return {
    available_order_amount: rounded(
      BASE_LIMIT + total(ofType.filter((order) => expiryOf(order) > now)),
      LIMIT_CURRENCY,
    ),
    currency: LIMIT_CURRENCY,
    history_order_amount: total(ofType),
  }
}

/** Returns the part of a limit that expires within the next week. */
export const expiringQuotaAt = (
  now: number,
  type: QuotaType,
  orders: ReadonlyArray<QuotaOrder>,
): ExpiringQuota => {
  const expiring = orders.filter(
    (order) => order.type === type && expiryOf(order) > now && expiryOf(order) <= now + WEEK,
  )
  return {
    currency: LIMIT_CURRENCY,
    expire_by: dayInstantAt(now + WEEK),
    expiring_order_amount: total(expiring),
  }
}

const total = (orders: ReadonlyArray<QuotaOrder>): number =>
  rounded(
    orders.reduce((sum, { amount }) => sum + amount, 0),
    LIMIT_CURRENCY,
  )

const expiryOf = ({ at }: QuotaOrder): number => at + ORDER_AGE * DAY
