/** Finds out the outcome of a write. */
import { defer, map } from 'rxjs'
import type { AnyEndpoint } from '../../api/Endpoint.js'
import type { Decoder } from '../../decode/index.js'
import { fieldsOf, isRecord } from '../../decode/unknown.js'
import { E, O, pipe } from '../../fp.js'
import { left, mapLeft, type ObservableEither } from '../../stream/either/ObservableEither.js'
import { type Millis, retry } from '../../stream/index.js'
import { type Answer, answerReader, type ParseText, pageReader } from '../answer/readAnswer.js'
import type { ClientRuntime, Execute } from '../ClientRuntime.js'
import type { Failure, FieldDifference } from '../Failure.js'
import { agrees, differencesOf, explainDifferences } from './difference.js'
import { type LookUp, requestIdOf, type Unresolved } from './Outcome.js'

/** The reason why a look-up found nothing. */
export interface Miss {
  readonly reason: string
  /**
   * `never`: another look-up would have the same result. `within the budget`: this look-up failed, so another one takes a
   * permit from the retry budget.
   */
  readonly again: 'yes' | 'within the budget' | 'never'
  readonly differences?: ReadonlyArray<FieldDifference>
  /** A failure that occurred after that of the last attempt. */
  readonly failure?: Failure
}

/**
 * Looks up a write repeatedly with the usual backoff, because lists may lag. Continues for `lookUpFor` ms, within the patience
 * of the call. The last look-up is sent when the time is up. If the write is not found, it is `Ambiguous`.
 *
 *     look        |  |     |           |                       |
 *     in seconds  0  1     3           7                      15
 */
export const lookAgain =
  (
    { timer, backoff, retryBudget }: Pick<ClientRuntime, 'timer' | 'backoff' | 'retryBudget'>,
    lookUpFor: Millis,
  ) =>
  <A>(
    { outcome, failure, sendBy }: Unresolved,
    look: ObservableEither<Miss, A>,
  ): ObservableEither<Failure, A> =>
    defer(() => {
      const end = Math.min(timer.now() + lookUpFor, sendBy)
      const pauseAfter = (miss: Miss, times: number): O.Option<Millis> => {
        outcome.looked({ ...miss, times })
        const rest = end - timer.now()
        if (miss.again === 'never' || rest <= 0) return O.none
        const wait = miss.again === 'yes' ? O.some(0) : retryBudget.take()
        return pipe(
          backoff(times),
          O.chain((pause) =>
            pipe(
              wait,
              O.map((ms) => Math.min(Math.max(ms, pause), rest)),
            ),
          ),
        )
      }
      return look.pipe(
        retry(pauseAfter, timer),
        mapLeft((miss) => outcome.conclude(miss.failure ?? failure)),
      )
    })

/** Describes a look-up whose request failed, and decides whether another look-up is worthwhile. */
export const missOf = ({ _tag, message }: Failure): Miss => ({
  reason: `the look-up failed: ${message}`,
  again: TRANSIENT.has(_tag) ? 'within the budget' : 'never',
})

const TRANSIENT: ReadonlySet<Failure['_tag']> = new Set([
  'Throttled',
  'ServerFault',
  'Unreachable',
  'TimedOut',
])

// by request_id

export interface ByRequestId<A> {
  /** Reads the list, which can be filtered by `request_id`. */
  readonly find: Execute
  readonly decode: Decoder<A>
  readonly parseText: ParseText | undefined
  readonly knownBy: AnyEndpoint['knownBy']
  readonly again: ReturnType<typeof lookAgain>
  readonly onFound: (call: number, requestId: string) => void
}

/** Finds the single row of a list that has the `request_id` of a write and agrees with its parameters. */
export const byRequestId = <A>({
  find,
  decode,
  parseText,
  knownBy,
  again,
  onFound,
}: ByRequestId<A>): LookUp<Answer<A>> => {
  const read = answerReader(pageReader(decode, parseText)({}))
  return (write) => {
    const { call, outcome, failure, sentParams } = write
    const { requestId } = outcome
    if (requestId === undefined) return left(outcome.conclude(failure))
    const look = defer(() => find({ request_id: requestId }, read)).pipe(
      map(
        E.fold(
          (failed): E.Either<Miss, Answer<A>> => E.left(missOf(failed)),
          ({ value: page, ...answer }) =>
            pipe(
              rowOf({ requestId, sent: sentParams(), knownBy }, page),
              E.map((value) => {
                onFound(call, requestId)
                return { ...answer, value: recovered(value), attempts: failure.attempts } // the attempts of the write
              }),
            ),
        ),
      ),
    )
    return again(write, look)
  }
}

interface Sought {
  readonly requestId: string
  readonly sent: Readonly<Record<string, unknown>>
  readonly knownBy: AnyEndpoint['knownBy']
}

interface FoundPage<A> {
  readonly items: ReadonlyArray<E.Either<Failure, A>>
  readonly raw: ReadonlyArray<unknown>
  readonly next: O.Option<unknown>
}

const rowOf = <A>(
  { requestId, sent, knownBy }: Sought,
  { items, raw, next }: FoundPage<A>,
): E.Either<Miss, A> => {
  // not simply the first row, because a service that ignores the filter would return the row of another request
  const matches = raw.flatMap((row, at) => (requestIdOf(row) === requestId ? [at] : []))
  if (matches.length > 1) {
    return E.left({
      reason: `found ${matches.length} with this request_id instead of one`,
      again: 'never',
    })
  }
  const [at = -1] = matches
  const item = items[at]
  if (item === undefined) {
    const place = O.isSome(next) ? 'not on the first page of the results' : 'not found'
    return E.left({ reason: `looked up by its request_id: ${place}`, again: 'yes' })
  }
  if (E.isLeft(item)) {
    return E.left({ reason: `found, but not readable: ${item.left.message}`, again: 'never' })
  }
  const shown = fieldsOf(raw[at])
  const differences =
    typeof knownBy === 'function'
      ? differencesOf(knownBy(sent), shown, shows)
      : knownBy.flatMap((name) => differencesOf(sent[name], shown[name], agrees, name))
  if (differences.length === 0) return item
  const reason = `found a different one with this request_id: ${explainDifferences(differences)}`
  return E.left({ reason, again: 'never', differences })
}

/** Works like `agrees`, but a null sent means that there is no value, and an object found as null counts as not shown. */
export const shows = (sent: unknown, found: unknown, path: string): boolean =>
  sent === null
    ? found === null || found === undefined
    : (isRecord(sent) && found === null) || agrees(sent, found, path)

// the mark of recovered values, which appears neither in JSON nor in copies

const mark: unique symbol = Symbol('payments-rx: recovered')

/** Marks an object as recovered. A frozen object stays unmarked, but only custom codecs create one. */
export const recovered = <A>(value: A): A =>
  typeof value === 'object' && value !== null && Object.isExtensible(value)
    ? Object.defineProperty(value, mark, { value: true })
    : value

/** Returns true if a value was found by its request_id, after a call without a clear response turned out to have succeeded. */
export const wasRecovered = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && mark in value
