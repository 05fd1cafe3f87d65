/** Workloads, whose requests are repeated until the time is up. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  concatMap,
  defer,
  EMPTY,
  finalize,
  from,
  ignoreElements,
  lastValueFrom,
  map,
  mergeMap,
  type Observable,
  of,
  ReplaySubject,
  repeat,
  type SchedulerLike,
  shareReplay,
  take,
} from 'rxjs'
import type { Client } from '../client/createClient.js'
import type { NewBatchItem } from '../codec/NewBatchItem.js'
import { type ExportError, exportTo } from '../export/index.js'
import { E, type IO, O } from '../fp.js'
import type { AnyFailure } from '../http/Failure.js'
import { concatChain, type ObservableEither } from '../stream/either/ObservableEither.js'
import type { Millis } from '../stream/index.js'
import { later } from '../stream/later.js'

export const WORKLOADS = ['read', 'mixed', 'write', 'export'] as const

/**
 * - `read`: pages of charges.
 * - `mixed`: calls of eight endpoints in turn, each read-only.
 * - `write`: items added to draft batches, which are deleted at the end. No money moves.
 * - `export`: charges into an NDJSON file, which is removed at the end.
 */
export type Workload = (typeof WORKLOADS)[number]

/** Work divided into units of one or a few requests. */
export interface Work {
  /** Name of a unit: `page`, `call`. */
  readonly unit: string
  /** Number of endpoints that share the load. */
  readonly endpoints: number
  /** Processes the next unit, and emits the number of rows read or written. */
  readonly next: ObservableEither<AnyFailure, number>
  /** Removes data that the work created at the service. */
  readonly cleanUp: Observable<never>
  /** Paths that another program would request for the same work; empty if that is impossible. */
  readonly paths: ReadonlyArray<string>
}

export interface WorkOptions {
  readonly client: Client
  readonly pageSize: number
  /** Generates a `request_id`. */
  readonly uuid: IO<string>
}

type Unit = ObservableEither<AnyFailure, number>

/** Prepares work. For `export`, this is the work of the peers, which read the same pages. */
export const workOf = async (
  workload: Workload,
  options: WorkOptions,
): Promise<E.Either<AnyFailure, Work>> => {
  switch (workload) {
    case 'read':
    case 'export':
      return E.right(reading(options))
    case 'mixed':
      return mixing(options)
    case 'write':
      return E.right(writing(options))
  }
}

/** Number of pages that other programs read in turn. */
const PAGES = 40

const reading = ({ client, pageSize }: WorkOptions): Work => ({
  unit: 'page',
  endpoints: 1,
  next: pagesInTurn(client, pageSize),
  cleanUp: EMPTY,
  paths: Array.from(
    { length: PAGES },
    (_, page) => `/api/v1/charges?page_num=${page}&page_size=${pageSize}`,
  ),
})

/** Reads the next page of charges. The first page follows the last. */
const pagesInTurn = ({ charges }: Client, pageSize: number): Unit => {
  let next = 0
  let pages = Number.POSITIVE_INFINITY
  return defer(() => {
    const page_num = next++ % pages
    return charges.list({ page_num, page_size: pageSize }).pages.pipe(
      take(1),
      map(
        E.map(({ items, next }) => {
          if (O.isNone(next)) pages = Math.min(pages, page_num + 1)
          return items.length
        }),
      ),
    )
  })
}

const mixing = async (options: WorkOptions): Promise<E.Either<AnyFailure, Work>> => {
  const { charges, batchTransfers, webhooks, reference } = options.client
  const someCharges = await lastValueFrom(charges.list({ page_size: 10 }).pages.pipe(take(1)))
  if (E.isLeft(someCharges)) return someCharges
  const someBatches = await lastValueFrom(batchTransfers.list().pages.pipe(take(1)))
  if (E.isLeft(someBatches)) return someBatches
  const chargeIds = someCharges.right.items.flatMap((row) => (E.isLeft(row) ? [] : [row.right.id]))
  const batchIds = someBatches.right.items.flatMap((row) => (E.isLeft(row) ? [] : [row.right.id]))
  const rowsOf = map(E.map(({ items }: { readonly items: ReadonlyArray<unknown> }) => items.length))
  const one = map(E.map(() => 1))
  const calls: ReadonlyArray<readonly [path: string, unit: Unit]> = [
    ['/api/v1/charges?page_size=100', pagesInTurn(options.client, 100)],
    ...inTurn(chargeIds, (id) => [`/api/v1/charges/${id}`, charges.retrieve({ id }).pipe(one)]),
    ['/api/v1/batch_transfers', batchTransfers.list().pages.pipe(take(1), rowsOf)],
    ...inTurn(batchIds, (id) => [
      `/api/v1/batch_transfers/${id}`,
      batchTransfers.retrieve({ id }).pipe(one),
    ]),
    ['/api/v1/webhooks', webhooks.list().pages.pipe(take(1), rowsOf)],
    ['/api/v1/reference/supported_currencies', reference.supportedCurrencies().pipe(one)],
    ['/api/v1/reference/industry_categories', reference.industryCategories().pipe(one)],
    [
      '/api/v1/reference/invalid_conversion_dates?currency_pair=USDEUR',
      reference.invalidConversionDates({ currency_pair: 'USDEUR' }).pipe(one),
    ],
  ]
  let turn = 0
  return E.right({
    unit: 'call',
    endpoints: calls.length,
    next: defer(() => calls[turn++ % calls.length]?.[1] ?? EMPTY),
    cleanUp: EMPTY,
    paths: calls.map(([path]) => path),
  })
}

/** Creates a call with the next id in turn. Creates no call if there are no ids. */
const inTurn = (
  ids: ReadonlyArray<string>,
  make: (id: string) => readonly [path: string, unit: Unit],
): ReadonlyArray<readonly [path: string, unit: Unit]> => {
  const batches = ids.map(make)
  const [first] = batches
  let turn = 0
  return first === undefined
    ? []
    : [[first[0], defer(() => batches[turn++ % batches.length]?.[1] ?? EMPTY)]]
}

// writing

/** Items per call, and calls per batch (API limits). */
const ITEMS = 100
const CALLS = 10

const DELETED_AT_ONCE = 10

const writing = ({ client, uuid }: WorkOptions): Work => {
  const { batchTransfers } = client
  const drafts: Array<ObservableEither<AnyFailure, string>> = []
  let calls = 0
  const draft = (): ObservableEither<AnyFailure, string> =>
    batchTransfers
      .create({ request_id: uuid(), name: 'payments-rx bench', remarks: 'a draft, to be deleted' })
      .pipe(
        map(E.map(({ id }) => id)),
        shareReplay(1), // ten calls add to it
      )
  return {
    unit: 'call',
    endpoints: 1,
    next: defer(() => {
      const index = Math.floor(calls++ / CALLS)
      drafts[index] ??= draft()
      return (drafts[index] ?? EMPTY).pipe(
        concatChain((id) => batchTransfers.addItems({ id, items: items(uuid) })),
        map(E.map(() => ITEMS)),
      )
    }),
    cleanUp: defer(() => from(drafts.splice(0))).pipe(
      mergeMap(
        concatChain((id) => batchTransfers.delete({ id })),
        DELETED_AT_ONCE,
      ),
      ignoreElements(),
    ),
    paths: [],
  }
}

const items = (uuid: IO<string>): ReadonlyArray<NewBatchItem> =>
  Array.from({ length: ITEMS }, () => ({
    reason: 'other_services',
    reference: 'payments-rx bench',
    request_id: uuid(),
    source_currency: 'USD',
    transfer_currency: 'USD',
    transfer_method: 'LOCAL',
  }))

// exporting

/** Number of rows that are counted at a time. A function call for each of 40,000 rows per second would distort the figures. */
const COUNTED = 500

export interface ExportingOptions extends Omit<WorkOptions, 'uuid'> {
  /** Number of concurrent requests; if absent, enough to use the full rate limit. */
  readonly parallel: number | undefined
  readonly duration: Millis
  readonly timer: SchedulerLike
}

/** Exports charges to a folder of its own, repeatedly. Completes, or emits the reason why it failed. */
export const exporting =
  ({ client, pageSize, parallel, duration, timer }: ExportingOptions) =>
  (addRows: (rows: number) => void): Observable<AnyFailure | ExportError> =>
    defer(() => from(mkdtemp(join(tmpdir(), 'payments-rx-bench-')))).pipe(
      concatMap((folder) => {
        let isOver = false
        const stop = new ReplaySubject<void>(1)
        const stopping = later(duration, timer).subscribe(() => {
          isOver = true
          stop.next()
        })
        let rows = 0
        const count = (): boolean => {
          rows++
          if (rows % COUNTED === 0) addRows(COUNTED)
          return true
        }
        const charges = client.charges.snapshot({ page_size: pageSize })
        const source = parallel === undefined ? charges.parallel() : charges.parallel(parallel)
        const out = join(folder, 'charges.ndjson')
        return exportTo(source, { out, restart: true, stop, timer, filter: count }).pipe(
          repeat({ delay: () => (isOver ? EMPTY : of(0)) }),
          mergeMap((event) => (E.isLeft(event) ? [event.left] : [])),
          take(1),
          finalize(() => {
            stopping.unsubscribe()
            void rm(folder, { recursive: true, force: true })
          }),
        )
      }),
    )
