/** Reads what is uploaded: items are judged one by one, since the rest may be used without the wrong ones. */
import { ITEMS_PER_UPLOAD, ORDER_AGE, OrderItem } from '../../codec/OrderItem.js'
import { QuotaType } from '../../codec/Quota.js'
import { Flag } from '../../codec/scalars.js'
import { repeated } from '../../codec/shapes.js'
import { toMillis } from '../../codec/times.js'
import { causes, causesUnder } from '../../decode/causes.js'
import { A, E, pipe } from '../../fp.js'
import { type ApiError, invalid, notEnabled, required } from '../ApiError.js'
import type { RawParams } from '../Handler.js'
import { DAY } from '../instant.js'
import { isWithinReach, REACH, rate } from '../rates.js'
import { LIMIT_CURRENCY, type Order } from './Order.js'

// model

/** Items as they came, and what they are for. */
export interface Upload {
  readonly items: ReadonlyArray<unknown>
  readonly partial: boolean
  readonly types: ReadonlyArray<QuotaType>
}

/** An item that was judged. */
type Judged = E.Either<ApiError, OrderItem>

// constructors

const items = (params: RawParams): E.Either<ApiError, ReadonlyArray<unknown>> =>
  !Array.isArray(params.items)
    ? E.left(invalid('The body is not a list.', 'items'))
    : params.items.length > ITEMS_PER_UPLOAD
      ? E.left(invalid(`Up to ${ITEMS_PER_UPLOAD} items are taken.`, 'items'))
      : E.right(params.items)

const types = repeated<QuotaType>(QuotaType)

export const readUpload = (params: RawParams): E.Either<ApiError, Upload> =>
  pipe(
    E.Do,
    E.bind('items', () => items(params)),
    E.bind('partial', () =>
      pipe(
        Flag.decode(params.allow_partial_success ?? false),
        E.mapLeft(() => invalid('allow_partial_success must be boolean.', 'allow_partial_success')),
      ),
    ),
    E.bind('types', () =>
      pipe(
        types.decode(params.types ?? ['CN_INBOUND']),
        E.mapLeft(() => invalid(`types must be of ${QuotaType.name}.`, 'types')),
      ),
    ),
  )

const judged = (item: unknown, i: number, now: number): Judged =>
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
      ({ line_total }) => isWithinReach(line_total),
      () => invalid(`items[${i}].line_total must be ${REACH}.`, `items[${i}].line_total`),
    ),
  )

const orderOf =
  (type: QuotaType) =>
  ({ currency, line_total, order_datetime }: OrderItem): Order => ({
    type,
    amount: line_total * rate(currency, LIMIT_CURRENCY),
    at: toMillis(order_datetime),
  })

// combinators

/** The orders that count, or why the upload as a whole is refused. */
export const ordersOf = (
  upload: Upload,
  now: number,
  enabled: ReadonlyArray<QuotaType>,
): E.Either<ApiError, ReadonlyArray<Order>> => {
  const missing = upload.types.find((type) => !enabled.includes(type))
  if (missing !== undefined) return E.left(notEnabled(missing, 'types'))
  const { left, right: good } = A.separate(upload.items.map((item, i) => judged(item, i, now)))
  const [refused] = left
  if (refused !== undefined && !upload.partial) return E.left(refused)
  return E.right(upload.types.flatMap((type) => good.map(orderOf(type))))
}
