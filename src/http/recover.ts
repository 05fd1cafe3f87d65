import { map } from 'rxjs'
import type { Decoder } from '../decode/index.js'
import { fieldsOf } from '../decode/unknown.js'
import { E } from '../fp.js'
import { left, type ObservableEither } from '../stream/index.js'
import { type ParseText, readPage } from './answer.js'
import type { Ask } from './ask.js'
import type { Ambiguous, Failure } from './Failure.js'
import { recovered } from './recovered.js'

export interface Recovery {
  /** Asks the list that finds things by `request_id`. */
  readonly find: Ask
  readonly parseText?: ParseText
  readonly found: (requestId: string) => void
  /** The fields that what is found must share with what was asked for. */
  readonly knownBy: ReadonlyArray<string>
}

/**
 * Clears up an `Ambiguous` write: asks the list that finds things by `request_id` what became of it.
 * What is found is the value of the call, marked as recovered.
 */
export const recover =
  <A>({ find, found, knownBy, parseText }: Recovery, decode: Decoder<A>) =>
  (failure: Failure, params: unknown): ObservableEither<Failure, A> => {
    if (failure._tag !== 'Ambiguous' || failure.requestId === undefined) return left(failure)
    const { requestId } = failure
    return find({ request_id: requestId }, readPage(decode, parseText)({})).pipe(
      map((list) => {
        if (E.isLeft(list))
          return E.left(still(failure, `looking it up failed: ${list.left.message}`))
        const { items, raw } = list.right
        // not the first row: a service that ignores the filter would hand us somebody else's
        const at = raw.findIndex((row) => fieldsOf(row).request_id === requestId)
        const item = items[at]
        if (item === undefined)
          return E.left(still(failure, 'looked up by its request_id: not found'))
        const other = knownBy.find((name) =>
          differs(fieldsOf(params)[name], fieldsOf(raw[at])[name]),
        )
        if (other !== undefined)
          return E.left(still(failure, `found under its request_id: another one, by its ${other}`))
        if (E.isLeft(item))
          return E.left(still(failure, `found, but not readable: ${item.left.message}`))
        found(requestId)
        return E.right(recovered(item.right))
      }),
    )
  }

/** Amounts are sent as text and come as numbers. What is neither tells nothing. */
const differs = (asked: unknown, found: unknown): boolean =>
  isScalar(asked) &&
  isScalar(found) &&
  String(asked) !== String(found) &&
  Number(asked) !== Number(found)

const isScalar = (u: unknown): u is string | number =>
  typeof u === 'string' || typeof u === 'number'

const still = (failure: Ambiguous, tried: string): Ambiguous => ({
  ...failure,
  tried: [...failure.tried, tried],
  message: `${failure.message}; ${tried}`,
})
