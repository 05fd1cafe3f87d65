/** The public surface, name by name. */

// the client

export type { ClientOf } from './client/Call.js'
export type { CallOptions, ClientOptions } from './client/ClientOptions.js'
export type { Chunk } from './client/inChunks.js'
export type { SnapshotFilter } from './client/SnapshotFilter.js'
export type { Snapshot, SnapshotFailure } from './client/snapshot.js'
export { type Client, createClient } from './client.js'
export type { ClientEvent } from './http/ClientEvent.js'
export { tiers } from './http/limits.js'
export type { ListPlan } from './http/list/plan.js'
export type { List, ListOptions } from './http/list/readList.js'
export type { Credentials } from './http/login/login.js'
export type { TokenSource } from './http/login/tokenSource.js'
export type { RateLimitKey } from './http/RateLimitKey.js'
export { wasRecovered } from './http/retry/recovered.js'
export { InvalidOption } from './options/index.js'

// what came, closer than a codec looks

export { type DriftFact, fromMinorUnits, minorUnitsOf, toMinorUnits } from './decode/index.js'

// failures

export { fieldErrors } from './http/answer/fieldErrors.js'
export { codes, hasCode, isDuplicate, isInProgress, isShortOfMoney } from './http/codes.js'
export type {
  Ambiguous,
  AnyFailure,
  Failure,
  InvalidRequest,
  Refused,
  ServerFault,
  Throttled,
  TimedOut,
  Truncated,
  Unauthorized,
  Undecodable,
  Unreachable,
} from './http/Failure.js'
export { PaymentsError, toError } from './http/PaymentsError.js'

// resources, and what is sent to make them

export * from './codec/index.js'

// what can be asked

export { type Endpoint, endpoint } from './api/Endpoint.js'
export { api } from './api/index.js'
export { type Limits, limits, unlimited } from './api/limits.js'
export { byCursor, byNumber, type Position } from './api/Paging.js'
export { type Rule, rule } from './codec/Rule.js'

// how it is sent

export type { Fetch } from './http/transport/Fetch.js'
export { kyTransport } from './http/transport/kyTransport.js'
export type {
  HttpRequest,
  HttpResponse,
  Timeout,
  Transport,
  TransportError,
} from './http/transport/Transport.js'

// streams of Either

export {
  collect,
  concatChain,
  left,
  lefts,
  mapLeft,
  mapRight,
  mergeChain,
  type ObservableEither,
  orElse,
  orThrow,
  type Page,
  type Paged,
  retry,
  right,
  rights,
  type SnapshotPosition,
  tally,
  toTaskEither,
  until,
} from './stream/index.js'
