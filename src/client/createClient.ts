import type { Observable } from 'rxjs'
import { type AnyEndpoint, type Endpoint, isList, untyped } from '../api/Endpoint.js'
import { type Api, api, tables } from '../api/index.js'
import type { Paging } from '../api/Paging.js'
import { parseWithDigits } from '../decode/digits.js'
import { type DriftFact, drift, parseExact } from '../decode/index.js'
import { oneLine } from '../decode/redact.js'
import { type IO, memoized, pipe, R, withoutPrototype } from '../fp.js'
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
  type CompositeSpec,
  compositeCalls,
  itemsAnswer,
} from './compositeCalls.js'
import { createRuntime } from './createRuntime.js'
import { withConnection } from './fromEnv.js'
import { anyStatusList } from './ledger.js'
import { logEvents } from './log.js'
import { withMeasuredWidth } from './measuredWidth.js'
import { type Makers, methodOf, methodsOf, unlessReplaced } from './methods.js'

type Calls = {
  readonly [Resource in keyof Api]: ClientOf<Api>[Resource] &
    (Resource extends keyof CompositeCalls ? CompositeCalls[Resource] : unknown)
}

/** Every endpoint as `<resource>.<name>`, and calls that send several requests. Created by `createClient`. */
export interface Client extends Calls {
  /**
   * Returns a client with other options for its calls, and the same token, scheduler and events. Throws an `InvalidOption` for an
   * invalid option.
   */
  readonly with: (options: CallOptions) => Client
  /**
   * Creates a call to an endpoint that the client does not have, with the same features as its own calls. Throws an
   * `InvalidOption` for an invalid endpoint, for example if `foundBy` is the route of a list that the client does not have. In
   * that case, set `foundBy` to the endpoint of that list.
   */
  readonly request: <P, A, Code extends string, Pages extends Paging | undefined>(
    row: Endpoint<P, A, Code, Pages>,
  ) => CallOf<Endpoint<P, A, Code, Pages>>
  /**
   * The calls that return one value. They emit it together with the HTTP response: `{ value, status, header, attempts, traceId
   * }`. Does not include lists or calls that send several requests.
   */
  readonly withAnswer: AnswersOf<Api>
  /** Returns the fields and values received so far that no codec describes (drift). Empty unless the option `drift` is on. */
  readonly drift: IO<ReadonlyArray<DriftFact>>
  /** Events of this client as they happen, without secrets. */
  readonly events: Observable<ClientEvent>
  /** The scheduler, which can be shared with another client of the same account. */
  readonly scheduler: Scheduler<RateLimitKey>
}

/** Attempts after the first, after a fault (our assumption: not in the API description). */
const FAULT_RETRIES = 2

/** Time to look up a write, in ms (our assumption: not in the API description). */
const LOOK_UP_FOR = 15_000

/**
 * Creates a client. If `baseUrl` is omitted, missing connection options are read from environment variables, as by `fromEnv`.
 * Throws an `InvalidOption` for an invalid option. Sends nothing until a call is subscribed to.
 */
export const createClient = (given: ClientOptions = {}): Client => {
  checkPairs(given) // without the options that come from variables
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
    parseText: options.numbers === 'exact' ? parseExact : parseWithDigits,
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
      with: methodOf(
        'with',
        () => (options) => clientWith(changed(settings, callOptions(options))),
      ),
      request: methodOf('request', () => (row) => {
        const call = parts().call(checkedRow(untyped(row)))
        return typedCall(methodOf(row.route, () => call))
      }),
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

/** Creates the parts of a client, on the first use of one of its calls. */
const partsOf = (runtime: ClientRuntime, settings: CallSettings, read: ReadOptions) => {
  const { call, answer } = callFactory(runtime, settings, read)
  const ofRows = methodsOfRows(call)
  /** the original methods, because a test may replace those of `resources` */
  const originals = new Map<keyof CompositeCalls, object>()
  const keep = <T extends object>(name: keyof CompositeCalls, methods: T): T => {
    originals.set(name, { ...methods })
    return methods
  }
  const replaceable: CompositeSpec['replaceable'] = (name, own) =>
    unlessReplaced(
      () => resources[name],
      () => originals.get(name) ?? {},
      own,
    )
  const composite = memoized(() => {
    const { watched, requests } = withMeasuredWidth(runtime, api.charges.list)
    const ofSnapshots = callFactory(watched, settings, read).call
    const bulk = (): BatchFactory => {
      const exact = withoutPrototype({ ...read, parseText: parseExact }) // quotes are compared digit by digit
      const { call, answer } = callFactory(runtime, { ...settings, priority: 'bulk' }, exact)
      return { calls: methodsOfRows(call).batchTransfers, answer }
    }
    return compositeCalls({
      calls: lazily({
        charges: () => replaceable('charges', ofRows.charges),
        batchTransfers: () => replaceable('batchTransfers', ofRows.batchTransfers),
        reference: () => replaceable('reference', ofRows.reference),
      }),
      replaceable,
      answer,
      bulk,
      snapshotCharges: () => typedCall(ofSnapshots(untyped(api.charges.list))),
      anyStatus: () => typedCall(ofSnapshots(untyped(anyStatusList))),
      runtime,
      measuredWidth: requests,
      settings,
    })
  })
  // `answer` turns each endpoint into its type in `AnswersOf`; the mapping by name loses that type
  const answers = memoized(() => {
    const adding = () => itemsAnswer({ calls: ofRows.batchTransfers, answer }, runtime, settings)
    return R.mapWithIndex((resource: keyof Api, table: Readonly<Record<string, AnyEndpoint>>) =>
      methodsOf(`withAnswer.${resource}.`, {
        ...pipe(
          table,
          R.filter(isSingle),
          R.map((row) => () => answer(row)),
        ),
        ...(resource === 'batchTransfers' ? { addItems: adding } : {}),
      }),
    )(tables) as unknown as AnswersOf<Api>
  })
  const resources: Calls = lazily<Calls>({
    ...reading(ofRows),
    charges: () => keep('charges', { ...ofRows.charges, ...composite().charges }),
    batchTransfers: () =>
      keep('batchTransfers', { ...ofRows.batchTransfers, ...composite().batchTransfers }),
    reference: () => keep('reference', { ...ofRows.reference, ...composite().reference }),
  })
  return { call, resources, answers }
}

/** Shown by loggers and consoles, because the functions and streams of a client have no JSON. */
const description = { value: () => '[payments-rx client]' }
const descriptions = {
  toJSON: description,
  [Symbol.for('nodejs.util.inspect.custom')]: description,
}

/** Creates the methods of all endpoints; the mapping by name loses the type of `call`. */
const methodsOfRows = (call: CallFactory['call']): ClientOf<Api> =>
  lazily(
    R.mapWithIndex(
      (resource: string, table: Readonly<Record<string, AnyEndpoint>>) => () =>
        methodsOf(`${resource}.`, R.map((row: AnyEndpoint) => () => call(row))(table)),
    )(tables),
  ) as unknown as ClientOf<Api>

const isSingle = (row: AnyEndpoint): boolean => !isList(row)

/** Creates an object whose values are created on first read, because a program uses few of them. */
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
  return object as T // has the names of `makers`
}

const reading = <T extends object>(object: T): Makers<T> =>
  Object.fromEntries(
    Object.keys(object).map((name) => [name, () => Reflect.get(object, name)]),
  ) as Makers<T> // one for each name
