/** Finds out which items of an `addItems` call are in their batch, and sends the rest. */
import { concatMap, defer, map, type Observable, toArray } from 'rxjs'
import type { AnyEndpoint } from '../api/Endpoint.js'
import type { ItemsToAdd } from '../codec/NewBatchItem.js'
import { fieldsOf } from '../decode/unknown.js'
import { A, E, type IO, memoized } from '../fp.js'
import type { Codes } from '../http/answer/errors.js'
import type { Answer } from '../http/answer/readAnswer.js'
import type { Failure, FieldDifference } from '../http/Failure.js'
import { invalidRequest } from '../http/request/invalidParams.js'
import { jsonFields } from '../http/request/prepareRequest.js'
import { agrees, differencesOf, explainDifferences } from '../http/retry/difference.js'
import { type lookAgain, type Miss, missOf, recovered } from '../http/retry/lookUp.js'
import { isItemDuplicate, type LookUp, Outcome, requestIdOf } from '../http/retry/Outcome.js'
import { left, mapRight, type ObservableEither } from '../stream/either/ObservableEither.js'
import type { Millis, Page } from '../stream/index.js'

/** An item as sent, as JSON. */
interface LookedUpItem {
  /** Index in the call. */
  readonly at: number
  readonly json: unknown
}

/** The batch's items as the service shows them, by `request_id`. */
type ShownItems = ReadonlyMap<string, unknown>

type ItemPages = (params: { readonly id: string; readonly page_size: number }) => {
  readonly pages: Observable<E.Either<Failure, Page<Failure, unknown, unknown>>>
}

export interface LookUpItems<B> {
  readonly items: ItemPages
  readonly retrieve: (params: { readonly id: string }) => ObservableEither<Failure, Answer<B>>
  /** Adds items without looking up their outcome. */
  readonly add: (params: ItemsToAdd) => ObservableEither<Failure, Answer<B>>
  readonly again: ReturnType<typeof lookAgain>
}

/**
 * Handles items refused for a repeated request_id as if the service had ignored them (our assumption: not in the API
 * description). Reads the items of the batch, counts those it finds as added, and sends the others again with their own
 * request_ids. Repeats this with backoff, because the list may lag: whenever the list shows more of the refused items, the
 * others are sent again. If all items had been added before, marks the batch as recovered.
 */
export const lookUpItems =
  <B>({ items, retrieve, add, again }: LookUpItems<B>): LookUp<Answer<B>> =>
  (write) => {
    const { id, items: all } = sentItems(write.sentParams())
    let last = write.failure
    let missing = all

    const batch: Observable<E.Either<Miss, Answer<B>>> = defer(() => retrieve({ id })).pipe(
      map(
        E.bimap(
          (failure): Miss => ({
            ...missOf(failure),
            reason: `all items are in the list of the batch (matched by request_id), but the batch itself could not be read: ${failure.message}`,
            failure: { ...failure, attempts: last.attempts },
          }),
          (answer) => ({ ...answer, value: recovered(answer.value) }),
        ),
      ),
    )
    const others: Observable<E.Either<Miss, Answer<B>>> = defer(
      () => add({ id, items: missing.map(({ json }) => json) as ItemsToAdd['items'] }), // valid, because they were sent before
    ).pipe(
      map(
        E.mapLeft((failure): Miss => {
          const cause = causeOf(failure)
          last = { ...cause, attempts: last.attempts + failure.attempts }
          const isOver = failure._tag !== 'Ambiguous'
          const reason = isOver ? `; the others were not added: ${cause.message}` : ''
          return { reason: `${found()}${reason}`, again: isOver ? 'never' : 'yes', failure: last }
        }),
      ),
    )
    const found = (): string =>
      `looked up by request_id: ${all.length - missing.length} of ${all.length} items found`

    const compare = (shown: ShownItems): Observable<E.Either<Miss, Answer<B>>> => {
      const differences = itemDifferences(all, shown)
      if (differences.length > 0) return left(differing(differences))
      const before = missing.length
      missing = missing.filter(({ json }) => !shown.has(requestIdOf(json) ?? ''))
      if (missing.length === 0) return batch
      const isRefused = isItemDuplicate(causeOf(last))
      return isRefused && missing.length < before
        ? others
        : left({ reason: found(), again: 'yes', failure: last })
    }
    const look = defer(() => shownItems(items, id)).pipe(
      concatMap(E.match((failure) => left({ ...missOf(failure), failure: last }), compare)),
    )
    return again(write, look)
  }

const sentItems = (params: Readonly<Record<string, unknown>>) => {
  const items: ReadonlyArray<unknown> = Array.isArray(params.items) ? params.items : []
  return { id: String(params.id), items: items.map((json, at): LookedUpItem => ({ at, json })) }
}

const causeOf = (failure: Failure): Failure =>
  failure._tag === 'Ambiguous' ? failure.cause : failure

/** Reads undecoded rows, so that items that do not decode are counted too. */
const shownItems = (items: ItemPages, id: string): ObservableEither<Failure, ShownItems> =>
  items({ id, page_size: 1_000 }).pages.pipe(
    mapRight(({ raw }) => raw),
    toArray(),
    map(A.sequence(E.Applicative)),
    mapRight(
      (pages): ShownItems =>
        new Map(
          pages.flat().flatMap((row) => {
            const requestId = requestIdOf(row)
            return requestId === undefined ? [] : [[requestId, row] as const]
          }),
        ),
    ),
  )

// comparing

export interface CompareItems {
  readonly items: ItemPages
  readonly again: ReturnType<typeof lookAgain>
  readonly row: AnyEndpoint
  readonly codes: Codes
  readonly lookBy: IO<Millis>
}

/**
 * Compares added items with those that the batch shows under the same request_ids, because the service ignores an item whose
 * request_id the batch already has. Repeats until all items are shown. Emits `value`, or a failure with the differences.
 */
export const compareItems =
  ({ items, again, row, codes, lookBy }: CompareItems) =>
  <B>(params: ItemsToAdd, value: B): ObservableEither<Failure, B> => {
    const sentParams = memoized(() => jsonFields(params))
    const outcome = new Outcome({ row, codes, sentParams, isRepeat: true })
    outcome.leave()
    const { id, items: all } = sentItems(sentParams())
    const look = defer(() => shownItems(items, id)).pipe(
      map(
        E.match(
          (failure): E.Either<Miss, B> =>
            E.left({ ...missOf(failure), failure: { ...failure, attempts: 1 } }),
          (shown): E.Either<Miss, B> => {
            const differences = itemDifferences(all, shown)
            if (differences.length > 0) {
              return E.left({ ...differing(differences), failure: ignored(row.route, differences) })
            }
            const seen = all.filter(({ json }) => shown.has(requestIdOf(json) ?? '')).length
            const reason = `compared by request_id: ${seen} of ${all.length} items found`
            return seen === all.length ? E.right(value) : E.left({ reason, again: 'yes' })
          },
        ),
      ),
    )
    return again(
      { call: 0, outcome, failure: unseen(row.route), sentParams, sendBy: lookBy() },
      look,
    )
  }

/** Returns the failure for items that the service ignored because the batch has different ones under their request_ids. */
const ignored = (endpoint: string, differences: ReadonlyArray<FieldDifference>): Failure => {
  const [first, ...others] = differences.map(({ path, sent, found }) => ({
    path,
    expected: `${found}, as in the item already in the batch with this request_id`,
    actual: sent,
  }))
  const causes = [
    first ?? { path: 'items', expected: 'the same', actual: 'another' },
    ...others,
  ] as const
  const message = `${endpoint}: some items were ignored, because the batch already has different items with the same request_ids`
  return { ...invalidRequest(endpoint, causes), attempts: 1, message }
}

/** Returns the failure for items that are in the batch but do not appear in its list yet. */
const unseen = (endpoint: string): Failure => ({
  _tag: 'TimedOut',
  endpoint,
  attempts: 1,
  phase: 'state',
  limit: 0,
  message: `${endpoint}: the batch already had some of the items, but its list does not show them yet`,
})

/** Compares items with those shown, in all fields that appear in the item or in the terms of its transfer. */
const itemDifferences = (
  items: ReadonlyArray<LookedUpItem>,
  shown: ShownItems,
): ReadonlyArray<FieldDifference> =>
  items.flatMap(({ at, json }) => {
    const row = fieldsOf(shown.get(requestIdOf(json) ?? ''))
    const terms = fieldsOf(row.transfer_draft)
    return differencesOf(json, { ...terms, ...row }, agreesIfShown, `items[${at}]`)
  })

/** Works like `agrees`, but a value that the service does not show agrees with any value. */
export const agreesIfShown = (sent: unknown, found: unknown, path: string): boolean =>
  found === null || agrees(sent, found, path)

const differing = (differences: ReadonlyArray<FieldDifference>): Miss => ({
  reason: `the batch has different items with the same request_ids: ${explainDifferences(differences)}`,
  again: 'never',
  differences,
})
