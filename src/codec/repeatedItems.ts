/**
 * Items of a batch with one `request_id`. The service keeps the first and ignores the others (interface, Batch item):
 * the same item can be sent again, but a different one is lost.
 */
import { fieldsOf, isRecord } from '../decode/unknown.js'
import { E } from '../fp.js'
import type { ItemsToAdd, NewBatchItem } from './NewBatchItem.js'
import type { Rule } from './Rule.js'

// model

/** What the `request_id` of an item should be. */
export const OWN_ID = 'one that no different item has'

// constructors

/**
 * Asked of one item after the other: which earlier one, counted from 0, has its `request_id` and differs.
 * The first item of each `request_id` is kept.
 */
export const contradicted = (): ((item: NewBatchItem) => number | undefined) => {
  const firsts = new Map<string, { readonly item: NewBatchItem; readonly n: number }>()
  let came = 0
  return (item) => {
    const n = came++
    const { request_id } = fieldsOf(item)
    if (typeof request_id !== 'string') return undefined // where nothing is checked
    const first = firsts.get(request_id)
    if (first === undefined) firsts.set(request_id, { item, n })
    return first !== undefined && written(first.item) !== written(item) ? first.n : undefined
  }
}

/** Of the items of one call. */
export const itemsWithOwnIds: Rule<ItemsToAdd> = {
  field: 'items[].request_id',
  expected: OWN_ID,
  broken: ({ items }) => {
    const earlier = contradicted()
    return items.flatMap((item, i) =>
      earlier(item) === undefined ? [] : [['items', i, 'request_id']],
    )
  },
}

/** As JSON, whatever the order of the fields; nothing where JSON cannot say it. */
const written = (item: NewBatchItem): string =>
  E.getOrElse(() => '')(E.tryCatch(() => JSON.stringify(item, inOrder), String))

const inOrder = (_name: string, value: unknown): unknown =>
  isRecord(value) ? Object.fromEntries(Object.entries(value).sort()) : value
