/** `payments-rx/stream`: stream functions for any API. */
export { InvalidOption } from '../options/index.js'
export {
  type Backoff,
  type BackoffOptions,
  backoffDefaults,
  exponential,
  type Millis,
} from './Backoff.js'
export { type CollectOptions, collect, type Tally, type TooMany, tally } from './collect.js'
export { until } from './either/ObservableEither.js'
export type { DrainOptions, Page, Paged, Pages } from './Paged.js'
export {
  type Cut,
  type PaginateOptions,
  type ParallelOptions,
  paginate,
} from './paginate.js'
export { type RetryPolicy, retry } from './retry.js'
export type { UnsettledRead } from './snapshot/readUntilSettled.js'
export type { Span } from './snapshot/SnapshotPosition.js'
export {
  initialPosition,
  type Slice,
  type SnapshotPage,
  type SnapshotPosition,
} from './snapshot/SnapshotPosition.js'
export { type SnapshotCut, type SnapshotOptions, snapshot } from './snapshot/snapshot.js'
export type { SliceOutcome } from './snapshot/TimeField.js'
