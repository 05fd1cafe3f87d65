import type * as t from 'io-ts'

/** A description of a value on the wire, read both ways: by the client, and by the sandbox. */
export interface Codec<A> extends t.Type<A, unknown, unknown> {}
