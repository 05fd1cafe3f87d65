import { fieldsOf } from '../../decode/unknown.js'
import { E, O, pipe } from '../../fp.js'
import type { Failure } from '../Failure.js'
import { contradicts } from './contradicts.js'
import { recovered } from './recovered.js'

/** A page of the list that finds things by `request_id`. */
interface FoundPage<A> {
  readonly items: ReadonlyArray<E.Either<Failure, A>>
  readonly raw: ReadonlyArray<unknown>
  readonly next: O.Option<unknown>
}

export interface Lookup {
  readonly requestId: string
  /** What was asked for, as it was written. */
  readonly params: unknown
  /** The fields that what is found must share with that. */
  readonly knownBy: ReadonlyArray<string>
  /** Told when it is found. */
  readonly onFound: (requestId: string) => void
}

/** What a page shows under this request_id, marked as recovered; on the left, in words, why it cannot be told. */
export const findByRequestId =
  (sought: Lookup) =>
  <A>(page: E.Either<Failure, FoundPage<A>>): E.Either<string, A> =>
    pipe(
      page,
      E.mapLeft(({ message }) => `looking it up failed: ${message}`),
      E.chain(itemOf(sought)),
      E.map((value) => {
        sought.onFound(sought.requestId)
        return recovered(value)
      }),
    )

const itemOf =
  ({ requestId, params, knownBy }: Lookup) =>
  <A>({ items, raw, next }: FoundPage<A>): E.Either<string, A> => {
    // not the first row: a service that ignores the filter would hand us somebody else's
    const own = raw.flatMap((row, at) => (fieldsOf(row).request_id === requestId ? [at] : []))
    if (own.length > 1) return E.left(`found under its request_id: ${own.length}, not one`)
    const [at = -1] = own
    const item = items[at]
    if (item === undefined) {
      const where = O.isSome(next) ? 'not on the first page of what was found' : 'not found'
      return E.left(`looked up by its request_id: ${where}`)
    }
    if (E.isLeft(item)) return E.left(`found, but not readable: ${item.left.message}`)
    const other = knownBy.find((name) =>
      contradicts(fieldsOf(params)[name], fieldsOf(raw[at])[name]),
    )
    return other === undefined
      ? item
      : E.left(`found under its request_id: another one, by its ${other}`)
  }
