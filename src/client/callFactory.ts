/** Creates calls from endpoints. */
import { map, type Observable } from 'rxjs'
import { type AnyEndpoint, type Endpoint, isList, untyped } from '../api/Endpoint.js'
import { rows } from '../api/index.js'
import type { Paging } from '../api/Paging.js'
import { compile, type Decoder, type Drift, type DriftFact } from '../decode/index.js'
import { ROW_LEVELS } from '../decode/unknown.js'
import { E, type IO, withoutUndefined } from '../fp.js'
import {
  type Answer,
  answerReader,
  type ParseText,
  valueReader,
} from '../http/answer/readAnswer.js'
import type { ClientEvent } from '../http/ClientEvent.js'
import type { CallSettings, ClientRuntime } from '../http/ClientRuntime.js'
import { execute } from '../http/execute.js'
import type { Failure } from '../http/Failure.js'
import type { ListLimits } from '../http/limits.js'
import type { List, ListOptions, ListOrigin } from '../http/list/List.js'
import { readList } from '../http/list/readList.js'
import { byRequestId, lookAgain } from '../http/retry/lookUp.js'
import type { LookUp } from '../http/retry/Outcome.js'
import { scrubAll } from '../http/secrets.js'
import { InvalidOption } from '../options/index.js'
import type { ObservableEither } from '../stream/either/ObservableEither.js'
import type { ResolvedOptions } from './ClientOptions.js'
import { withMeasuredWidth } from './measuredWidth.js'

/** The call of an endpoint: takes one object, returns one stream. */
export type CallOf<Row> =
  Row extends Endpoint<infer P, infer A, infer Code, infer Pages>
    ? (
        ...params: Record<never, never> extends P ? [params?: P] : [params: P]
      ) => Pages extends Paging ? List<Failure<Code>, A> : ObservableEither<Failure<Code>, A>
    : never

/** The call of an endpoint that returns one value. It emits the value together with the HTTP response. */
type AnswerCall<Row> =
  Row extends Endpoint<infer P, infer A, infer Code>
    ? (
        ...params: Record<never, never> extends P ? [params?: P] : [params: P]
      ) => ObservableEither<Failure<Code>, Answer<A>>
    : never

/** Names of endpoints that return one value. */
type SingleNames<Table> = {
  [Name in keyof Table]: Table[Name] extends { readonly paging: Paging } ? never : Name
}[keyof Table]

/** The calls of one resource, as `AnswerCall`. Mapping the names of a `Pick` keeps doc comments. */
type Answers<Table> = { readonly [Name in keyof Table]: AnswerCall<Table[Name]> }

/** The calls that return one value, by resource. They emit the value together with the HTTP response. */
export type AnswersOf<Tables> = {
  readonly [Resource in keyof Tables]: Answers<
    Pick<Tables[Resource], SingleNames<Tables[Resource]>>
  >
}

/** The calls of all endpoints, under the names of the endpoints. */
export type ClientOf<Tables> = {
  readonly [Resource in keyof Tables]: {
    readonly [Name in keyof Tables[Resource]]: CallOf<Tables[Resource][Name]>
  }
}

export interface ReadOptions {
  readonly lists: ListOptions & { readonly limits: IO<ListLimits> }
  readonly parseText?: ParseText
  readonly drift?: Drift
  readonly originOf: (row: AnyEndpoint, settings: CallSettings) => ListOrigin
}

/** Options for finding out the outcome of a write. They override those of its endpoint. */
export interface WriteOptions {
  /** True if an earlier run may have sent the same write. A duplicate at the first attempt is then looked up as well. */
  readonly isRepeat?: boolean
  readonly lookUp?: LookUp<Answer<unknown>> | undefined
}

export interface CallFactory {
  readonly call: (row: AnyEndpoint) => CallOf<AnyEndpoint>
  readonly answer: (
    row: AnyEndpoint,
    options?: WriteOptions,
  ) => (params: unknown) => ObservableEither<Failure, Answer<unknown>>
}

export const callFactory = (
  runtime: ClientRuntime,
  settings: CallSettings,
  { lists, parseText, drift, originOf }: ReadOptions,
): CallFactory => {
  const executeOf = execute(runtime, settings)
  const again = lookAgain(runtime, settings.lookUpFor)
  const decoderOf = (row: AnyEndpoint): Decoder<unknown> =>
    observed(drift?.watch(row.route, row.success), compile(row.success))

  const lookUpOf = (row: AnyEndpoint): LookUp<Answer<unknown>> | undefined => {
    const finder = finderOf(row)
    return (
      finder &&
      byRequestId({
        find: executeOf(finder),
        decode: decoderOf(row),
        parseText,
        knownBy: row.knownBy,
        again,
        onFound: (call, requestId) =>
          runtime.emit({ _tag: 'Recovered', call, endpoint: row.route, requestId }),
      })
    )
  }
  const answer: CallFactory['answer'] = (
    row,
    { isRepeat = false, lookUp = lookUpOf(row) } = {},
  ) => {
    const read = answerReader(valueReader(decoderOf(row), parseText, row.answer))
    const execute = executeOf(row)
    return (params) => execute(params, read, { isRepeat, lookUp })
  }
  const call: CallFactory['call'] = (row) => {
    if (isList(row)) {
      const { watched, requests } = withMeasuredWidth(runtime, row)
      return readList({
        row,
        execute: execute(watched, settings)(row),
        measuredWidth: requests,
        check: settings.check,
        decode: decoderOf(row),
        parseText,
        options: lists,
        drift,
        origin: originOf(row, settings),
      })
    }
    return valuesOf(answer(row))
  }
  return { call, answer }
}

/** Casts a call to its type in `CallOf`. This is the only such cast. */
export const typedCall = <Row>(call: unknown): CallOf<Row> => call as CallOf<Row>

export const valuesOf =
  <P, A>(answerOf: (params: P) => ObservableEither<Failure, Answer<A>>) =>
  (params: P): ObservableEither<Failure, A> =>
    answerOf(params).pipe(map(E.map(({ value }) => value)))

/** Returns the list in which to look up the outcome of a write. */
const finderOf = ({ foundBy }: AnyEndpoint): AnyEndpoint | undefined => {
  if (foundBy === undefined) return undefined
  const row = typeof foundBy === 'string' ? rows.find(({ route }) => route === foundBy) : foundBy
  if (row === undefined) {
    throw new InvalidOption('foundBy', 'the route of an API list, or the endpoint of your own list')
  }
  return untyped(row)
}

const observed = <A>(
  observe: ((u: unknown) => void) | undefined,
  decode: Decoder<A>,
): Decoder<A> =>
  observe === undefined
    ? decode
    : (u) => {
        observe(u)
        return decode(u)
      }

export const originOf =
  (
    { credentials, partner, numbers }: ResolvedOptions,
    { secrets, serviceClock, emit }: Pick<ClientRuntime, 'secrets' | 'serviceClock' | 'emit'>,
    limits: IO<ListLimits>,
    events: Observable<ClientEvent>,
    drift: IO<ReadonlyArray<DriftFact>>,
  ): ReadOptions['originOf'] =>
  ({ auth }, { baseUrl, apiVersion, onBehalfOf }) => {
    const keys = credentials === undefined || 'token' in credentials ? undefined : credentials
    const account = {
      clientId: keys?.clientId,
      loginAs: keys?.loginAs,
      onBehalfOf,
      apiVersion,
    }
    const application = { clientId: partner?.clientId }
    return {
      baseUrl,
      ...withoutUndefined(auth === 'basic' ? application : account),
      numbers,
      perSecond: () => {
        const { global, endpoint } = limits()
        return Math.min(global, endpoint)
      },
      serviceTime: () => serviceClock.now(),
      events,
      tell: emit,
      drift,
      scrub: scrubAll((text) => secrets.scrub(text), ROW_LEVELS),
    }
  }
