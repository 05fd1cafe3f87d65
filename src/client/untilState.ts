import { defer, first, map, merge, repeat, type SchedulerLike, take, tap, timer } from 'rxjs'
import { finalBatchStatuses } from '../codec/BatchTransfer.js'
import { finalChargeStatuses } from '../codec/Charge.js'
import { WaitNames } from '../codec/common.js'
import { oneLine, redact } from '../decode/redact.js'
import { exampleOf } from '../decode/watcher.js'
import { E, type IO } from '../fp.js'
import type { Failure, TimedOut } from '../http/Failure.js'
import { invalidField, invalidParams, invalidRequest } from '../http/request/invalidParams.js'
import { doubling } from '../stream/Backoff.js'
import { left, type ObservableEither } from '../stream/either/ObservableEither.js'
import { backoffDefaults, type Millis } from '../stream/index.js'
import { later } from '../stream/later.js'

/** The resource and the states to wait for. `State`: known states, or any other string. */
export interface WaitOptions<State extends string = string> {
  /** The id of the resource. */
  readonly id: string
  /** States to stop at, in addition to final states. */
  readonly states?: ReadonlyArray<State> | undefined
  /** Time to wait, in ms. Default: an hour; `Infinity`: no limit. */
  readonly limit?: Millis | undefined
}

/**
 * Polls a resource, with growing pauses, until it is in a final state or one of `states`, and emits it. It keeps waiting in
 * unknown states. Ends with the first failure, or after `limit` with a `TimedOut` whose message names the last state.
 */
export type UntilState<A extends { readonly status: string }> = (
  wait: WaitOptions<A['status']>,
) => ObservableEither<Failure, A>

export interface UntilStateSpec<A> {
  readonly endpoint: string
  readonly retrieve: (params: { readonly id: string }) => ObservableEither<Failure, A>
  readonly final: ReadonlyArray<string>
  readonly random: IO<number>
  readonly timer: SchedulerLike
}

/** The final states: a resource does not leave them by itself. */
export const FINAL_STATES = {
  charge: finalChargeStatuses,
  batch: finalBatchStatuses,
} as const satisfies Record<string, ReadonlyArray<string>>

/** An hour (our assumption: not in the API description). */
const DEFAULT_LIMIT: Millis = 3_600_000

/** Pauses for 1, 2, 4 ... 16 s, each with up to a quarter of jitter. */
export const untilState = <A extends { readonly status: string }>({
  endpoint,
  retrieve,
  final,
  random,
  timer: scheduler,
}: UntilStateSpec<A>): UntilState<A> => {
  const pause = doubling({ ...backoffDefaults, random })

  return (wait) => {
    const invalid = invalidParams(WaitNames, wait, true)
    if (invalid !== undefined) return left(invalidRequest(endpoint, invalid))
    // may be undefined in plain JavaScript; the call then fails with the reason
    const { id, states = [], limit = DEFAULT_LIMIT } = { ...wait }
    if (!isStates(states)) {
      const invalid = { field: 'states', expected: 'a list of states', actual: redact(states) }
      return left(invalidField(endpoint, invalid))
    }
    if (typeof limit !== 'number' || !(limit > 0)) {
      const invalid = {
        field: 'limit',
        expected: 'more than 0 milliseconds',
        actual: redact(limit),
      }
      return left(invalidField(endpoint, invalid))
    }
    const stops = [...new Set([...states, ...final])]
    const timedOut = (attempts: number, last: string | undefined): TimedOut => {
      const now = last === undefined ? '' : `; its last state was ${exampleOf(final, last)}`
      return {
        _tag: 'TimedOut',
        endpoint,
        attempts,
        phase: 'state',
        limit,
        message: oneLine(
          `${endpoint}: ${id} reached none of ${stops.join(', ')} within ${limit} ms${now}`,
        ),
      }
    }

    return defer(() => {
      let attempts = 0
      let last: string | undefined
      const polls = defer(() => {
        attempts++
        return retrieve({ id })
      }).pipe(
        repeat({ delay: (polled) => timer(Math.round(pause(polled)), scheduler) }),
        tap((ea) => {
          if (E.isRight(ea)) last = ea.right.status
        }),
        first((ea) => E.isLeft(ea) || stops.includes(ea.right.status)),
      )
      const timeout = later(limit, scheduler).pipe(map(() => E.left(timedOut(attempts, last))))
      return merge(polls, timeout).pipe(take(1))
    })
  }
}

/** Rejects a string, which would otherwise count as a list of its characters. */
const isStates = (u: unknown): boolean =>
  Array.isArray(u) && u.every((state) => typeof state === 'string')
