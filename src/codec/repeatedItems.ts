/**
 * Items of a batch with one `request_id`. The service keeps the first and ignores the others (interface, Batch item):
 * the same item can be sent again, but a different one is lost.
 */
import { isRecord } from '../decode/unknown.js'
import { E } from '../fp.js'
import type { ItemsToAdd, NewBatchItem } from './NewBatchItem.js'
import type { Rule } from './Rule.js'

// model

/** What the `request_id` of an item should be. */
export const OWN_ID = 'one that no different item has'

/** The first item of each `request_id`: what was written of it, and which item it was, from 0. */
export type Firsts = ReadonlyMap<string, { readonly written: unknown; readonly n: number }>

interface Compared {
  /** Each item that differs from the first one of its `request_id`: its place, and which that one was. */
  readonly different: ReadonlyArray<{ readonly at: number; readonly first: number }>
  /** With those of these items. */
  readonly firsts: Firsts
}

// constructors

/** Compares items with one another, and with those before them, of which there were `before`. */
export const compared = (
  items: ReadonlyArray<NewBatchItem>,
  firsts: Firsts = new Map(),
  before = 0,
): Compared => {
  const all = new Map(firsts)
  const different = items.flatMap((item, at) => {
    const one = { written: written(item), n: before + at }
    const first = all.get(item.request_id) ?? one
    all.set(item.request_id, first)
    return first.written === one.written ? [] : [{ at, first: first.n }]
  })
  return { different, firsts: all }
}

/** Of the items of one call. */
export const itemsWithOwnIds: Rule<ItemsToAdd> = {
  field: 'items[].request_id',
  expected: OWN_ID,
  broken: ({ items }) => compared(items).different.map(({ at }) => ['items', at, 'request_id']),
  unspecified: true,
}

/** As it is sent, whatever the order of its fields; where that fails, like no other. */
const written = (item: NewBatchItem): unknown =>
  E.getOrElse((): unknown => Symbol())(
    E.tryCatch(() => JSON.stringify(JSON.parse(JSON.stringify(item)), inOrder), String),
  )

const inOrder = (_name: string, value: unknown): unknown =>
  isRecord(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value
