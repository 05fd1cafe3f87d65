/** `payments-rx/stream`: words for streams that serve any API. */
export { InvalidOption } from '../options/index.js'
export { ahead } from './ahead.js'
export { asTheyCome } from './asTheyCome.js'
export { type Backoff, type BackoffOptions, exponential, type Millis, PAUSES } from './Backoff.js'
export { type CollectOptions, collect, type Tally, type TooMany, tally } from './collect.js'
export { iterate } from './iterate.js'
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
} from './ObservableEither.js'
export { type DrainOptions, type Paged, type Pages, paged, views } from './Paged.js'
export { consume, observe, type Pull, pullOf } from './Pull.js'
export { type Cut, type Page, type PaginateOptions, paginate } from './paginate.js'
export { inParallel, type ParallelOptions, parallel } from './parallel.js'
export { type Allocate, type Around, type RowTexts, someOf } from './RowTexts.js'
export { retry } from './retry.js'
export {
  type Slice,
  type SnapshotCut,
  type SnapshotOptions,
  type SnapshotPage,
  type SnapshotPosition,
  type Span,
  snapshot,
  wholeOf,
} from './snapshot/index.js'
