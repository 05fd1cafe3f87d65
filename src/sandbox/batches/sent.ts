/** Reads what is sent to add and to delete items. More is taken than the rows say: wrong items are kept. */
import { ITEMS_PER_CALL } from '../../codec/NewBatchItem.js'
import { fieldsOf } from '../../decode/unknown.js'
import { E, pipe } from '../../fp.js'
import { type ApiError, invalid, required } from '../ApiError.js'
import type { RawParams } from '../Handler.js'
import { type Checked, checked } from './checked.js'

// model

export interface SentItem {
  readonly request_id: string
  readonly checked: Checked
}

export interface SentItems {
  readonly id: string
  readonly items: ReadonlyArray<SentItem>
}

export interface SentItemIds {
  readonly id: string
  readonly item_ids: ReadonlyArray<string>
}

// constructors

const listed = (
  params: RawParams,
  name: string,
): E.Either<ApiError, { readonly id: string; readonly list: ReadonlyArray<unknown> }> => {
  const list = params[name]
  if (list === undefined) return E.left(required(name))
  return Array.isArray(list)
    ? E.right({ id: String(params.id), list })
    : E.left(invalid(`${name} must be a list.`, name))
}

/** An item needs a `request_id` to be kept; what else is wrong with it is kept too. */
const sentItem = (i: number, item: unknown): E.Either<ApiError, SentItem> => {
  const source = `items[${i}].request_id`
  const { request_id } = fieldsOf(item)
  if (request_id === undefined) return E.left(required(source))
  return typeof request_id === 'string' && request_id !== ''
    ? E.right({ request_id, checked: checked(item) })
    : E.left(invalid(`${source} must be a text that is not empty.`, source))
}

const isText = (u: unknown): u is string => typeof u === 'string'

// combinators

export const readItems = (params: RawParams): E.Either<ApiError, SentItems> =>
  pipe(
    listed(params, 'items'),
    E.filterOrElse(
      ({ list }) => list.length <= ITEMS_PER_CALL,
      () => invalid(`items must be up to ${ITEMS_PER_CALL}.`, 'items'),
    ),
    E.chain(({ id, list }) =>
      pipe(
        list,
        E.traverseArrayWithIndex(sentItem), // the first that is refused decides
        E.map((items) => ({ id, items })),
      ),
    ),
  )

export const readItemIds = (params: RawParams): E.Either<ApiError, SentItemIds> =>
  pipe(
    listed(params, 'item_ids'),
    E.chain(({ id, list }) =>
      list.every(isText)
        ? E.right({ id, item_ids: list })
        : E.left(invalid('item_ids must be a list of texts.', 'item_ids')),
    ),
  )
