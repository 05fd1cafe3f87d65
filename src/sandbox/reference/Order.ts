/** Lines of sales orders that were uploaded, and the limits that they raise. */
import { ORDER_AGE } from '../../codec/OrderItem.js'
import type { ExpiringQuota, Quota, QuotaType } from '../../codec/Quota.js'
import { DAY, dayInstantAt } from '../instant.js'
import { rounded } from '../rates.js'

// model

export interface Order {
  readonly type: QuotaType
  /** In whole units of the currency of limits. */
  readonly amount: number
  /** When it was made, in ms since 1970: it counts for as long as it might be uploaded. */
  readonly at: number
}

/** What limits are told in. */
export const LIMIT_CURRENCY = 'USD'

/** What each limit is before anything is uploaded. */
const BASE = 10_000

/** In ms. */
const WEEK = 7 * DAY

// constructors

const total = (orders: ReadonlyArray<Order>): number =>
  rounded(
    orders.reduce((sum, { amount }) => sum + amount, 0),
    LIMIT_CURRENCY,
  )

const endOf = ({ at }: Order): number => at + ORDER_AGE * DAY

const of = (type: QuotaType, orders: ReadonlyArray<Order>): ReadonlyArray<Order> =>
  orders.filter((order) => order.type === type)

/** What is left of a limit at a moment, in ms since 1970. */
export const quotaAt = (now: number, type: QuotaType, orders: ReadonlyArray<Order>): Quota => {
  const own = of(type, orders)
  return {
    available_order_amount: rounded(
      BASE + total(own.filter((order) => endOf(order) > now)),
      LIMIT_CURRENCY,
    ),
    currency: LIMIT_CURRENCY,
    history_order_amount: total(own),
  }
}

/** What of it expires within the next week (interface, Reference data). */
export const expiringAt = (
  now: number,
  type: QuotaType,
  orders: ReadonlyArray<Order>,
): ExpiringQuota => ({
  currency: LIMIT_CURRENCY,
  expire_by: dayInstantAt(now + WEEK),
  expiring_order_amount: total(
    of(type, orders).filter((order) => endOf(order) > now && endOf(order) <= now + WEEK),
  ),
})
