/**
 * ```ts
 * const createClient: (options: ClientOptions) => Client
 * ```
 *
 * The rows of the interface, as calls: rows x Transport x scheduler.
 */
import type { Observable } from 'rxjs'
import { type AnyEndpoint, type Endpoint, isList, untyped } from './api/Endpoint.js'
import { type Api, rows, tables } from './api/index.js'
import type { Paging } from './api/Paging.js'
import { type Additions, additions } from './client/additions.js'
import { baseUrlOf, type CallOptions, type ClientOptions, changed } from './client/ClientOptions.js'
import { callOptions, clientOptions } from './client/checkOptions.js'
import { checkedRow } from './client/checkRow.js'
import { openSession } from './client/openSession.js'
import {
  compile,
  type Decoder,
  type Drift,
  type DriftFact,
  drift,
  parseExact,
} from './decode/index.js'
import { defined, type IO, pipe, R } from './fp.js'
import type { ParseText } from './http/answer.js'
import { ask } from './http/ask.js'
import type { Budget } from './http/Budget.js'
import type { ClientEvent } from './http/ClientEvent.js'
import type { Failure } from './http/Failure.js'
import { LISTS, type List, type ListOptions, list } from './http/list.js'
import { paceOf } from './http/paceOf.js'
import type { Pace } from './http/plan.js'
import type { Session, Settings, Slot } from './http/Session.js'
import { TIMEOUT } from './http/Transport.js'
import { value } from './http/value.js'
import { InvalidOption } from './options/index.js'
import type { Scheduler } from './scheduler/index.js'
import type { ObservableEither } from './stream/index.js'

// model

/** What a row is to callers: one object in, one stream out. */
export type Call<Row> =
  Row extends Endpoint<infer P, infer A, infer Code, infer Pages>
    ? (
        ...params: Record<never, never> extends P ? [params?: P] : [params: P]
      ) => Pages extends Paging ? List<Failure<Code>, A> : ObservableEither<Failure<Code>, A>
    : never

/** Every row of every table, under its name. */
export type ClientOf<Tables> = {
  readonly [Resource in keyof Tables]: {
    readonly [Name in keyof Tables[Resource]]: Call<Tables[Resource][Name]>
  }
}

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
  readonly scheduler: Scheduler<Slot>
}

// constructors

/** A client. Throws an `InvalidOption` when an option cannot work; nothing is sent until subscribed. */
export const createClient = (given: ClientOptions): Client => {
  const options = clientOptions(given)
  const settings = changed(
    { baseUrl: baseUrlOf(options.baseUrl), timeout: TIMEOUT, check: true, priority: 'interactive' },
    options,
  )
  const { session, events } = openSession(options, settings)
  const told = events.asObservable()
  const reading: Reading = {
    lists: {
      ...LISTS,
      ...options.lists,
      pace: paceOf(session.scheduler),
    },
    ...(options.numbers === 'exact' ? { parseText: parseExact } : {}),
    ...(options.drift === true
      ? { drift: drift({ onFact: (fact) => session.emit({ _tag: 'Drifted', fact }) }) }
      : {}),
  }

  const clientWith = (settings: Settings): Client => {
    const call = callOf(session, settings, reading)
    const calls = pipe(tables, R.map(R.map(call))) as ClientOf<Api>
    const more = additions(calls, session)
    return {
      ...calls,
      charges: { ...calls.charges, ...more.charges },
      batchTransfers: { ...calls.batchTransfers, ...more.batchTransfers },
      reference: { ...calls.reference, ...more.reference },
      with: (options) => clientWith(changed(settings, callOptions(options))),
      request: (row) => typed(call(checkedRow(untyped(row)))),
      drift: () => reading.drift?.facts() ?? [],
      events: told,
      scheduler: session.scheduler,
    }
  }
  return clientWith(settings)
}

/** How answers are read. */
interface Reading {
  readonly lists: ListOptions & { readonly pace: Pace }
  readonly parseText?: ParseText
  readonly drift?: Drift
}

const watched = <A>(watch: ((u: unknown) => void) | undefined, decode: Decoder<A>): Decoder<A> =>
  watch === undefined
    ? decode
    : (u) => {
        watch(u)
        return decode(u)
      }

/** `Call` says of a row's type what `callOf` does with the row: the one place where the two meet. */
const typed = <Row>(call: unknown): Call<Row> => call as Call<Row>

/** The list that tells what became of a write. */
const finderOf = ({ foundBy }: AnyEndpoint): AnyEndpoint | undefined => {
  if (foundBy === undefined) return undefined
  const row = typeof foundBy === 'string' ? rows.find(({ route }) => route === foundBy) : foundBy
  if (row === undefined) {
    throw new InvalidOption(
      'foundBy',
      'the route of a list of the interface, or the row of another',
    )
  }
  return untyped(row)
}

/** A look-up is no call of its own: it adds nothing to what may be tried again. */
const notEarned = (budget: Budget): Budget => ({ ...budget, earn: () => {} })

/** What a row does; `Call` says the same of its type. */
const callOf =
  (session: Session, settings: Settings, { lists, parseText, drift }: Reading) =>
  (row: AnyEndpoint): Call<AnyEndpoint> => {
    const finder = finderOf(row)
    const recovery = finder && {
      find: ask({ ...session, budget: notEarned(session.budget) }, settings, finder),
      knownBy: row.knownBy,
      ...defined({ parseText }),
      found: (requestId: string) =>
        session.emit({ _tag: 'Recovered', endpoint: row.route, requestId }),
    }
    const asking = ask(session, settings, row)
    const decode = watched(drift?.watch(row.route, row.success), compile(row.success))
    return isList(row)
      ? list(row, asking, decode, lists, parseText, drift)
      : value(asking, decode, recovery, row.answer, parseText)
  }
