/** `payments-rx/stream`: words for streams that serve any API. */
export * from './Backoff.js'
export * from './ObservableEither.js'
export * from './Paged.js'
export * from './Pull.js'
export * from './paginate.js'
export * from './retry.js'
