/** Type class instances of fp-ts. */
import type { Alt2 } from '#fp-ts/Alt'
import type { Applicative2 } from '#fp-ts/Applicative'
import type { Apply2 } from '#fp-ts/Apply'
import type { Bifunctor2 } from '#fp-ts/Bifunctor'
import type { Chain2 } from '#fp-ts/Chain'
import type { FromEither2 } from '#fp-ts/FromEither'
import type { FromIO2 } from '#fp-ts/FromIO'
import type { FromTask2 } from '#fp-ts/FromTask'
import type { Functor2 } from '#fp-ts/Functor'
import type { Monad2 } from '#fp-ts/Monad'
import type { MonadIO2 } from '#fp-ts/MonadIO'
import type { MonadTask2 } from '#fp-ts/MonadTask'
import type { MonadThrow2 } from '#fp-ts/MonadThrow'
import type { Pointed2 } from '#fp-ts/Pointed'
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

/** Not that of fp-ts-rxjs: both may be installed. */
export const URI = 'payments-rx/ObservableEither'

/** The name under which the type classes of fp-ts know the type. */
export type URI = typeof URI

declare module 'fp-ts/HKT.js' {
  interface URItoKind2<E, A> {
    readonly [URI]: ObservableEither<E, A>
  }
}

// each instance is written out: a bundler keeps an object with a spread, since that might run a getter

const map: Functor2<URI>['map'] = (fa, f) => fa.pipe(mapRight(f))
const chain: Chain2<URI>['chain'] = (fa, f) => fa.pipe(concatChain(f))
const apPar: Apply2<URI>['ap'] = (fab, fa) => fab.pipe(ap(fa))
const apSeq: Apply2<URI>['ap'] = (fab, fa) => chain(fab, (f) => map(fa, f))

/** Maps the values. */
export const Functor: Functor2<URI> = { URI, map }

/** Makes a stream of one value. */
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

/** `Monad` with `throwError`, which makes a stream of one failure. */
export const MonadThrow: MonadThrow2<URI> = {
  URI,
  map,
  ap: apPar,
  chain,
  of: right,
  throwError: left,
}

/** Goes on with another stream after a failure. */
export const Alt: Alt2<URI> = { URI, map, alt: (fa, that) => fa.pipe(alt(that)) }

/** Makes a stream of one value or one failure from an `Either`. */
export const FromEither: FromEither2<URI> = { URI, fromEither }

/** Makes a stream of the value of an `IO`, which runs at subscription. */
export const FromIO: FromIO2<URI> = { URI, fromIO }

/** Makes a stream of the value of a `Task`, which runs at subscription. */
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
