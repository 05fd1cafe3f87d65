import type * as t from 'io-ts'

/** A description of a value on the wire, read both ways: by the client, and by the sandbox. */
export interface Codec<A> extends t.Type<A, unknown, unknown> {}

/** The reading half of a codec: one for a charge is one for anything that a charge is. */
export interface Decodes<A> extends t.Decoder<unknown, A> {}
