/** The public names of the package. */

// the client

export type {
  Change,
  ChangeEvent,
  ChangePosition,
  Changes,
  ChangesFailure,
  ChangesOptions,
} from './changes/ChangesOptions.js'
export type { ListChangesOptions } from './changes/listChanges.js'
export type { CallOptions, ClientOptions } from './client/ClientOptions.js'
export type { ClientOf } from './client/callFactory.js'
export { type Client, createClient } from './client/createClient.js'
export { fromEnv } from './client/fromEnv.js'
export type { Chunk } from './client/inChunks.js'
export type { LogFields, Logger } from './client/log.js'
export { isWithin } from './client/pay/approval.js'
export { type PayFailure, RunError, type RunFailure } from './client/pay/PayFailure.js'
export type {
  Approval,
  BatchReport,
  InvalidItem,
  PayAllOptions,
  PayBatchOptions,
  PayBound,
  PayEvent,
  PayItem,
  PayItems,
  PaymentBatch,
  PaymentOutcome,
  PayReport,
  PaySummary,
  RunBatches,
} from './client/pay/PayOptions.js'
export { paymentBatches } from './client/pay/payAll.js'
export type { Snapshot, SnapshotFailure, SnapshotFilter } from './client/snapshot.js'
export { toError, unwrap } from './client/unwrap.js'
export type { Answer } from './http/answer/readAnswer.js'
export type { ClientEvent } from './http/ClientEvent.js'
export { type RateLimitKey, tiers } from './http/limits.js'
export type { List, ListOptions, ListPlan, SnapshotPlan } from './http/list/List.js'
export type { Credentials, TokenSource } from './http/login/tokens.js'
export { wasRecovered } from './http/retry/lookUp.js'
export { InvalidOption } from './options/index.js'

// drift and exact numbers

export { type DriftFact, fromMinorUnits, minorUnitsOf, toMinorUnits } from './decode/index.js'

// failures

export {
  codes,
  fieldErrors,
  hasCode,
  isDuplicate,
  isInProgress,
  isInsufficientFunds,
} from './http/answer/errors.js'
export type {
  Ambiguous,
  AnyFailure,
  Failure,
  FieldDifference,
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
export { PaymentsError } from './http/Failure.js'

// resources

export * from './codec/index.js'

// endpoints

export { type Endpoint, endpoint } from './api/Endpoint.js'
export { api } from './api/index.js'
export { type Limits, limits, unlimited } from './api/limits.js'
export { byCursor, byNumber, type Position } from './api/Paging.js'
export { type Rule, rule } from './codec/Codec.js'

// transport

export type {
  Fetch,
  HttpRequest,
  HttpResponse,
  Timeout,
  Transport,
  TransportError,
} from './http/transport/Transport.js'

// streams of Either

export {
  concatChain,
  left,
  lefts,
  mapLeft,
  mapRight,
  mergeChain,
  type ObservableEither,
  orElse,
  orThrow,
  right,
  rights,
  toTaskEither,
} from './stream/either/ObservableEither.js'
export {
  collect,
  type Page,
  type Paged,
  retry,
  type SnapshotPosition,
  tally,
  until,
} from './stream/index.js'

// parts of the types above, which a program that emits declarations may have to name

export type {
  ErrorCodesByStatus,
  KnownBy,
  ListRow,
  ParamPlace,
  PathName,
  Repeatable,
  Route,
  Unspecified,
} from './api/Endpoint.js'
export type { Environment } from './api/limits.js'
export type { Paging } from './api/Paging.js'
export type { Ledger, LedgerPage, LedgerQuery, LedgerRow } from './changes/Ledger.js'
export type { AnswersOf, CallOf } from './client/callFactory.js'
export type { CompositeCalls } from './client/compositeCalls.js'
export type { CreateOnce } from './client/createOnce.js'
export type { Env } from './client/fromEnv.js'
export type { Log } from './client/log.js'
export type { DiscardRun } from './client/pay/discard.js'
export type {
  InvalidItems,
  ItemsChanged,
  NotApproved,
  NothingToPay,
  OtherRun,
  QuoteTooShort,
  Uncounted,
} from './client/pay/PayFailure.js'
export type {
  ApprovalOptions,
  Approve,
  Discarded,
  DiscardOptions,
  PaymentBatchesOptions,
  PayTotal,
  ReadFailure,
} from './client/pay/PayOptions.js'
export type { PayAll, PayBatch } from './client/pay/payAll.js'
export type { UntilState, WaitOptions } from './client/untilState.js'
export type { Acknowledgement, ById } from './codec/common.js'
export type { Codes, FieldError } from './http/answer/errors.js'
export type { DestinationWait, FailureSummary, RedactedFailure } from './http/ClientEvent.js'
export type { ListGuard } from './http/Failure.js'
export type { ListDescription, ListOrigin, PlanOptions } from './http/list/List.js'
export type { ExternalToken } from './http/login/tokens.js'
export type { RequestHooks } from './http/transport/kyTransport.js'
export type { FetchInit, FetchResponse } from './http/transport/Transport.js'
export type { Store, VersionedText } from './store/Store.js'
export type { StoreError, StoreErrors } from './store/StoreError.js'
export type { CollectOptions, Tally, TooMany } from './stream/index.js'
export type { RowCount } from './stream/snapshot/countRows.js'
