/**
 * The parts of fp-ts in use, and a few helpers that it lacks. `#fp-ts` (see `imports` in package.json) is its
 * CommonJS build in Node, which cannot load the other, and its ES modules in a bundler, which then drops the rest.
 */
import type { IO } from '#fp-ts/IO'

export * as A from '#fp-ts/Array'
export * as E from '#fp-ts/Either'
export { flow, pipe } from '#fp-ts/function'
export type { IO } from '#fp-ts/IO'
export * as O from '#fp-ts/Option'
export * as R from '#fp-ts/Record'
export type { Task } from '#fp-ts/Task'
export type { TaskEither } from '#fp-ts/TaskEither'

/** Fields that may be left out, but are not `undefined`. */
export type WithoutUndefined<A> = { readonly [K in keyof A]?: Exclude<A[K], undefined> }

/** Copies the fields that have a value: one that is `undefined` is left out, and hides no default. No prototype. */
export const withoutUndefined = <A extends object>(fields: A): WithoutUndefined<A> => {
  const kept: WithoutUndefined<A> = Object.create(null)
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) Reflect.set(kept, name, value) // `__proto__` as well: it has no prototype
  }
  return kept
}

/** Copies an object without its prototype, so that a field it does not have is not found on `Object.prototype`. */
export const withoutPrototype = <A extends object>(fields: A): A =>
  Object.assign(Object.create(null), fields)

/** Made when it is first asked for. */
export const memoized = <A>(make: IO<A>): IO<A> => {
  let made: { readonly value: A } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
