import { fieldsOf } from '../decode/unknown.js'
import { E } from '../fp.js'
import type { Failure } from './Failure.js'

/** A page of the list that finds things by `request_id`. */
interface Shown<A> {
  readonly items: ReadonlyArray<E.Either<Failure, A>>
  readonly raw: ReadonlyArray<unknown>
}

export interface Wanted {
  readonly requestId: string
  /** What was asked for. */
  readonly params: unknown
  /** The fields that what is found must share with that. */
  readonly knownBy: ReadonlyArray<string>
}

/** What was made with this request_id; on the left, in words, why it cannot be told. */
export const underRequestId =
  ({ requestId, params, knownBy }: Wanted) =>
  <A>({ items, raw }: Shown<A>): E.Either<string, A> => {
    // not the first row: a service that ignores the filter would hand us somebody else's
    const at = raw.findIndex((row) => fieldsOf(row).request_id === requestId)
    const item = items[at]
    if (item === undefined) return E.left('looked up by its request_id: not found')
    const other = knownBy.find((name) => differs(fieldsOf(params)[name], fieldsOf(raw[at])[name]))
    if (other !== undefined) {
      return E.left(`found under its request_id: another one, by its ${other}`)
    }
    return E.mapLeft(({ message }: Failure) => `found, but not readable: ${message}`)(item)
  }

/** Amounts are sent as text and come as numbers. What is neither tells nothing. */
const differs = (asked: unknown, found: unknown): boolean =>
  isScalar(asked) &&
  isScalar(found) &&
  String(asked) !== String(found) &&
  Number(asked) !== Number(found)

const isScalar = (u: unknown): u is string | number =>
  typeof u === 'string' || typeof u === 'number'
