import { charges as rows } from '../../api/charges.js'
import { Charge, type ChargeFilter } from '../../codec/Charge.js'
import { toMillis } from '../../codec/times.js'
import { type ChargeContext, chargeAt, isListed } from '../data/createdCharges.js'
import type { Filter } from '../data/generatedCharges.js'
import { numberOf, numberOfRequestId } from '../data/ids.js'
import { isWithinMaxAmount, MAX_AMOUNT } from '../data/money.js'
import { apiError, invalid, json, notFound, required, success } from '../Reply.js'
import type { SandboxStore } from '../Store.js'
import type { CallContext, HandlersOf } from './Handler.js'
import { pageByNumber } from './pages.js'

const duplicate = apiError(
  400,
  'request_id_duplicate',
  'A charge with this request_id already exists.',
  'request_id',
)

const tooLarge = invalid(`amount must be ${MAX_AMOUNT}.`, 'amount')

export const charges: HandlersOf<{ charges: typeof rows }>['charges'] = {
  create: (store, params, context) => {
    const { request_id } = params
    if (request_id === undefined) return required('request_id')
    if (!isWithinMaxAmount(Number(params.amount))) return tooLarge
    if (isTaken(request_id, store, context)) return duplicate
    const charge = { ...params, request_id, n: store.createdCharges.next, at: context.now }
    store.createdCharges.add(charge)
    return success(chargeAt(contextOf(store, context), charge))
  },

  retrieve: (store, { id }, context) => {
    const { generatedCharges: generated, createdCharges } = store
    const n = numberOf('charge', context.settings.seed, id)
    if (n === undefined) return notFound
    if (n < generated.count) return json(generated.charge(n))
    const created = createdCharges.get(n - generated.count)
    return created === undefined ? notFound : success(chargeAt(contextOf(store, context), created))
  },

  list: (store, params, context) => {
    const { page_num = 0, page_size = rows.list.paging.size } = params
    const filter = filterOf(params)
    const chargeContext = contextOf(store, context)
    const older = store.generatedCharges.select(filter)
    const shownUntil = context.now - context.settings.listDelay
    const newer = [...store.createdCharges.walk(0, 1)].filter(
      (charge) => charge.at <= shownUntil && isListed(chargeContext, filter, charge),
    )
    const size = older.size + newer.length
    const first = Math.min(size, page_num * page_size)
    const last = Math.min(size, first + page_size)
    const newestFirst = context.settings.order === 'descending'
    const rowAt = (k: number): unknown => {
      const created = k < older.size ? undefined : newer[k - older.size]
      return created === undefined ? older.at(k) : Charge.encode(chargeAt(chargeContext, created))
    }
    return pageByNumber(
      (i) => rowAt(newestFirst ? size - 1 - first - i : first + i),
      last - first,
      last < size,
    )
  },
}

const contextOf = (store: SandboxStore, { now, settings }: CallContext): ChargeContext => ({
  now,
  generated: store.generatedCharges,
  settings,
})

const isTaken = (requestId: string, store: SandboxStore, { settings }: CallContext): boolean => {
  const n = numberOfRequestId(settings.seed, requestId)
  return (
    store.createdCharges.hasRequestId(requestId) ||
    (n !== undefined && n < store.generatedCharges.count)
  )
}

const filterOf = ({
  from_created_at: from,
  to_created_at: to,
  ...params
}: ChargeFilter): Filter => ({
  ...params,
  from: from === undefined ? undefined : toMillis(from),
  to: to === undefined ? undefined : toMillis(to),
})
