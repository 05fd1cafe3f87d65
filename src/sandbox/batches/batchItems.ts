/** Items as sent to a batch. Accepts more than the endpoint documents: invalid items are stored with their errors. */
import type { BatchItem } from '../../codec/BatchItem.js'
import { AMOUNTS, ITEMS_PER_CALL, NewBatchItem } from '../../codec/NewBatchItem.js'
import { decimalsOf } from '../../codec/scalars.js'
import { causes, digitsOf } from '../../decode/index.js'
import { exponentOf } from '../../decode/minorUnits.js'
import { fieldsOf } from '../../decode/unknown.js'
import { E, O, pipe } from '../../fp.js'
import { isWithinMaxAmount } from '../data/money.js'
import { type ApiError, invalid, required } from '../Reply.js'

export type ItemErrors = NonNullable<BatchItem['errors']>

export type CheckedItem = E.Either<ItemErrors, NewBatchItem>

export interface SentItem {
  readonly request_id: string
  readonly checked: CheckedItem
}

/** Suffix of the reference of an item that is invalid, whatever its other fields are. */
const INVALID = '_invalid'

/** Suffix of the reference of an item whose booking fails. */
const UNBOOKABLE = '_failed'

export const isBookable = ({ reference }: NewBatchItem): boolean => !reference.endsWith(UNBOOKABLE)

export const itemError = (code: string, source: string): ItemErrors => [
  { code, source, params: {} },
]

export const checkItem = (item: unknown): CheckedItem =>
  pipe(
    NewBatchItem.decode(item),
    E.mapLeft(
      (errors): ItemErrors =>
        causes(errors).map(({ path, expected, actual }) => ({
          code: actual === 'missing' ? 'field_required' : 'invalid_argument',
          source: path,
          params: { expected },
        })),
    ),
    E.filterOrElse(
      ({ reference }) => !reference.endsWith(INVALID),
      () => itemError('invalid_argument', 'reference'),
    ),
    E.filterOrElse(
      ({ source_amount = 0, transfer_amount = 0 }) =>
        isWithinMaxAmount(Number(source_amount)) && isWithinMaxAmount(Number(transfer_amount)),
      ({ source_amount }) =>
        itemError(
          'invalid_argument',
          source_amount === undefined ? 'transfer_amount' : 'source_amount',
        ),
    ),
  )

/** Reads the items of an `add_items` call. Returns the error of the first item that cannot be stored. */
export const readItems = (items: unknown): E.Either<ApiError, ReadonlyArray<SentItem>> =>
  pipe(
    readArray(items, 'items'),
    E.filterOrElse(
      (list) => list.length <= ITEMS_PER_CALL,
      () => invalid(`items must be up to ${ITEMS_PER_CALL}.`, 'items'),
    ),
    E.chain(E.traverseArrayWithIndex(readItem)),
  )

/** Reads the ids of a `delete_items` call. */
export const readItemIds = (ids: unknown): E.Either<ApiError, ReadonlySet<unknown>> =>
  pipe(
    readArray(ids, 'item_ids'),
    E.filterOrElse(
      (list) => list.every((id) => typeof id === 'string'),
      () => invalid('item_ids must be a list of strings.', 'item_ids'),
    ),
    E.map((list) => new Set(list)),
  )

const readArray = (u: unknown, name: string): E.Either<ApiError, ReadonlyArray<unknown>> => {
  if (u === undefined) return E.left(required(name))
  return Array.isArray(u) ? E.right(u) : E.left(invalid(`${name} must be a list.`, name))
}

/** Maximum number of decimals of any currency. */
const MOST_DECIMALS = 4

/** Returns the first amount too precise for any ISO 4217 currency. Values other than amounts are checked elsewhere. */
const unheldAmount = (item: Readonly<Record<string, unknown>>): string | undefined =>
  (['source', 'transfer'] as const)
    .filter((side) => O.isSome(exponentOf(String(item[`${side}_currency`]))))
    .map((side) => `${side}_amount`)
    .find((name) => {
      const amount = item[name]
      return /^-\d/.test(String(amount)) || decimalsOf(amount) > MOST_DECIMALS
    })

/** Converts amounts that a double cannot represent to text. */
const withExactAmounts = (item: unknown): unknown =>
  AMOUNTS.reduce((exact: unknown, name) => {
    const digits = O.toUndefined(digitsOf(name)(fieldsOf(item)))
    return digits !== undefined && /^\d+(\.\d+)?$/.test(digits)
      ? { ...fieldsOf(exact), [name]: digits }
      : exact
  }, item)

/** Reads an item. It is stored only if it has a `request_id`; all other errors are stored with it. */
const readItem = (i: number, sent: unknown): E.Either<ApiError, SentItem> => {
  const item = withExactAmounts(sent)
  const source = `items[${i}].request_id`
  const { request_id } = fieldsOf(item)
  if (request_id === undefined) return E.left(required(source))
  const unheld = unheldAmount(fieldsOf(item))
  if (unheld !== undefined) {
    const path = `items[${i}].${unheld}`
    return E.left(
      invalid(`${path} must be an amount of at least 0 that a currency can hold.`, path),
    )
  }
  return typeof request_id === 'string' && request_id !== ''
    ? E.right({ request_id, checked: checkItem(item) })
    : E.left(invalid(`${source} must be a non-empty string.`, source))
}
