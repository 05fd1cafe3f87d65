/**
 * ```ts
 * const createClient: (options: ClientOptions) => Client
 * ```
 *
 * The rows of the interface, as calls: rows x Transport x scheduler.
 */
import type { Observable } from 'rxjs'
import { type Endpoint, untyped } from './api/Endpoint.js'
import { type Api, api, tables } from './api/index.js'
import type { Paging } from './api/Paging.js'
import { type Additions, additions } from './client/additions.js'
import type { Call, ClientOf } from './client/Call.js'
import {
  baseUrlOf,
  type CallOptions,
  type ClientOptions,
  changed,
  fetchableUrlOf,
} from './client/ClientOptions.js'
import { callFor, type ReadOptions } from './client/callFor.js'
import { callOptions, clientOptions } from './client/checkOptions.js'
import { checkedRow } from './client/checkRow.js'
import { createRuntime } from './client/createRuntime.js'
import { originOf } from './client/originOf.js'
import { type DriftFact, drift, parseExact } from './decode/index.js'
import { type IO, pipe, R } from './fp.js'
import type { CallSettings } from './http/CallSettings.js'
import type { ClientEvent } from './http/ClientEvent.js'
import { listLimitsOf } from './http/list/paceOf.js'
import { LIST_DEFAULTS } from './http/list/readList.js'
import type { RateLimitKey } from './http/RateLimitKey.js'
import { TIMEOUT } from './http/transport/Transport.js'
import type { Scheduler } from './scheduler/index.js'

// model

type Calls = {
  readonly [Resource in keyof Api]: ClientOf<Api>[Resource] &
    (Resource extends keyof Additions ? Additions[Resource] : unknown)
}

/** Every call of the interface under `<table>.<name>`, and a few words made of them. Made by `createClient`. */
export interface Client extends Calls {
  /**
   * Another client with other options for its calls; the same token, scheduler and events. Throws an
   * `InvalidOption` when one cannot work.
   */
  readonly with: (options: CallOptions) => Client
  /**
   * A call that the tables do not have, with all that theirs have. Throws an `InvalidOption` for a row that
   * cannot work, such as one that is `foundBy` a route that they do not have either: then give that row itself.
   */
  readonly request: <P, A, Code extends string, Pages extends Paging | undefined>(
    row: Endpoint<P, A, Code, Pages>,
  ) => Call<Endpoint<P, A, Code, Pages>>
  /** What came so far that no codec names, and how often; empty unless the option `drift` is on. */
  readonly drift: IO<ReadonlyArray<DriftFact>>
  /** What this client does, as it happens; redacted. */
  readonly events: Observable<ClientEvent>
  /** What holds requests back. Hand it to another client of the same account. */
  readonly scheduler: Scheduler<RateLimitKey>
}

// constructors

/** A client. Throws an `InvalidOption` when an option cannot work; nothing is sent until subscribed. */
export const createClient = (given: ClientOptions): Client => {
  const options = clientOptions(given)
  const urlOf = (options.fetch ?? options.transport) ? baseUrlOf : fetchableUrlOf
  const settings = changed(
    { baseUrl: urlOf(options.baseUrl), timeout: TIMEOUT, check: true, priority: 'interactive' },
    options,
  )
  const { engine, events } = createRuntime(options, settings)
  const pace = listLimitsOf(engine.scheduler)
  const reading: ReadOptions = {
    originOf: originOf(options, engine, pace, events, () => reading.drift?.facts() ?? []),
    lists: {
      ...LIST_DEFAULTS,
      ...options.lists,
      pace,
    },
    ...(options.numbers === 'exact' ? { parseText: parseExact } : {}),
    ...(options.drift === true
      ? { drift: drift({ onFact: (fact) => engine.emit({ _tag: 'Drifted', fact }) }) }
      : {}),
  }

  const clientWith = (settings: CallSettings): Client => {
    const call = callFor(engine, settings, reading)
    const calls = pipe(tables, R.map(R.map(call))) as ClientOf<Api>
    const strictly = callFor(engine, settings, {
      ...reading,
      lists: { strictEnd: true, ...reading.lists },
    })
    const more = additions({
      calls,
      strictCharges: typed(strictly(untyped(api.charges.list))),
      engine,
      settings,
    })
    return {
      ...calls,
      charges: { ...calls.charges, ...more.charges },
      batchTransfers: { ...calls.batchTransfers, ...more.batchTransfers },
      reference: { ...calls.reference, ...more.reference },
      with: (options) => clientWith(changed(settings, callOptions(options))),
      request: (row) => typed(call(checkedRow(untyped(row)))),
      drift: () => reading.drift?.facts() ?? [],
      events,
      scheduler: engine.scheduler,
    }
  }
  return clientWith(settings)
}

/** `Call` says of a row's type what `callOf` does with the row: the one place where the two meet. */
const typed = <Row>(call: unknown): Call<Row> => call as Call<Row>
