/** `payments-rx/stream`: words for streams that serve any API. */
export { InvalidOption } from '../options/index.js'
export { type Backoff, type BackoffOptions, exponential, type Millis, PAUSES } from './Backoff.js'
export { type CollectOptions, collect, type Tally, type TooMany, tally } from './collect.js'
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
  until,
} from './either/ObservableEither.js'
export type { DrainOptions, Page, Paged, Pages } from './Paged.js'
export {
  type Cut,
  type PaginateOptions,
  type ParallelOptions,
  paginate,
} from './paginate.js'
export { retry } from './retry.js'
export type { Span } from './snapshot/SnapshotPosition.js'
export {
  type Slice,
  type SnapshotPage,
  type SnapshotPosition,
  wholeOf,
} from './snapshot/SnapshotPosition.js'
export { type SnapshotCut, type SnapshotOptions, snapshot } from './snapshot/snapshot.js'
