import type { reference as rows } from '../../api/reference.js'
import type { QuotaType } from '../../codec/Quota.js'
import { E, pipe } from '../../fp.js'
import { invalid, notEnabled } from '../ApiError.js'
import type { Handle, HandlersOf } from '../Handler.js'
import { success } from '../Result.js'
import { currencies } from '../rates.js'
import { binsOf, refusalOf } from '../reference/bins.js'
import { invalidDates, isPair } from '../reference/conversionDates.js'
import { industries } from '../reference/industries.js'
import { expiringAt, type Order, quotaAt } from '../reference/Order.js'
import { ordersOf, readUpload } from '../reference/upload.js'

/** Answers what something tells of a limit, if the account has it. */
const limitBy =
  <A>(
    tell: (now: number, type: QuotaType, orders: ReadonlyArray<Order>) => A,
  ): Handle<{ readonly type?: QuotaType | undefined }, A> =>
  (state, { type = 'CN_INBOUND' }, { now, settings }) => [
    settings.quotaTypes.includes(type)
      ? success(tell(now, type, state.orders))
      : notEnabled(type, 'type'),
    state,
  ]

export const reference: HandlersOf<{ reference: typeof rows }>['reference'] = {
  industryCategories: (state, _, { settings, version }) => [
    success(industries(settings, version)),
    state,
  ],

  invalidConversionDates: (state, { currency_pair }, { now }) => [
    isPair(currency_pair)
      ? success({ currency_pair, invalid_conversion_dates: invalidDates(now) })
      : invalid('currency_pair must be two currencies, such as EURUSD.', 'currency_pair'),
    state,
  ],

  supportedCurrencies: (state) => [
    success({
      conversion: { buy_currencies: [...currencies], sell_currencies: [...currencies] },
    }),
    state,
  ],

  expiringQuota: limitBy(expiringAt),

  quota: limitBy(quotaAt),

  upload: {
    read: (params) =>
      pipe(
        readUpload(params),
        E.map((upload) => (state, { now, settings }) => {
          const more = ordersOf(upload, now, settings.quotaTypes)
          return E.isLeft(more)
            ? [more.left, state]
            : [success({}), { ...state, orders: [...state.orders, ...more.right] }]
        }),
      ),
  },

  lookUpBin: (state, { pan }) => [refusalOf(pan) ?? success(binsOf(pan)), state],
}
