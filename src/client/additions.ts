/** Small words made of the rows. */
import type { Observable } from 'rxjs'
import type { AnyEndpoint, Endpoint } from '../api/Endpoint.js'
import { type Api, api } from '../api/index.js'
import type { BatchTransfer, NewBatchTransfer } from '../codec/BatchTransfer.js'
import type { Charge, NewCharge } from '../codec/Charge.js'
import type { Acknowledgement, ById } from '../codec/common.js'
import type { NewBatchItem } from '../codec/NewBatchItem.js'
import { ITEMS_PER_UPLOAD, type OrderItem, type OrderUpload } from '../codec/OrderItem.js'
import type { CallSettings } from '../http/CallSettings.js'
import type { ClientRuntime } from '../http/ClientRuntime.js'
import { hasCode } from '../http/codes.js'
import { addAllItems } from './addAllItems.js'
import { addItems } from './addItems.js'
import type { ClientOf } from './Call.js'
import { type CreateOnce, type CreateOnceSpec, createOnce } from './createOnce.js'
import { type Chunk, inChunks } from './inChunks.js'
import type { SnapshotFilter } from './SnapshotFilter.js'
import { type Snapshot, type SnapshotFailure, snapshot } from './snapshot.js'
import { FINAL_STATES, type UntilState, untilState } from './untilState.js'

// model

type CodesOf<Row> =
  Row extends Endpoint<infer _P, infer _A, infer Code, infer _Pages> ? Code : never

/** What a client has besides the rows, on the table that it is about. */
export interface Additions {
  /** What charges have beside their calls. */
  readonly charges: {
    /**
     * `create` for a job that runs again: emits the charge that an earlier run made with the same `request_id`,
     * as it stands now, in place of the refusal, when amount, currency and source are the same.
     */
    readonly createOnce: CreateOnce<NewCharge, Charge, CodesOf<typeof api.charges.create>>
    /**
     * Every charge that passes the filter from start to end, once, whatever comes and goes meanwhile. What
     * is made after the start is left out: unless the filter names `to_created_at`, it is the time then.
     */
    readonly snapshot: (
      filter?: SnapshotFilter,
    ) => Snapshot<SnapshotFailure<CodesOf<typeof api.charges.list>>, Charge>
    /** Waits until a charge is SETTLED or FAILED, or in one of the `states` that you name. */
    readonly untilState: UntilState<Charge>
  }
  /** What batches have beside their calls. */
  readonly batchTransfers: {
    /**
     * `create` for a job that runs again: emits the batch that an earlier run made with the same `request_id`,
     * as it stands now, in place of the refusal, when its name is the same.
     */
    readonly createOnce: CreateOnce<
      NewBatchTransfer,
      BatchTransfer,
      CodesOf<typeof api.batchTransfers.create>
    >
    /** Waits until nothing happens to a batch by itself any more, or for the `states` that you name. */
    readonly untilState: UntilState<BatchTransfer>
    readonly addItems: ClientOf<Api>['batchTransfers']['addItems']
    /**
     * Adds a stream of up to 1,000 items to a batch, 100 a call, and emits the outcome of each call. The batch
     * itself will do: nothing of it but its `id` is sent. A call with an item that differs from an earlier one with its
     * `request_id` is `InvalidRequest`, and is not sent.
     */
    readonly addAllItems: (
      batch: ById,
    ) => (items: Observable<NewBatchItem>) => Observable<Chunk<BatchTransfer>>
  }
  /** What reference data has beside its calls. */
  readonly reference: {
    /** Uploads a stream of order items, 500 a call, and tells of each call. */
    readonly uploadAll: (
      options?: Omit<OrderUpload, 'items'>,
    ) => (items: Observable<OrderItem>) => Observable<Chunk<Acknowledgement>>
  }
}

/** What they are made of. */
interface Base {
  readonly calls: ClientOf<Api>
  /** The list of charges, whose pages have to say which is the last. */
  readonly strictCharges: ClientOf<Api>['charges']['list']
  readonly engine: Pick<ClientRuntime, 'codes' | 'emit' | 'random' | 'timer'>
  readonly settings: Pick<CallSettings, 'check'>
}

// constructors

export const additions = ({ calls, strictCharges, engine, settings }: Base): Additions => {
  const { codes, emit, random, timer } = engine
  const adding = addItems(calls.batchTransfers)
  const isDuplicate = hasCode(...codes.duplicate)
  const onceOf = <P, A, Code extends string>(
    { route: endpoint, knownBy }: Pick<AnyEndpoint, 'route' | 'knownBy'>,
    { create, list }: Pick<CreateOnceSpec<P, A, Code>, 'create' | 'list'>,
  ): CreateOnce<P, A, Code> =>
    createOnce({
      endpoint,
      knownBy,
      create,
      list,
      isDuplicate,
      onFound: (requestId) => emit({ _tag: 'Recovered', endpoint, requestId }),
    })
  return {
    charges: {
      createOnce: onceOf(api.charges.create, calls.charges),
      snapshot: snapshot({
        endpoint: api.charges.list.route,
        list: strictCharges,
        now: () => timer.now(),
      }),
      untilState: untilState({
        endpoint: api.charges.retrieve.route,
        retrieve: calls.charges.retrieve,
        final: FINAL_STATES.charge,
        random,
        timer,
      }),
    },
    batchTransfers: {
      createOnce: onceOf(api.batchTransfers.create, calls.batchTransfers),
      addItems: adding,
      untilState: untilState({
        endpoint: api.batchTransfers.retrieve.route,
        retrieve: calls.batchTransfers.retrieve,
        final: FINAL_STATES.batch,
        random,
        timer,
      }),
      addAllItems: addAllItems({
        endpoint: api.batchTransfers.addItems.route,
        add: adding,
        check: settings.check,
      }),
    },
    reference: {
      uploadAll: (options = {}) =>
        inChunks({
          endpoint: api.reference.upload.route,
          send: (items) => calls.reference.upload({ ...options, items }),
          size: ITEMS_PER_UPLOAD,
          most: Number.POSITIVE_INFINITY,
        }),
    },
  }
}
