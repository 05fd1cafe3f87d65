/**
 * The parts of fp-ts that are used, and a few helpers that it lacks. The build copies the functions in use into `dist` (see
 * scripts/build.ts).
 */
import type { IO } from 'fp-ts/lib/IO.js'

export * as A from 'fp-ts/lib/Array.js'
export * as E from 'fp-ts/lib/Either.js'
export { flow, pipe } from 'fp-ts/lib/function.js'
export type { IO } from 'fp-ts/lib/IO.js'
export * as O from 'fp-ts/lib/Option.js'
export * as R from 'fp-ts/lib/Record.js'
export type { Task } from 'fp-ts/lib/Task.js'
export type { TaskEither } from 'fp-ts/lib/TaskEither.js'

/** Fields that may be omitted but must not be `undefined`. */
export type WithoutUndefined<A> = { readonly [K in keyof A]?: Exclude<A[K], undefined> }

/** Copies the fields that have a value to an object without prototype. An `undefined` field would hide a default. */
export const withoutUndefined = <A extends object>(fields: A): WithoutUndefined<A> => {
  const kept: WithoutUndefined<A> = Object.create(null)
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) Reflect.set(kept, name, value) // also `__proto__`, because the copy has no prototype
  }
  return kept
}

/** Copies an object without its prototype, so that a field it does not have is not found on `Object.prototype`. */
export const withoutPrototype = <A extends object>(fields: A): A =>
  Object.assign(Object.create(null), fields)

/**
 * Creates the `Symbol.hasInstance` of a class of errors whose name is its `_tag`. If `node_modules` has two copies of this
 * package, each copy has a class of its own. A class that extends it recognizes its instances as usual.
 */
export const ofAnyCopy = (tag: string) =>
  function (this: object, u: unknown): boolean {
    if (!Object.hasOwn(this, Symbol.hasInstance)) {
      return Reflect.apply(Function.prototype[Symbol.hasInstance], this, [u])
    }
    if (typeof u !== 'object' || u === null) return false
    return Reflect.get(u, '_tag') === tag && Reflect.get(u, 'name') === tag
  }

/** Returns a function that creates a value on the first call, and returns that value again later. */
export const memoized = <A>(make: IO<A>): IO<A> => {
  let made: { readonly value: A } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
