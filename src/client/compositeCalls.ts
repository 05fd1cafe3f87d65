/** Calls that send several requests. */
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
import type { CallSettings, ClientRuntime } from '../http/ClientRuntime.js'
import { lookAgain } from '../http/retry/lookUp.js'
import { addAllItems, addItems, type CompareAdded } from './addItems.js'
import { type CallFactory, type CallOf, type ClientOf, typedCall, valuesOf } from './callFactory.js'
import { type CreateOnce, createOnce } from './createOnce.js'
import { type Chunk, inChunks } from './inChunks.js'
import { type LedgerSource, ledger } from './ledger.js'
import { compareItems, lookUpItems } from './lookUpItems.js'
import { methodsOf } from './methods.js'
import { type DiscardRun, discardRun } from './pay/discard.js'
import type { PaySpec } from './pay/PayContext.js'
import { type PayAll, type PayBatch, payAll, payBatch } from './pay/payAll.js'
import { type Snapshot, type SnapshotFailure, type SnapshotFilter, snapshot } from './snapshot.js'
import { FINAL_STATES, type UntilState, untilState } from './untilState.js'

type CodesOf<Row> =
  Row extends Endpoint<infer _P, infer _A, infer Code, infer _Pages> ? Code : never

/** Calls of a client that send several requests, by resource. */
export interface CompositeCalls {
  /** Charge calls that send several requests. */
  readonly charges: {
    /**
     * Like `create`, but safe to rerun: if an earlier run created a charge with this `request_id`, emits that charge in its
     * current state, provided that its amount, currency and source match.
     */
    readonly createOnce: CreateOnce<NewCharge, Charge, CodesOf<typeof api.charges.create>>
    /**
     * Reads every charge that matches the filter exactly once, even if others are created in the meantime. Unless the filter
     * has `to_created_at`, it ends at the time of subscription.
     */
    readonly snapshot: (
      filter?: SnapshotFilter,
    ) => Snapshot<SnapshotFailure<CodesOf<typeof api.charges.list>>, Charge>
    /** Waits until a charge is SETTLED or FAILED, or in one of `states`. */
    readonly untilState: UntilState<Charge>
    /**
     * Emits new and changed charges indefinitely: first the open ones (not yet `SETTLED` or `FAILED`), then each change that a
     * poll finds. An outage is a `Left`, after which the stream continues. Throws an `InvalidOption` for invalid options.
     */
    readonly changes: (options?: ChangesOptions) => Changes<Charge>
    /** Reads single charges, and pages of charges by status and second. `sync` fills a table and checks its counts with it. */
    readonly ledger: Ledger<Charge>
  }
  /** Batch calls that send several requests. */
  readonly batchTransfers: {
    /**
     * Like `create`, but safe to rerun: if an earlier run created a batch with this `request_id`, emits that batch in its current
     * state, provided that its name, funding source, deposit type and day match.
     */
    readonly createOnce: CreateOnce<
      NewBatchTransfer,
      BatchTransfer,
      CodesOf<typeof api.batchTransfers.create>
    >
    /** Waits until a batch is in a final state, or in one of `states`. */
    readonly untilState: UntilState<BatchTransfer>
    /**
     * Emits new and changed batches indefinitely: first those that can still change, then each change. Each poll reads the
     * whole list in pages of 50, because the service cannot filter by change. Throws an `InvalidOption` for invalid options.
     */
    readonly changes: (options?: ListChangesOptions) => Changes<BatchTransfer>
    readonly addItems: ClientOf<Api>['batchTransfers']['addItems']
    /**
     * Adds a stream of up to 1,000 items to a batch, 100 per call, and emits the outcome of each call. If a call failed, its
     * failure is repeated as the last value, so the last value tells whether all items were added. Only the `id` of the batch
     * is sent. A call fails with `InvalidRequest`, without being sent, if an item differs from an earlier one with the same
     * `request_id`. It fails with `Ambiguous` and `differences` if the batch already had a different item with that
     * `request_id`. An empty stream fails with `InvalidRequest`.
     */
    readonly addAllItems: (
      batch: ById,
    ) => (items: Observable<NewBatchItem>) => Observable<Chunk<BatchTransfer>>
    /**
     * Pays any number of items, each exactly once no matter how often it runs. Checks the items, fills batches, gets quotes,
     * asks `approve`, submits, and waits until all are booked. Emits progress, then a report. All state is in the batches.
     * Calls have the priority `bulk`.
     */
    readonly payAll: PayAll
    /**
     * Pays one batch of `paymentBatches`, each item exactly once no matter how often it runs. Meant for jobs on a queue. Emits
     * a report when the batch is final.
     */
    readonly payBatch: PayBatch
    /**
     * Deletes the drafts of a `payAll` run, but not its submitted batches. Fails with `OtherRun`, and deletes nothing, if a
     * batch with this name lacks metadata showing that the run created it.
     */
    readonly discardRun: DiscardRun
  }
  /** Reference data calls that send several requests. */
  readonly reference: {
    /**
     * Uploads a stream of order items, 500 per call, and emits the outcome of each call. An empty stream fails with
     * `InvalidRequest`.
     */
    readonly uploadAll: (
      options?: Omit<OrderUpload, 'items'>,
    ) => (items: Observable<OrderItem>) => Observable<Chunk<Acknowledgement>>
  }
}

export interface CompositeSpec {
  readonly calls: Pick<ClientOf<Api>, keyof CompositeCalls>
  /** Wraps calls so that methods that were replaced on the client take precedence. */
  readonly replaceable: <T extends object>(resource: keyof CompositeCalls, own: T) => T
  readonly answer: CallFactory['answer']
  /** The batch calls, in the bulk lane. */
  readonly bulk: IO<BatchFactory>
  /** The list of charges by any status, for snapshots. */
  readonly anyStatus: IO<LedgerSource['list']>
  readonly snapshotCharges: IO<ClientOf<Api>['charges']['list']>
  readonly runtime: ClientRuntime
  /** Number of concurrent requests for `snapshotCharges`, measured while subscribed. */
  readonly measuredWidth: Observable<number>
  readonly settings: CallSettings
}

export interface BatchFactory {
  readonly calls: ClientOf<Api>['batchTransfers']
  readonly answer: CallFactory['answer']
}

/** Creates the call that adds items and looks up their outcome. It emits the HTTP response as well. */
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

/** Creates a `create` call that can find the resource of an earlier run. */
const onceOf = <Row extends { readonly route: Route }>(
  answer: CallFactory['answer'],
  row: Row,
): CallOf<Row> => typedCall(valuesOf(answer(untyped(row), { isRepeat: true })))

/** Creates the batch calls that look up their own outcome. */
const batchCalls = (
  factory: BatchFactory,
  { runtime, settings, replaceable }: Pick<CompositeSpec, 'runtime' | 'settings' | 'replaceable'>,
) => {
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
  const own = replaceable('batchTransfers', { create: onceOf(answer, create), addItems: add })
  const once = createOnce(create.route, own.create)
  const { retrieve } = calls
  const { check } = settings
  const addAll = addAllItems({
    ...{ endpoint: adding.route, add: own.addItems, retrieve, compare, check },
  })
  return { compare, calls: { createOnce: once, addItems: add, addAllItems: addAll } }
}

/** Creates the methods. Each creates its call on first use. */
export const compositeCalls = (spec: CompositeSpec): CompositeCalls => {
  const { calls, answer, bulk, replaceable, runtime, settings } = spec
  const { anyStatus, snapshotCharges, measuredWidth } = spec
  const { random, serviceClock, timer } = runtime
  const { check, lookUpFor } = settings
  const any = memoized(() => replaceable('charges', { list: anyStatus() }))
  const charges = ledger({
    list: (filter) => any().list(filter),
    retrieve: (params) => calls.charges.retrieve(params),
    serviceTime: () => serviceClock.now(),
    now: runtime.now,
  })
  const batches = memoized(() => batchCalls({ calls: calls.batchTransfers, answer }, spec).calls)
  const payOne = memoized(() => payBatch(paying))
  const paying: PaySpec = {
    calls: memoized(() => {
      const factory = bulk()
      const rows = replaceable('batchTransfers', factory.calls)
      const { compare, calls } = batchCalls({ ...factory, calls: rows }, spec)
      return { ...rows, ...replaceable('batchTransfers', calls), compare }
    }),
    ...{ check, timer, random, lookUpFor },
    serviceTime: () => serviceClock.now() ?? runtime.now(),
  }
  return {
    charges: {
      ...methodsOf<Omit<CompositeCalls['charges'], 'ledger'>>('charges.', {
        createOnce: () => {
          const own = { create: onceOf(answer, api.charges.create) }
          return createOnce(api.charges.create.route, replaceable('charges', own).create)
        },
        snapshot: () =>
          snapshot({
            endpoint: api.charges.list.route,
            check,
            list: replaceable('charges', { list: snapshotCharges() }).list,
            logIn: runtime.authFor(untyped(api.charges.list)).header,
            serviceTime: () => serviceClock.now(),
            now: runtime.now,
            timer,
            measuredWidth,
          }),
        untilState: () =>
          untilState({
            endpoint: api.charges.retrieve.route,
            retrieve: calls.charges.retrieve,
            final: FINAL_STATES.charge,
            random,
            timer,
          }),
        changes: () => changes({ ledger: charges, timer, tell: runtime.emit }),
      }),
      ledger: charges,
    },
    batchTransfers: {
      ...methodsOf<Omit<CompositeCalls['batchTransfers'], 'payBatch'>>('batchTransfers.', {
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
        discardRun: () => discardRun(paying),
      }),
      payBatch: (...given) => payOne()(...given),
    },
    reference: methodsOf<CompositeCalls['reference']>('reference.', {
      uploadAll:
        () =>
        (options = {}) =>
          inChunks({
            endpoint: api.reference.upload.route,
            send: (items) => calls.reference.upload({ ...options, items }),
            size: ITEMS_PER_UPLOAD,
            most: Number.POSITIVE_INFINITY,
          }),
    }),
  }
}
