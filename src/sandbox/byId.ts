import { E, O, pipe } from '../fp.js'
import { ids, type Kind } from './ids.js'
import { notFound, type Refusal } from './Refusal.js'
import { get, type Numbered, type Register } from './Register.js'

/** The resource that has this id, or a refusal where there is none. */
export const byId =
  (kind: Kind, id: string, seed: number) =>
  <A extends Numbered>(register: Register<A>): E.Either<Refusal, A> =>
    pipe(
      ids(kind, seed).number(id),
      O.chain((n) => get(n)(register)),
      E.fromOption(() => notFound),
    )
