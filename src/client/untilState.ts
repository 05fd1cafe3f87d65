import { defer, first, map, merge, repeat, type SchedulerLike, take, tap, timer } from 'rxjs'
import { redact } from '../decode/redact.js'
import { exampleOf } from '../decode/watcher.js'
import { E, type IO } from '../fp.js'
import type { Failure, TimedOut } from '../http/Failure.js'
import { oneLine } from '../http/oneLine.js'
import { invalidField } from '../http/request/invalidRequest.js'
import { doubling } from '../stream/Backoff.js'
import { left, type Millis, type ObservableEither, PAUSES } from '../stream/index.js'
import { later } from '../stream/later.js'

// model

/** What to wait for. `State`: the states that are known, and any other text. */
export interface WaitOptions<State extends string = string> {
  /** The id of what is waited for. */
  readonly id: string
  /** More states to stop at, beside those in which nothing happens by itself any more. */
  readonly states?: ReadonlyArray<State>
  /** The longest wait, in ms. Default: an hour; `Infinity`: as long as it takes. */
  readonly limit?: Millis
}

/**
 * Asks for one thing again, with growing pauses, until nothing happens to it by itself any more, or it is in
 * one of `states`, and emits it as it is then. States that nobody knows mean "keep waiting". Ends with the
 * first failure, or, when the wait is too long, with a `TimedOut` whose message names the last state.
 */
export type UntilState<A extends { readonly status: string }> = (
  wait: WaitOptions<A['status']>,
) => ObservableEither<Failure, A>

/** What is asked for again, and how. */
export interface UntilStateSpec<A> {
  readonly endpoint: string
  readonly retrieve: (params: { readonly id: string }) => ObservableEither<Failure, A>
  /** The states to stop at, whatever the caller names. */
  readonly final: ReadonlyArray<string>
  readonly random: IO<number>
  readonly timer: SchedulerLike
}

/** The states in which nothing happens by itself any more (defaults, not specified by the interface). */
export const FINAL_STATES = {
  charge: ['SETTLED', 'FAILED'],
  batch: [
    'BOOKED',
    'PARTIALLY_BOOKED',
    'FAILED',
    'CANCELLED',
    'APPROVAL_RECALLED',
    'APPROVAL_REJECTED',
    'APPROVAL_BLOCKED',
  ],
} as const satisfies Record<string, ReadonlyArray<string>>

/** How long is waited by default: an hour, in ms (default, not specified by the interface). */
const LIMIT: Millis = 3_600_000

// constructors

/** Pauses of 1, 2, 4 ... 16 s, each with up to a quarter more by chance. */
export const untilState = <A extends { readonly status: string }>({
  endpoint,
  retrieve,
  final,
  random,
  timer: scheduler,
}: UntilStateSpec<A>): UntilState<A> => {
  const pause = doubling({ ...PAUSES, random })

  return (wait) => {
    // a copy, so that nothing at all, as JavaScript calls, is refused by the call: it has no fields to take apart
    const { id, states = [], limit = LIMIT } = { ...wait }
    if (!isStates(states)) {
      const unfit = { field: 'states', expected: 'a list of states', actual: redact(states) }
      return left(invalidField(endpoint, unfit))
    }
    const ends = [...new Set([...states, ...final])]
    if (typeof limit !== 'number' || !(limit > 0)) {
      const unfit = { field: 'limit', expected: 'milliseconds above 0', actual: redact(limit) }
      return left(invalidField(endpoint, unfit))
    }
    const late = (attempts: number, last: string | undefined): TimedOut => {
      const now = last === undefined ? '' : `; when last asked, it was ${exampleOf(final, last)}`
      return {
        _tag: 'TimedOut',
        endpoint,
        attempts,
        phase: 'state',
        limit,
        message: oneLine(
          `${endpoint}: ${id} was in none of ${ends.join(', ')} within ${limit} ms${now}`,
        ),
      }
    }

    return defer(() => {
      let asked = 0
      let last: string | undefined
      const polls = defer(() => {
        asked++
        return retrieve({ id })
      }).pipe(
        repeat({ delay: (polled) => timer(Math.round(pause(polled)), scheduler) }),
        tap((ea) => {
          if (E.isRight(ea)) last = ea.right.status
        }),
        first((ea) => E.isLeft(ea) || ends.includes(ea.right.status)),
      )
      const end = later(limit, scheduler).pipe(map(() => E.left(late(asked, last))))
      return merge(polls, end).pipe(take(1))
    })
  }
}

/** A text would be taken for a list of its letters. */
const isStates = (u: unknown): boolean =>
  Array.isArray(u) && u.every((state) => typeof state === 'string')
