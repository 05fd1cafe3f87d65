/** Finds the outcome of a write by its request_id. */
import { map } from 'rxjs'
import { millisOf } from '../../codec/Instant.js'
import type { Decoder } from '../../decode/index.js'
import { fieldsOf } from '../../decode/unknown.js'
import { E, O, pipe } from '../../fp.js'
import { left, mapLeft, type ObservableEither } from '../../stream/index.js'
import { type Answer, answerReader, type ParseText, pageReader } from '../answer/readAnswer.js'
import type { Execute } from '../ClientRuntime.js'
import type { Failure } from '../Failure.js'
import type { PreparedRequest } from '../request/prepareRequest.js'
import { firstDifference } from './difference.js'

// model

export interface Recovery {
  /** Reads the list that can be filtered by `request_id`. */
  readonly find: Execute
  /** `call` is the number of the call whose outcome was found. */
  readonly onFound: (requestId: string, call?: number) => void
  /** Fields that must not differ between the request and a row found for it. */
  readonly knownBy: ReadonlyArray<string>
}

export interface Lookup extends Pick<Recovery, 'knownBy' | 'onFound'> {
  readonly requestId: string
  /** The parameters of the write, as JSON. */
  readonly params: unknown
}

interface FoundPage<A> {
  readonly items: ReadonlyArray<E.Either<Failure, A>>
  readonly raw: ReadonlyArray<unknown>
  readonly next: O.Option<unknown>
}

// combinators

/** Replaces an `Ambiguous` write by what it made, marked as recovered, if the list shows that. */
export const recover =
  <A>({ find, onFound, knownBy }: Recovery, decode: Decoder<A>, parseText?: ParseText) =>
  (
    failure: Failure,
    sentParams: PreparedRequest['sentParams'],
    call: number,
  ): ObservableEither<Failure, Answer<A>> => {
    if (failure._tag !== 'Ambiguous' || failure.requestId === undefined) return left(failure)
    const { attempts, requestId } = failure
    const lookup: Lookup = {
      knownBy,
      requestId,
      params: sentParams(),
      onFound: (found) => onFound(found, call),
    }
    const found = findByRequestId(lookup)
    const read = answerReader(pageReader(decode, parseText)({}))
    return find({ request_id: requestId }, read).pipe(
      map(
        E.fold(
          (failure): E.Either<string, Answer<A>> => found(E.left(failure)),
          ({ value, ...answer }) =>
            pipe(
              found(E.right(value)),
              E.map((value) => ({ ...answer, value, attempts })), // those of the write
            ),
        ),
      ),
      mapLeft((why) => ({
        ...failure,
        tried: [...failure.tried, why],
        message: `${failure.message}; ${why}`,
      })),
    )
  }

/**
 * Returns the one row of a page that has the request_id and agrees with the parameters, marked as recovered; on
 * the left, in words, why there is none.
 */
export const findByRequestId =
  (lookup: Lookup) =>
  <A>(page: E.Either<Failure, FoundPage<A>>): E.Either<string, A> =>
    pipe(
      page,
      E.mapLeft(({ message }) => `looking it up failed: ${message}`),
      E.chain(rowOf(lookup)),
      E.map((value) => {
        lookup.onFound(lookup.requestId)
        return recovered(value)
      }),
    )

const rowOf =
  ({ requestId, params, knownBy }: Lookup) =>
  <A>({ items, raw, next }: FoundPage<A>): E.Either<string, A> => {
    // not simply the first row: a service that ignores the filter would show that of another request
    const own = raw.flatMap((row, at) => (fieldsOf(row).request_id === requestId ? [at] : []))
    if (own.length > 1) return E.left(`found under its request_id: ${own.length}, not one`)
    const [at = -1] = own
    const item = items[at]
    if (item === undefined) {
      const where = O.isSome(next) ? 'not on the first page of what was found' : 'not found'
      return E.left(`looked up by its request_id: ${where}`)
    }
    if (E.isLeft(item)) return E.left(`found, but not readable: ${item.left.message}`)
    for (const name of knownBy) {
      const sent = fieldsOf(params)[name]
      const other = firstDifference(sent, fieldsOf(raw[at])[name], agrees, name)
      if (other !== undefined) {
        const { path, a, b } = other
        return E.left(
          `found under its request_id: another one, by its ${path}: it is ${b}, and ${a} was sent`,
        )
      }
    }
    return item
  }

/**
 * Compares a value sent with the value found. Null and absent values agree with any. Amounts are sent as text and
 * come as numbers; times may be written in several ways.
 */
const agrees = (sent: unknown, found: unknown): boolean => {
  if (sent === undefined || sent === null || found === undefined) return true
  if (!isScalar(sent) || !isScalar(found)) return false
  if (String(sent) === String(found)) return true
  return typeof sent === 'string' && typeof found === 'string'
    ? millisOf(sent) === millisOf(found)
    : Number(sent) === Number(found)
}

const isScalar = (u: unknown): u is string | number | boolean =>
  typeof u === 'string' || typeof u === 'number' || typeof u === 'boolean'

/** Returns the request_id of parameters, an item or a row, unless it is empty or no text. */
export const requestIdOf = (u: unknown): string | undefined => {
  const { request_id } = fieldsOf(u)
  return typeof request_id === 'string' && request_id !== '' ? request_id : undefined
}

// the mark of recovered values, which neither JSON nor a copy shows

const mark: unique symbol = Symbol('payments-rx: recovered')

/** Marks an object as recovered. A frozen one, which only a codec of the caller's own makes, stays unmarked. */
export const recovered = <A>(value: A): A =>
  typeof value === 'object' && value !== null && Object.isExtensible(value)
    ? Object.defineProperty(value, mark, { value: true })
    : value

/** Tests whether a value was found by its request_id, after a call without a clear answer turned out to be done. */
export const wasRecovered = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && mark in value
