import * as t from 'io-ts'

/** A codec of what a guard tells. `name`: what it should be, in words. */
export const refined = <A>(name: string, is: (u: unknown) => u is A): t.Type<A, A, unknown> =>
  new t.Type(name, is, (u, context) => (is(u) ? t.success(u) : t.failure(u, context)), t.identity)
