/**
 * fp-ts under the names used here, and words that it lacks. Node's ESM loads 'fp-ts/lib/Either.js', not
 * 'fp-ts/Either'.
 */
import type { IO } from 'fp-ts/lib/IO.js'

export * as A from 'fp-ts/lib/Array.js'
export * as E from 'fp-ts/lib/Either.js'
export { flow, pipe } from 'fp-ts/lib/function.js'
export type { IO } from 'fp-ts/lib/IO.js'
export * as O from 'fp-ts/lib/Option.js'
export * as R from 'fp-ts/lib/Record.js'
export type { TaskEither } from 'fp-ts/lib/TaskEither.js'

/** Fields that may be left out, but are not `undefined`. */
export type Defined<A> = { readonly [K in keyof A]?: Exclude<A[K], undefined> }

/** The fields that have a value: one that is `undefined` is left out, and hides no default. */
export const defined = <A extends object>(fields: A): Defined<A> => {
  const kept: Defined<A> = {}
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue
    Reflect.defineProperty(kept, name, { value, ...PLAIN }) // which `__proto__` is, too
  }
  return kept
}

/** Made when it is first asked for. */
export const memoized = <A>(make: IO<A>): IO<A> => {
  let made: { readonly value: A } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

const PLAIN = { configurable: true, enumerable: true, writable: true }
