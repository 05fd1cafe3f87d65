/** The public surface, name by name. */

// the client

export type { Additions } from './client/additions.js'
export type { Call, ClientOf } from './client/Call.js'
export type { CallOptions, ClientOptions } from './client/ClientOptions.js'
export type { CreateOnce, Identified } from './client/createOnce.js'
export type { Chunk } from './client/inChunks.js'
export type { SnapshotFilter } from './client/SnapshotFilter.js'
export type { Snapshot, SnapshotFailure } from './client/snapshot.js'
export type { UntilState, WaitOptions } from './client/untilState.js'
export { type Client, createClient } from './client.js'
export type { ClientEvent } from './http/ClientEvent.js'
export { tiers } from './http/limits.js'
export type { ListPlan, PlanOptions } from './http/list/plan.js'
export type { List, ListOptions } from './http/list/readList.js'
export type { Credentials } from './http/login/login.js'
export type { ForeignToken, TokenSource } from './http/login/tokenSource.js'
export type { RateLimitKey } from './http/RateLimitKey.js'
export { wasRecovered } from './http/retry/recovered.js'
export { InvalidOption } from './options/index.js'

// what came, closer than a codec looks

export {
  type Cause,
  type DriftFact,
  type DriftKind,
  digitsOf,
  fromMinorUnits,
  type MinorUnitsFailure,
  minorUnitsOf,
  type NoDigits,
  toMinorUnits,
} from './decode/index.js'

// failures

export { type FieldError, fieldErrors } from './http/answer/fieldErrors.js'
export {
  type Codes,
  codes,
  hasCode,
  isDuplicate,
  isInProgress,
  isShortOfMoney,
} from './http/codes.js'
export type {
  Ambiguous,
  AnyFailure,
  Failure,
  InvalidRequest,
  ListGuard,
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
export type { RedactedFailure } from './http/redactFailure.js'

// resources, and what is sent to make them

export * from './codec/index.js'

// what can be asked

export {
  type Endpoint,
  type Errors,
  endpoint,
  type ListRow,
  type PathName,
  type Place,
  type Repeatable,
  type Route,
  type Unspecified,
} from './api/Endpoint.js'
export { api } from './api/index.js'
export { type Environment, type Limits, limits, unlimited } from './api/limits.js'
export { byCursor, byNumber, type Paging, type Position, type SizedPaging } from './api/Paging.js'
export { type Rule, rule } from './codec/Rule.js'

// how it is sent

export type { Fetch, FetchInit, FetchResponse } from './http/transport/Fetch.js'
export { type KyOptions, kyTransport } from './http/transport/kyTransport.js'
export type {
  HttpRequest,
  HttpResponse,
  Timeout,
  Transport,
  TransportError,
} from './http/transport/Transport.js'

// streams of Either

export {
  type CollectOptions,
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
  type Slice,
  type SnapshotPage,
  type SnapshotPosition,
  type Span,
  type Tally,
  type TooMany,
  tally,
  toTaskEither,
  until,
} from './stream/index.js'
