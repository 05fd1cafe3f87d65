import type * as t from 'io-ts'
import type { E } from '../fp.js'

/** What an io-ts codec's `decode` is: the value, or io-ts's own errors. */
export type Decoder<A> = (u: unknown) => E.Either<t.Errors, A>
