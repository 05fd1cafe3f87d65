import { charges as rows } from '../../api/charges.js'
import { Charge, type ChargeFilter } from '../../codec/Charge.js'
import { toMillis } from '../../codec/times.js'
import { flow, O, pipe } from '../../fp.js'
import { apiError, invalid, notFound, required } from '../ApiError.js'
import { asOf, isListed, type MadeCharge, type Moment } from '../account/CreatedCharge.js'
import type { Filter } from '../account/GeneratedCharges.js'
import { followedBy, texts } from '../account/Rows.js'
import type { Context } from '../Context.js'
import { pageByNumber } from '../envelope.js'
import type { HandlersOf } from '../Handler.js'
import { json, type Result, success } from '../Result.js'
import { isWithinReach, REACH } from '../rates.js'
import type { Store } from '../Store.js'
import { append, at, find, toArray } from '../Table.js'

const moment = ({ now, account, settings: { settleAfter } }: Context): Moment => ({
  now,
  account,
  settleAfter,
})

// create

const duplicate = apiError(
  400,
  'request_id_duplicate',
  'A charge with this request_id was made before.',
  'request_id',
)

const tooLarge = invalid(`amount must be ${REACH}.`, 'amount')

const isTaken = (requestId: string, state: Store, { account }: Context): boolean =>
  O.isSome(find(requestId)(state.made)) ||
  pipe(
    account.ids.indexOfRequestId(requestId),
    O.exists((index) => index < account.charges),
  )

// list

const milliseconds = (time: Date | string | undefined): number | undefined =>
  time === undefined ? undefined : toMillis(time)

const filterOf = ({ from_created_at, to_created_at, ...params }: ChargeFilter): Filter => ({
  ...params,
  from: milliseconds(from_created_at),
  to: milliseconds(to_created_at),
})

const write = (context: Context): ((made: MadeCharge) => string) =>
  flow(asOf(moment(context)), Charge.encode, JSON.stringify)

// handlers

export const charges: HandlersOf<{ charges: typeof rows }>['charges'] = {
  create: (state, params, context) => {
    const { request_id } = params
    if (request_id === undefined) return [required('request_id'), state]
    if (!isWithinReach(Number(params.amount))) return [tooLarge, state]
    if (isTaken(request_id, state, context)) return [duplicate, state]
    const index = context.account.charges + state.made.length
    const charge: MadeCharge = { ...params, request_id, index, at: context.now }
    return [success(asOf(moment(context))(charge)), { ...state, made: append(charge)(state.made) }]
  },

  retrieve: (state, { id }, context) => {
    const { account } = context
    const result = pipe(
      account.ids.indexOfId(id),
      O.chain(
        (index): O.Option<Result<Charge>> =>
          index < account.charges
            ? O.some(json(account.charge(index)))
            : pipe(
                state.made,
                at(index - account.charges),
                O.map(flow(asOf(moment(context)), success)),
              ),
      ),
      O.getOrElse((): Result<Charge> => notFound),
    )
    return [result, state]
  },

  list: (state, params, context) => {
    const { page_num = 0, page_size = rows.list.paging.size } = params
    const filter = filterOf(params)
    const older = context.account.select(filter)
    const newer = toArray(state.made).filter(isListed(moment(context), filter))
    const size = older.size + newer.length
    const first = Math.min(size, page_num * page_size)
    const last = Math.min(size, first + page_size)
    const newestFirst = context.settings.order === 'descending'
    const [start, end] = newestFirst ? [size - last, size - first] : [first, last]
    const early = older.slice(start, end, newestFirst)
    const late = newer
      .slice(Math.max(0, start - older.size), Math.max(0, end - older.size))
      .map(write(context))
    const found = newestFirst
      ? followedBy(early)(texts(late.reverse()))
      : followedBy(texts(late))(early)
    return [pageByNumber(found, last < size), state]
  },
}
