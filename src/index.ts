/** The public surface, name by name. */

// what can be asked
export type { ById } from './api/charges.js'
export {
  type Endpoint,
  endpoint,
  type PathName,
  type Place,
  type Repeatable,
  type Route,
} from './api/Endpoint.js'
export { api } from './api/index.js'
export { type Environment, type Limits, limits } from './api/limits.js'
export { byCursor, byNumber, type Paging, type Position } from './api/Paging.js'
export { type CallOptions, type ClientOptions, InvalidOption } from './ClientOptions.js'
// the client
export { type Call, type Client, type ClientOf, createClient } from './client.js'
export { Charge, ChargeFilter, ChargeReason, ChargeStatus, NewCharge } from './codec/Charge.js'
// what is on the wire
export type { Codec } from './codec/Codec.js'
export { fromDate, Instant, toDate } from './codec/Instant.js'
export type { ClientEvent } from './http/ClientEvent.js'
// failures
export type {
  Ambiguous,
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
export { PaymentsError, toError } from './http/Failure.js'
export type { ForeignToken, TokenSource } from './http/foreignToken.js'
// how it is sent
export { type KyOptions, kyTransport } from './http/ky.js'
export type { ListOptions } from './http/list.js'
export type { Credentials } from './http/login.js'
export { wasRecovered } from './http/recovered.js'
export type { Slot } from './http/Session.js'
export type { Answer, HttpRequest, Outage, Timeout, Transport } from './http/Transport.js'

// streams of Either
export {
  concatChain,
  lefts,
  mapLeft,
  mapRight,
  mergeChain,
  type ObservableEither,
  orThrow,
  type Page,
  type Paged,
  rights,
} from './stream/index.js'
