import { E, O, pipe } from '../fp.js'
import { type ApiError, notFound } from './ApiError.js'
import { type Collection, get, type Numbered } from './Collection.js'
import { ids, type Kind } from './ids.js'

/** The resource that has this id, or an error where there is none. */
export const byId =
  (kind: Kind, id: string, seed: number) =>
  <A extends Numbered>(collection: Collection<A>): E.Either<ApiError, A> =>
    pipe(
      ids(kind, seed).number(id),
      O.chain((n) => get(n)(collection)),
      E.fromOption(() => notFound),
    )
