import { type Observable, Subject } from 'rxjs'
import { type AnyEndpoint, type Endpoint, isList, untyped } from '../api/Endpoint.js'
import { type Api, api, tables } from '../api/index.js'
import type { Paging } from '../api/Paging.js'
import { type DriftFact, drift, parseExact } from '../decode/index.js'
import { oneLine } from '../decode/redact.js'
import { flow, type IO, memoized, pipe, R, withoutPrototype } from '../fp.js'
import { withAttemptContext } from '../http/AttemptContext.js'
import type { ClientEvent } from '../http/ClientEvent.js'
import type { CallSettings, ClientRuntime } from '../http/ClientRuntime.js'
import { listLimitsOf, type RateLimitKey } from '../http/limits.js'
import { LIST_DEFAULTS } from '../http/list/List.js'
import { TIMEOUT } from '../http/transport/Transport.js'
import type { Scheduler } from '../scheduler/index.js'
import { GuardedEvents } from '../stream/guardedEvents.js'
import { warnOnce } from '../stream/warnOnce.js'
import {
  baseUrlOf,
  type CallOptions,
  type ClientOptions,
  callOptions,
  changed,
  checkPairs,
  clientOptions,
} from './ClientOptions.js'
import {
  type AnswersOf,
  type CallFactory,
  type CallOf,
  type ClientOf,
  callFactory,
  originOf,
  type ReadOptions,
  typedCall,
} from './callFactory.js'
import { checkedRow } from './checkRow.js'
import {
  type BatchFactory,
  type CompositeCalls,
  compositeCalls,
  itemsAnswer,
  type Makers,
} from './compositeCalls.js'
import { createRuntime } from './createRuntime.js'
import { withConnection } from './fromEnv.js'
import { anyStatusList } from './ledger.js'
import { logEvents } from './log.js'

// model

type Calls = {
  readonly [Resource in keyof Api]: ClientOf<Api>[Resource] &
    (Resource extends keyof CompositeCalls ? CompositeCalls[Resource] : unknown)
}

/** Every call of the interface as `<resource>.<name>`, and calls composed of them. Made by `createClient`. */
export interface Client extends Calls {
  /**
   * Makes a client with other options for its calls, and the same token, scheduler and events. Throws an
   * `InvalidOption` for an invalid option.
   */
  readonly with: (options: CallOptions) => Client
  /**
   * Makes the call of a row that the client does not have, with all features of its own. Throws an `InvalidOption`
   * for an invalid row, such as one that is `foundBy` the route of a list that it does not have either: then
   * `foundBy` is the row of that list.
   */
  readonly request: <P, A, Code extends string, Pages extends Paging | undefined>(
    row: Endpoint<P, A, Code, Pages>,
  ) => CallOf<Endpoint<P, A, Code, Pages>>
  /**
   * The calls with one value, which emit the response beside it: `{ value, status, header, attempts, traceId }`. Lists
   * and composed calls are not among them.
   */
  readonly withAnswer: AnswersOf<Api>
  /** Returns the fields and values received so far that no codec names; empty unless the option `drift` is on. */
  readonly drift: IO<ReadonlyArray<DriftFact>>
  /** Events of this client, as they happen; without secrets. */
  readonly events: Observable<ClientEvent>
  /** The scheduler, to be shared with another client of the same account. */
  readonly scheduler: Scheduler<RateLimitKey>
}

/** Attempts after the first, after a fault (default, not specified). */
const FAULT_RETRIES = 2

/** Time in which a write is looked up again, in ms (default, not specified). */
const LOOK_UP_FOR = 15_000

// constructors

/**
 * Makes a client. Without the option `baseUrl`, what is left out of the connection comes from the variables of the
 * command, as `fromEnv` reads them. Throws an `InvalidOption` for an invalid option; sends nothing until a call is
 * subscribed to.
 */
export const createClient = (given: ClientOptions = {}): Client => {
  checkPairs(given) // and not what variables add
  const options = clientOptions(withConnection(given))
  const defaults: CallSettings = {
    baseUrl: baseUrlOf(options),
    timeout: TIMEOUT,
    check: true,
    priority: 'interactive',
    headers: {},
    retry: { faults: FAULT_RETRIES, patience: Number.POSITIVE_INFINITY },
    lookUpFor: LOOK_UP_FOR,
    deadline: Number.POSITIVE_INFINITY,
  }
  const settings = changed(defaults, options)
  const { runtime, events: happening } = createRuntime(options, settings)
  const failing = (source: string) =>
    warnOnce(source, (text) => runtime.secrets.scrub(oneLine(text)))
  logEvents(happening, options.log, runtime.now, failing('the option log'))
  const events = new GuardedEvents(happening, failing('a subscriber of events'))
  const limits = () => listLimitsOf(runtime.scheduler)
  const facts = (): ReadonlyArray<DriftFact> => read.drift?.facts() ?? []
  const read: ReadOptions = withoutPrototype({
    originOf: originOf(options, runtime, limits, events, facts),
    lists: { ...LIST_DEFAULTS, ...options.lists, limits },
    ...(options.numbers === 'exact' ? { parseText: parseExact } : {}),
    ...(options.drift
      ? { drift: drift({ onFact: (fact) => runtime.emit({ _tag: 'Drifted', fact }) }) }
      : {}),
  })

  const clientWith = (settings: CallSettings): Client => {
    const parts = memoized(() => partsOf(runtime, settings, read))
    const client: Client = {
      get authentication() {
        return parts().resources.authentication
      },
      get charges() {
        return parts().resources.charges
      },
      get batchTransfers() {
        return parts().resources.batchTransfers
      },
      get reference() {
        return parts().resources.reference
      },
      get webhooks() {
        return parts().resources.webhooks
      },
      get partnerWebhooks() {
        return parts().resources.partnerWebhooks
      },
      with: (options) => clientWith(changed(settings, callOptions(options))),
      request: (row) => typedCall(parts().call(checkedRow(untyped(row)))),
      get withAnswer() {
        return parts().answers()
      },
      drift: facts,
      events,
      scheduler: runtime.scheduler,
    }
    Object.defineProperties(client, descriptions)
    return withAttemptContext(client, runtime.attempts)
  }
  return clientWith(settings)
}

/** Makes the parts of a client, for when the first of its calls is used. */
const partsOf = (runtime: ClientRuntime, settings: CallSettings, read: ReadOptions) => {
  const { call, answer } = callFactory(runtime, settings, read)
  const calls = callsOf(call)
  const composite = memoized(() => {
    const snapshotEvents = new Subject<ClientEvent>()
    const emit = (event: ClientEvent): void => {
      snapshotEvents.next(event)
      runtime.emit(event)
    }
    const ofSnapshots = callFactory({ ...runtime, emit }, settings, read).call
    const bulk = (): BatchFactory => {
      const { call, answer } = callFactory(runtime, { ...settings, priority: 'bulk' }, read)
      return { calls: callsOf(call).batchTransfers, answer }
    }
    return compositeCalls({
      calls,
      answer,
      bulk,
      snapshotCharges: () => typedCall(ofSnapshots(untyped(api.charges.list))),
      anyStatus: () => typedCall(ofSnapshots(untyped(anyStatusList))),
      runtime,
      snapshotEvents,
      settings,
    })
  })
  // `answer` makes of each row what `AnswersOf` says of its type; the mapping by name forgets it
  const answers = memoized(() => {
    const { batchTransfers, ...others } = pipe(
      tables,
      R.map(
        flow(
          R.filter(isSingle),
          R.map((row) => answer(row)),
        ),
      ),
    )
    const adding = itemsAnswer({ calls: calls.batchTransfers, answer }, runtime, settings)
    return {
      ...others,
      batchTransfers: { ...batchTransfers, addItems: adding },
    } as AnswersOf<Api>
  })
  const resources = lazily<Calls>({
    ...reading(calls),
    charges: () => lazily({ ...reading(calls.charges), ...composite().charges }),
    batchTransfers: () =>
      lazily({ ...reading(calls.batchTransfers), ...composite().batchTransfers }),
    reference: () => lazily({ ...reading(calls.reference), ...composite().reference }),
  })
  return { call, resources, answers }
}

/** For loggers and consoles: a client holds functions and streams, which have no JSON. */
const description = { value: () => '[payments-rx client]' }
const descriptions = {
  toJSON: description,
  [Symbol.for('nodejs.util.inspect.custom')]: description,
}

/** Makes the calls of all rows, each when it is first read; the mapping by name forgets what `call` says of their types. */
const callsOf = (call: CallFactory['call']): ClientOf<Api> =>
  lazily(
    R.map(
      (table: Readonly<Record<string, AnyEndpoint>>) => () =>
        lazily(R.map((row: AnyEndpoint) => () => call(row))(table)),
    )(tables),
  ) as unknown as ClientOf<Api>

const isSingle = (row: AnyEndpoint): boolean => !isList(row)

/** Makes an object whose values are made when they are first read: a client has many calls, and a program uses few of them. */
const lazily = <T extends object>(makers: Makers<T>): T => {
  const object = {}
  for (const name of Object.keys(makers)) {
    const get = (): unknown => {
      const value: unknown = Reflect.get(makers, name)()
      Object.defineProperty(object, name, { value, enumerable: true })
      return value
    }
    Object.defineProperty(object, name, { get, enumerable: true, configurable: true })
  }
  return object as T // it has the names of `makers`
}

/** Returns makers of the values of an object, which read them. */
const reading = <T extends object>(object: T): Makers<T> =>
  Object.fromEntries(
    Object.keys(object).map((name) => [name, () => Reflect.get(object, name)]),
  ) as Makers<T> // of each of its names
