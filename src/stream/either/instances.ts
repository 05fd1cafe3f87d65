/** fp-ts type class instances. */
import type { Alt2 } from 'fp-ts/lib/Alt.js'
import type { Applicative2 } from 'fp-ts/lib/Applicative.js'
import type { Apply2 } from 'fp-ts/lib/Apply.js'
import type { Bifunctor2 } from 'fp-ts/lib/Bifunctor.js'
import type { Chain2 } from 'fp-ts/lib/Chain.js'
import type { FromEither2 } from 'fp-ts/lib/FromEither.js'
import type { FromIO2 } from 'fp-ts/lib/FromIO.js'
import type { FromTask2 } from 'fp-ts/lib/FromTask.js'
import type { Functor2 } from 'fp-ts/lib/Functor.js'
import type { Monad2 } from 'fp-ts/lib/Monad.js'
import type { MonadIO2 } from 'fp-ts/lib/MonadIO.js'
import type { MonadTask2 } from 'fp-ts/lib/MonadTask.js'
import type { MonadThrow2 } from 'fp-ts/lib/MonadThrow.js'
import type { Pointed2 } from 'fp-ts/lib/Pointed.js'
import { ap } from './apply.js'
import { fromEither, fromIO, fromTask } from './conversions.js'
import {
  concatChain,
  left,
  mapLeft,
  mapRight,
  type ObservableEither,
  right,
} from './ObservableEither.js'
import { alt, bimap } from './operators.js'

/** The identifier of the type in fp-ts. Differs from that of fp-ts-rxjs, because both may be installed. */
export const URI = 'payments-rx/ObservableEither'

/** The name under which fp-ts's type classes know the type. */
export type URI = typeof URI

declare module 'fp-ts/HKT.js' {
  interface URItoKind2<E, A> {
    readonly [URI]: ObservableEither<E, A>
  }
}

// each instance is written out, because a bundler keeps an object with a spread, which might run a getter

const map: Functor2<URI>['map'] = (fa, f) => fa.pipe(mapRight(f))
const chain: Chain2<URI>['chain'] = (fa, f) => fa.pipe(concatChain(f))
const apPar: Apply2<URI>['ap'] = (fab, fa) => fab.pipe(ap(fa))
const apSeq: Apply2<URI>['ap'] = (fab, fa) => chain(fab, (f) => map(fa, f))

/** Maps the values. */
export const Functor: Functor2<URI> = { URI, map }

/** Creates a stream of one value. */
export const Pointed: Pointed2<URI> = { URI, of: right }

/** Maps values and failures. */
export const Bifunctor: Bifunctor2<URI> = {
  URI,
  bimap: (fa, f, g) => fa.pipe(bimap(f, g)),
  mapLeft: (fa, f) => fa.pipe(mapLeft(f)),
}

/** Subscribes to both streams at once. */
export const ApplyPar: Apply2<URI> = { URI, map, ap: apPar }

/** Subscribes to the second stream for each value of the first. */
export const ApplySeq: Apply2<URI> = { URI, map, ap: apSeq }

/** Subscribes to all streams at once. */
export const ApplicativePar: Applicative2<URI> = { URI, map, ap: apPar, of: right }

/** Subscribes to one stream after the other. */
export const ApplicativeSeq: Applicative2<URI> = { URI, map, ap: apSeq, of: right }

/** Runs one step after the other, in order. */
export const Chain: Chain2<URI> = { URI, map, ap: apPar, chain }

/** Runs one step after the other; `ap` subscribes to both at once. */
export const Monad: Monad2<URI> = { URI, map, ap: apPar, chain, of: right }

/** `Monad` with `throwError`, which creates a stream of one failure. */
export const MonadThrow: MonadThrow2<URI> = {
  URI,
  map,
  ap: apPar,
  chain,
  of: right,
  throwError: left,
}

/** Continues with another stream after a failure. */
export const Alt: Alt2<URI> = { URI, map, alt: (fa, that) => fa.pipe(alt(that)) }

/** Creates a stream of one value or one failure from an `Either`. */
export const FromEither: FromEither2<URI> = { URI, fromEither }

/** Creates a stream from an `IO`, which runs on subscription. */
export const FromIO: FromIO2<URI> = { URI, fromIO }

/** Creates a stream from a `Task`, which runs on subscription. */
export const FromTask: FromTask2<URI> = { URI, fromIO, fromTask }

/** `Monad` with `fromIO`. */
export const MonadIO: MonadIO2<URI> = { URI, map, ap: apPar, chain, of: right, fromIO }

/** `Monad` with `fromIO` and `fromTask`. */
export const MonadTask: MonadTask2<URI> = {
  URI,
  map,
  ap: apPar,
  chain,
  of: right,
  fromIO,
  fromTask,
}
