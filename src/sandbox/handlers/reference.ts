import type { reference as rows } from '../../api/reference.js'
import { ITEMS_PER_UPLOAD, ORDER_AGE, OrderItem } from '../../codec/OrderItem.js'
import {
  type IndustryCategory,
  type InvalidConversionDates,
  QuotaType,
} from '../../codec/reference.js'
import { Flag, repeated } from '../../codec/scalars.js'
import { toMillis } from '../../codec/times.js'
import { causes, causesUnder } from '../../decode/causes.js'
import { A, E, pipe } from '../../fp.js'
import {
  cardErrors,
  cardRanges,
  holidays,
  industryCategories,
  industryCodes,
} from '../data/fixtures.js'
import { currencies, isConvertible, isWithinMaxAmount, MAX_AMOUNT, rate } from '../data/money.js'
import { expiringQuotaAt, LIMIT_CURRENCY, type QuotaOrder, quotaAt } from '../data/orders.js'
import { DAY, dayAt, dayInstantAt } from '../data/time.js'
import type { Settings } from '../options.js'
import { type ApiError, apiError, invalid, required, success } from '../Reply.js'
import type { Handle, HandlersOf, RawParams } from './Handler.js'

export const reference: HandlersOf<{ reference: typeof rows }>['reference'] = {
  industryCategories: (_store, _params, { settings, version }) =>
    success([...industriesOf(settings, version)]),

  invalidConversionDates: (_store, { currency_pair }, { now }) =>
    isPair(currency_pair)
      ? success({ currency_pair, invalid_conversion_dates: invalidDates(now) })
      : invalid('currency_pair must be two currencies, such as EURUSD.', 'currency_pair'),

  supportedCurrencies: () =>
    success({ conversion: { buy_currencies: [...currencies], sell_currencies: [...currencies] } }),

  expiringQuota: quotaBy(expiringQuotaAt),

  quota: quotaBy(quotaAt),

  upload: {
    raw: (store, params, { now, settings }) => {
      const orders = readOrders(params, now, settings.quotaTypes)
      if (E.isLeft(orders)) return orders.left
      store.orders.push(...orders.right)
      return success({})
    },
  },

  lookUpBin: (_store, { pan }) => {
    const error = cardErrors[pan.slice(-4)]
    if (error !== undefined) return apiError(...error)
    return success([...(cardRanges.find(([prefix]) => prefix.test(pan))?.[1] ?? [])])
  },
}

// industries

/** The oldest version in the API description, from which on the newer shape is used. */
const INDUSTRY_CODES = '2025-06-30'

const industriesOf = (
  { industryTree }: Settings,
  version: string,
): ReadonlyArray<IndustryCategory> =>
  industryTree === 'codes' || (industryTree === 'by version' && version >= INDUSTRY_CODES)
    ? industryCodes
    : industryCategories

// conversion

/** Number of days ahead for which invalid dates are listed. */
const DAYS_AHEAD = 365

/** Returns weekends and holidays, from today on. */
const invalidDates = (now: number): InvalidConversionDates['invalid_conversion_dates'] =>
  Array.from({ length: DAYS_AHEAD }, (_, n) => now + n * DAY).flatMap((at) => {
    const weekday = new Date(at).getUTCDay()
    const isWeekend = weekday === 0 || weekday === 6
    const reason = holidays[dayAt(at).slice(5)] ?? (isWeekend ? 'Weekend' : undefined)
    return reason === undefined ? [] : [{ date: dayInstantAt(at), reason }]
  })

/** Returns true for two different convertible currencies. */
const isPair = (text: string): boolean =>
  /^[A-Z]{6}$/.test(text) &&
  text.slice(0, 3) !== text.slice(3) &&
  isConvertible(text.slice(0, 3)) &&
  isConvertible(text.slice(3))

// limits by orders

const notEnabled = (type: QuotaType, source: string): ApiError =>
  invalid(`${type} is not enabled for this account.`, source)

function quotaBy<A>(
  at: (now: number, type: QuotaType, orders: ReadonlyArray<QuotaOrder>) => A,
): Handle<{ readonly type?: QuotaType | undefined }, A> {
  return (store, { type = 'CN_INBOUND' }, { now, settings }) =>
    settings.quotaTypes.includes(type)
      ? success(at(now, type, store.orders))
      : notEnabled(type, 'type')
}

const quotaTypes = repeated<QuotaType>(QuotaType)

/**
 * Reads the orders of an upload. Items are checked separately, because valid items may be used without the others
 * (`allow_partial_success`).
 */
const readOrders = (
  params: RawParams,
  now: number,
  enabled: ReadonlyArray<QuotaType>,
): E.Either<ApiError, ReadonlyArray<QuotaOrder>> => {
  const { items, allow_partial_success = false, types: typesGiven = ['CN_INBOUND'] } = params
  if (!Array.isArray(items)) return E.left(invalid('The body is not a list.', 'items'))
  if (items.length > ITEMS_PER_UPLOAD) {
    return E.left(invalid(`Up to ${ITEMS_PER_UPLOAD} items are accepted.`, 'items'))
  }
  const partial = Flag.decode(allow_partial_success)
  if (E.isLeft(partial)) {
    return E.left(invalid('allow_partial_success must be boolean.', 'allow_partial_success'))
  }
  const types = quotaTypes.decode(typesGiven)
  if (E.isLeft(types)) return E.left(invalid(`types must be among ${QuotaType.name}.`, 'types'))
  const missing = types.right.find((type) => !enabled.includes(type))
  if (missing !== undefined) return E.left(notEnabled(missing, 'types'))
  const { left, right: valid } = A.separate(items.map((item, i) => checkOrder(item, i, now)))
  const [refused] = left
  if (refused !== undefined && !partial.right) return E.left(refused)
  return E.right(types.right.flatMap((type) => valid.map((item) => orderOf(type, item))))
}

const checkOrder = (item: unknown, i: number, now: number): E.Either<ApiError, OrderItem> =>
  pipe(
    OrderItem.decode(item),
    E.mapLeft((errors) => {
      const [{ path, expected, actual }] = causesUnder(`items[${i}]`, causes(errors))
      return actual === 'missing' ? required(path) : invalid(`${path} must be ${expected}.`, path)
    }),
    E.filterOrElse(
      ({ order_datetime }) => toMillis(order_datetime) >= now - ORDER_AGE * DAY,
      () => {
        const source = `items[${i}].order_datetime`
        return invalid(`${source} must be at most ${ORDER_AGE} days old.`, source)
      },
    ),
    E.filterOrElse(
      ({ line_total }) => isWithinMaxAmount(Number(line_total)),
      () => invalid(`items[${i}].line_total must be ${MAX_AMOUNT}.`, `items[${i}].line_total`),
    ),
  )

const orderOf = (
  type: QuotaType,
  { currency, line_total, order_datetime }: OrderItem,
): QuotaOrder => ({
  type,
  amount: Number(line_total) * rate(currency, LIMIT_CURRENCY),
  at: toMillis(order_datetime),
})
