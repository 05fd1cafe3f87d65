/** `payments-rx/stream`: words for streams that serve any API. */
export * from './Backoff.js'
export * from './collect.js'
export * from './ObservableEither.js'
export { type Drain, type Paged, type Pages, paged } from './Paged.js'
export * from './Pull.js'
export * from './paginate.js'
export * from './parallel.js'
export * from './retry.js'
