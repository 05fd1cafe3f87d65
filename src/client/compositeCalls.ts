/** Calls that are made of several requests. */
import type { Observable } from 'rxjs'
import { type Endpoint, type Route, untyped } from '../api/Endpoint.js'
import { type Api, api } from '../api/index.js'
import type { Changes, ChangesOptions } from '../changes/ChangesOptions.js'
import { changes } from '../changes/changes.js'
import type { Ledger } from '../changes/Ledger.js'
import { type ListChangesOptions, listChanges } from '../changes/listChanges.js'
import type { BatchTransfer, NewBatchTransfer } from '../codec/BatchTransfer.js'
import type { Charge, NewCharge } from '../codec/Charge.js'
import type { Acknowledgement, ById } from '../codec/common.js'
import type { NewBatchItem } from '../codec/NewBatchItem.js'
import { ITEMS_PER_UPLOAD, type OrderItem, type OrderUpload } from '../codec/OrderItem.js'
import { type IO, memoized } from '../fp.js'
import type { ClientEvent } from '../http/ClientEvent.js'
import type { CallSettings, ClientRuntime } from '../http/ClientRuntime.js'
import { listLimitsOf } from '../http/limits.js'
import { lookAgain } from '../http/retry/lookUp.js'
import { addAllItems, addItems, type CompareAdded } from './addItems.js'
import { type CallFactory, type CallOf, type ClientOf, typedCall, valuesOf } from './callFactory.js'
import { type CreateOnce, createOnce } from './createOnce.js'
import { type Chunk, inChunks } from './inChunks.js'
import { type LedgerSource, ledger } from './ledger.js'
import { compareItems, lookUpItems } from './lookUpItems.js'
import { measuredWidth } from './measuredWidth.js'
import { type DiscardRun, discardRun } from './pay/discard.js'
import type { PaySpec } from './pay/PayContext.js'
import { type PayAll, type PayBatch, payAll, payBatch } from './pay/payAll.js'
import { type Snapshot, type SnapshotFailure, type SnapshotFilter, snapshot } from './snapshot.js'
import { FINAL_STATES, type UntilState, untilState } from './untilState.js'

// model

/** Makers of the values of an object, by their names. */
export type Makers<T> = { readonly [Name in keyof T]: () => T[Name] }

type CodesOf<Row> =
  Row extends Endpoint<infer _P, infer _A, infer Code, infer _Pages> ? Code : never

/** Calls of a client in addition to those of the rows, by resource. */
export interface CompositeCalls {
  /** Composite calls of charges. */
  readonly charges: {
    /**
     * `create` for a job that runs again: emits the charge that an earlier run created with the same `request_id`, as
     * it is now, if amount, currency and source are the same.
     */
    readonly createOnce: CreateOnce<NewCharge, Charge, CodesOf<typeof api.charges.create>>
    /**
     * Reads every charge that matches the filter once, whatever is created meanwhile. Unless the filter has
     * `to_created_at`, it ends with the time of subscription.
     */
    readonly snapshot: (
      filter?: SnapshotFilter,
    ) => Snapshot<SnapshotFailure<CodesOf<typeof api.charges.list>>, Charge>
    /** Waits until a charge is SETTLED or FAILED, or in one of `states`. */
    readonly untilState: UntilState<Charge>
    /**
     * Emits charges that come or change, endlessly: first those that are open, then each change that a poll finds. An
     * outage is a `Left`, after which it goes on. Throws an `InvalidOption` for options that cannot work.
     */
    readonly changes: (options?: ChangesOptions) => Changes<Charge>
    /** Pages by status and second, and single rows: what `sync` and proofs of it read. */
    readonly ledger: Ledger<Charge>
  }
  /** Composite calls of batches. */
  readonly batchTransfers: {
    /**
     * `create` for a job that runs again: emits the batch that an earlier run created with the same `request_id`, as
     * it is now, if its name, funding source, deposit type and day are the same.
     */
    readonly createOnce: CreateOnce<
      NewBatchTransfer,
      BatchTransfer,
      CodesOf<typeof api.batchTransfers.create>
    >
    /** Waits until a batch is in a state that does not change by itself, or in one of `states`. */
    readonly untilState: UntilState<BatchTransfer>
    /**
     * Emits batches that come or change, endlessly: first those that can still change, then each change. It reads the
     * list whole each time, in pages of 50: the service offers no other way. Throws an `InvalidOption`.
     */
    readonly changes: (options?: ListChangesOptions) => Changes<BatchTransfer>
    readonly addItems: ClientOf<Api>['batchTransfers']['addItems']
    /**
     * Adds a stream of up to 1,000 items to a batch, 100 a call, and emits the outcome of each call; a failed one again
     * at the end, so that the last value tells if all are added. Only the `id` of the batch is sent. A call is
     * `InvalidRequest`, and not sent, if one of its items differs from an earlier item with the same `request_id`; it is
     * `Ambiguous`, with `differences`, if the batch shows that it had another item with its `request_id` before.
     */
    readonly addAllItems: (
      batch: ById,
    ) => (items: Observable<NewBatchItem>) => Observable<Chunk<BatchTransfer>>
    /**
     * Pays any number of items, each once, however often it is run: checks all, fills batches, quotes them, asks
     * `approve`, submits, and waits until all are booked. Emits what happens, and a report at last. Its state is in the
     * batches alone. In the bulk lane.
     */
    readonly payAll: PayAll
    /**
     * Pays one batch of `paymentBatches`, each item once, however often it is run: for the jobs of a queue. Emits a
     * report when it is final.
     */
    readonly payBatch: PayBatch
    /** Deletes the drafts of a run of `payAll`. Batches that were submitted stay. */
    readonly discardRun: DiscardRun
  }
  /** Composite calls of reference data. */
  readonly reference: {
    /** Uploads a stream of order items, 500 a call, and emits the outcome of each call. */
    readonly uploadAll: (
      options?: Omit<OrderUpload, 'items'>,
    ) => (items: Observable<OrderItem>) => Observable<Chunk<Acknowledgement>>
  }
}

/** Makers of the calls, by resource. */
type CompositeMakers = {
  readonly [Resource in keyof CompositeCalls]: Makers<CompositeCalls[Resource]>
}

interface Spec {
  readonly calls: ClientOf<Api>
  readonly answer: CallFactory['answer']
  /** The calls of batches, in the bulk lane. */
  readonly bulk: IO<BatchFactory>
  /** The list of charges by any status, as snapshots read it. */
  readonly anyStatus: IO<LedgerSource['list']>
  /** The list of charges, as snapshots read it. */
  readonly snapshotCharges: IO<ClientOf<Api>['charges']['list']>
  readonly runtime: ClientRuntime
  /** Events of `snapshotCharges`, and of no other call. */
  readonly snapshotEvents: Observable<ClientEvent>
  readonly settings: CallSettings
}

// constructors

/** The calls of batches, with what makes calls of rows. */
export interface BatchFactory {
  readonly calls: ClientOf<Api>['batchTransfers']
  readonly answer: CallFactory['answer']
}

/** Makes the call that adds items, which finds out what became of them; with its response. */
export const itemsAnswer = (
  { calls, answer }: BatchFactory,
  runtime: ClientRuntime,
  { lookUpFor }: Pick<CallSettings, 'lookUpFor'>,
): ReturnType<CallFactory['answer']> => {
  const row = untyped(api.batchTransfers.addItems)
  return answer(row, {
    lookUp: lookUpItems({
      items: calls.items,
      retrieve: answer(untyped(api.batchTransfers.retrieve)),
      add: answer(row),
      again: lookAgain(runtime, lookUpFor),
    }),
  })
}

/** Makes a `create` that finds what an earlier run has created. */
const onceOf = <Row extends { readonly route: Route }>(
  answer: CallFactory['answer'],
  row: Row,
): CallOf<Row> => typedCall(valuesOf(answer(untyped(row), { isRepeat: true })))

/** Makes the calls of batches that find out what became of them. */
const batchCalls = (factory: BatchFactory, runtime: ClientRuntime, settings: CallSettings) => {
  const { calls, answer } = factory
  const { codes, timer } = runtime
  const { create, addItems: adding } = api.batchTransfers
  const add = addItems(typedCall<typeof adding>(valuesOf(itemsAnswer(factory, runtime, settings))))
  const compare: CompareAdded = compareItems({
    items: calls.items,
    again: lookAgain(runtime, settings.lookUpFor),
    row: untyped(adding),
    codes,
    lookBy: () => timer.now() + Math.min(settings.retry.patience, settings.deadline),
  })
  const once = createOnce(create.route, onceOf(answer, create))
  const { retrieve } = calls
  const { check } = settings
  const addAll = addAllItems({ endpoint: adding.route, add, retrieve, compare, check })
  return { compare, calls: { createOnce: once, addItems: add, addAllItems: addAll } }
}

/** Returns makers of the calls: a client makes each when it is first used. */
export const compositeCalls = ({
  calls,
  answer,
  bulk,
  anyStatus,
  snapshotCharges,
  runtime,
  snapshotEvents,
  settings,
}: Spec): CompositeMakers => {
  const { random, scheduler, serviceClock, timer } = runtime
  const { check, lookUpFor } = settings
  const charges = memoized(() =>
    ledger({
      list: anyStatus(),
      retrieve: calls.charges.retrieve,
      serviceTime: () => serviceClock.now(),
      now: runtime.now,
    }),
  )
  const batches = memoized(
    () => batchCalls({ calls: calls.batchTransfers, answer }, runtime, settings).calls,
  )
  const paying: PaySpec = {
    calls: memoized(() => {
      const factory = bulk()
      const { compare, calls } = batchCalls(factory, runtime, settings)
      return { ...factory.calls, ...calls, compare }
    }),
    ...{ check, timer, random, lookUpFor },
    serviceTime: () => serviceClock.now() ?? runtime.now(),
  }
  return {
    charges: {
      createOnce: () => createOnce(api.charges.create.route, onceOf(answer, api.charges.create)),
      snapshot: () =>
        snapshot({
          endpoint: api.charges.list.route,
          check,
          list: snapshotCharges(),
          retrieve: calls.charges.retrieve,
          logIn: runtime.authFor(untyped(api.charges.list)).header,
          serviceTime: () => serviceClock.now(),
          now: runtime.now,
          timer,
          measuredWidth: measuredWidth(snapshotEvents, () => listLimitsOf(scheduler)),
        }),
      untilState: () =>
        untilState({
          endpoint: api.charges.retrieve.route,
          retrieve: calls.charges.retrieve,
          final: FINAL_STATES.charge,
          random,
          timer,
        }),
      changes: () => changes({ ledger: charges(), timer, tell: runtime.emit }),
      ledger: charges,
    },
    batchTransfers: {
      untilState: () =>
        untilState({
          endpoint: api.batchTransfers.retrieve.route,
          retrieve: calls.batchTransfers.retrieve,
          final: FINAL_STATES.batch,
          random,
          timer,
        }),
      changes: () =>
        listChanges({
          list: () => calls.batchTransfers.list(),
          isFinal: ({ status }) => FINAL_STATES.batch.some((final) => final === status),
          timer,
          now: runtime.now,
        }),
      createOnce: () => batches().createOnce,
      addItems: () => batches().addItems,
      addAllItems: () => batches().addAllItems,
      payAll: () => payAll(paying),
      payBatch: () => payBatch(paying),
      discardRun: () => discardRun(paying),
    },
    reference: {
      uploadAll:
        () =>
        (options = {}) =>
          inChunks({
            endpoint: api.reference.upload.route,
            send: (items) => calls.reference.upload({ ...options, items }),
            size: ITEMS_PER_UPLOAD,
            most: Number.POSITIVE_INFINITY,
          }),
    },
  }
}
