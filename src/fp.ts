/** fp-ts under the names used here. Node's ESM loads 'fp-ts/lib/Either.js', not 'fp-ts/Either'. */
export * as A from 'fp-ts/lib/Array.js'
export * as E from 'fp-ts/lib/Either.js'
export { flow, pipe } from 'fp-ts/lib/function.js'
export type { IO } from 'fp-ts/lib/IO.js'
export * as O from 'fp-ts/lib/Option.js'
export * as R from 'fp-ts/lib/Record.js'
export type { TaskEither } from 'fp-ts/lib/TaskEither.js'
