import type { charges as rows } from '../../api/charges.js'
import { Charge, type ChargeFilter, type NewCharge } from '../../codec/Charge.js'
import { Instant, toDate } from '../../codec/Instant.js'
import { flow, O, pipe } from '../../fp.js'
import {
  type Answer,
  type Context,
  type HandlersOf,
  notFound,
  page,
  refusal,
  required,
  success,
  text,
} from '../Answer.js'
import type { Filter } from '../account/Account.js'
import { asOf, type MadeCharge } from '../account/made.js'
import type { State } from '../State.js'
import { append, at, find, toArray } from '../Table.js'

// create

const duplicate = refusal(
  400,
  'request_id_duplicate',
  'A charge with this request_id was made before.',
  'request_id',
)

const isTaken = (requestId: string, state: State, { account }: Context): boolean =>
  O.isSome(find(requestId)(state.made)) ||
  pipe(
    account.ids.indexOfRequestId(requestId),
    O.exists((index) => index < account.charges),
  )

const made = (params: NewCharge, request_id: string, state: State, { now, account }: Context) => ({
  ...params,
  request_id,
  index: account.charges + state.made.length,
  at: now,
})

const shown = ({ now, account, settings }: Context): ((charge: MadeCharge) => Charge) =>
  asOf(now, settings.settleAfter, account.ids, account.until)

// list

const milliseconds = (time: Date | string): number =>
  time instanceof Date ? time.getTime() : Instant.is(time) ? toDate(time).getTime() : Number.NaN

const filterOf = ({ from_created_at, to_created_at, ...params }: ChargeFilter): Filter => ({
  ...params,
  from: from_created_at === undefined ? undefined : milliseconds(from_created_at),
  to: to_created_at === undefined ? undefined : milliseconds(to_created_at),
})

const passes =
  ({ status, currency, source, request_id, from, to }: Filter) =>
  (charge: Charge): boolean => {
    const created = toDate(charge.created_at).getTime()
    return (
      (status ?? charge.status) === charge.status &&
      (currency ?? charge.currency) === charge.currency &&
      (source ?? charge.source) === charge.source &&
      (request_id ?? charge.request_id) === charge.request_id &&
      (from ?? created) <= created &&
      (to ?? created) >= created
    )
  }

// arrivals

/** Charges that came by themselves up to now, so that a list moves while it is read. */
export const arrive = (state: State, context: Context): State => {
  const { now, began, account, settings } = context
  const due = settings.arrivals > 0 ? Math.floor((now - began) / settings.arrivals) : 0
  let next = state
  for (let n = state.arrived; n < due; n++) {
    const index = account.charges + next.made.length
    const like = account.arrival(index)
    next = {
      ...next,
      arrived: n + 1,
      made: append({ ...like, index, at: began + (n + 1) * settings.arrivals })(next.made),
    }
  }
  return next
}

// handlers

export const charges: HandlersOf<{ charges: typeof rows }>['charges'] = {
  create: (state, params, context) => {
    if (params.request_id === undefined) return [required('request_id'), state]
    if (isTaken(params.request_id, state, context)) return [duplicate, state]
    const charge = made(params, params.request_id, state, context)
    return [success(shown(context)(charge)), { ...state, made: append(charge)(state.made) }]
  },

  retrieve: (state, { id }, context) => {
    const { account } = context
    const answer = pipe(
      account.ids.indexOfId(id),
      O.chain(
        (index): O.Option<Answer<Charge>> =>
          index < account.charges
            ? O.some(text(account.charge(index)))
            : pipe(state.made, at(index - account.charges), O.map(flow(shown(context), success))),
      ),
      O.getOrElse((): Answer<Charge> => notFound),
    )
    return [answer, state]
  },

  list: (state, params, context) => {
    const { account, settings } = context
    const { page_num = 0, page_size = 100 } = params
    const filter = filterOf(params)
    const older = account.select(filter)
    const newer = toArray(state.made).map(shown(context)).filter(passes(filter))
    const size = older.size + newer.length
    const first = Math.min(size, page_num * page_size)
    const last = Math.min(size, first + page_size)
    const newest = settings.order === 'descending'
    const [start, end] = newest ? [size - last, size - first] : [first, last]
    const items = [
      ...older.slice(start, end),
      ...newer
        .slice(Math.max(0, start - older.size), Math.max(0, end - older.size))
        .map((charge) => JSON.stringify(Charge.encode(charge))),
    ]
    return [page(newest ? items.reverse() : items, last < size), state]
  },
}
