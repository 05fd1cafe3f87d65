/** `payments.charges.snapshot(filter)`: reads a growing list as it was at one moment. */
import { defer, map, type Observable, of, type SchedulerLike, take } from 'rxjs'
import type { Position } from '../api/Paging.js'
import { type Charge, ChargeFilter } from '../codec/Charge.js'
import { fromDate, millisOf } from '../codec/Instant.js'
import { PlainDate, Time, toMillis } from '../codec/times.js'
import { plural } from '../decode/plural.js'
import { redact } from '../decode/redact.js'
import { showValue } from '../decode/showValue.js'
import { fieldsOf } from '../decode/unknown.js'
import { E, type IO, withoutUndefined } from '../fp.js'
import { truncated } from '../http/answer/failureOf.js'
import { rowId } from '../http/answer/readAnswer.js'
import type { Failure, InvalidRequest } from '../http/Failure.js'
import type { List, ListDescription, PlanOptions, SnapshotPlan } from '../http/list/List.js'
import { invalidField, invalidParams, invalidRequest } from '../http/request/invalidParams.js'
import { checkArgument, is } from '../options/index.js'
import { keepContext } from '../stream/asyncContext.js'
import {
  concatChain,
  left,
  mapLeft,
  type ObservableEither,
  right,
} from '../stream/either/ObservableEither.js'
import {
  initialPosition,
  type Millis,
  type Paged,
  snapshot as read,
  type SnapshotPage,
  type SnapshotPosition,
  type Span,
} from '../stream/index.js'
import {
  isSnapshotPosition,
  SECOND,
  secondAfter,
  secondOf,
} from '../stream/snapshot/SnapshotPosition.js'
import { explainSnapshot } from './explainSnapshot.js'

/**
 * Filter of a snapshot. If empty, it matches all charges up to now, by the clock of the service. A plain date in
 * `to_created_at` includes that whole day (UTC); a time includes its whole second.
 */
export interface SnapshotFilter extends Omit<ChargeFilter, 'page_num'> {
  /** Not allowed: a snapshot starts at its first row, or at the position given to `from`. */
  readonly page_num?: undefined
}

/** The failure of a snapshot, or of one of its rows. */
export type SnapshotFailure<Code extends string = string> = Failure<
  Code,
  Position | SnapshotPosition
>

/** A list as it was at one moment. Cold: requests are sent on subscription. */
export interface Snapshot<E, A> extends Paged<E, A, SnapshotPosition, SnapshotPage<E, A>> {
  /**
   * Reads with up to `requests` concurrent requests, each for its own time slice. Default: enough to use the full rate limit,
   * based on measured round trips. Throws an `InvalidOption` for an invalid number.
   */
  readonly parallel: (requests?: number) => Snapshot<E, A>
  /**
   * Resumes a snapshot with the same filter at a position. For an invalid position, fails with `InvalidRequest` and sends
   * nothing.
   */
  readonly from: (position: SnapshotPosition) => Snapshot<E, A>
  /**
   * Estimates rows, requests, time, and which limit applies. Cold: on subscription, sends a few requests, or none if `rows`
   * gives the expected number. Throws an `InvalidOption` for invalid numbers.
   */
  readonly explain: (options?: PlanOptions) => ObservableEither<E, SnapshotPlan>
  /** Describes the list, its filter and its account. The description identifies an export. */
  readonly describe: () => ListDescription<A>
}

interface SnapshotSource<Code extends string> {
  readonly endpoint: string
  /** Checks the names of a filter before anything is sent. */
  readonly check: boolean
  readonly list: (
    filter: ChargeFilter,
  ) => Pick<List<Failure<Code>, Charge>, 'pages' | 'describe' | 'parallel'>
  /** Logs in if not yet done. */
  readonly logIn: ObservableEither<Failure, unknown>
  /** Returns the time at the service in ms since 1970; `undefined` before the first response. */
  readonly serviceTime: IO<Millis | undefined>
  /** Current time by the clock of this machine, in ms since 1970. */
  readonly now: IO<Millis>
  /** The clock for durations. */
  readonly timer: Pick<SchedulerLike, 'now'>
  /** Number of concurrent requests that use the limits fully, measured while subscribed. */
  readonly measuredWidth: Observable<number>
}

/** `expected` text for an invalid position. */
const POSITION_TEXT = 'a position of a snapshot, such as `next` of one of its pages'

/** Default rows per request: the maximum. */
const PAGE_SIZE = 2_000

/** Rows in a request that is sent only to get the service's time: the minimum. */
const SMALL_PAGE = 10

export const snapshot =
  <Code extends string>(source: SnapshotSource<Code>) =>
  (filter: SnapshotFilter = {}): Snapshot<SnapshotFailure<Code>, Charge> => {
    const query = queryOf(source, filter)
    return snapshotOf(source, query, 1, query.whole)
  }

interface SnapshotQuery<Code extends string> {
  readonly filter: SnapshotFilter
  readonly params: ChargeFilter & { readonly page_size: number }
  readonly invalid: InvalidRequest | undefined
  /** Returns when a row was created, in ms since 1970; NaN if unreadable. */
  readonly timeOf: (row: unknown) => Millis
  /** Emits the span of the filter, which may end now. */
  readonly whole: Observable<E.Either<SnapshotFailure<Code>, SnapshotPosition>>
  /** Returns the list of a span. It may include rows of the adjacent seconds. */
  readonly listOf: (
    span: Span,
    page?: Pick<ChargeFilter, 'page_num'>,
  ) => ReturnType<SnapshotSource<Code>['list']>
}

const queryOf = <Code extends string>(
  source: SnapshotSource<Code>,
  filter: SnapshotFilter,
): SnapshotQuery<Code> => {
  const { endpoint, list } = source
  const params = { page_size: PAGE_SIZE, ...withoutUndefined(fieldsOf(filter)) }
  const isOpen = fieldsOf(filter).from_created_at === undefined
  const timeOf = (row: unknown): Millis => {
    const time = millisOf(fieldsOf(row).created_at)
    return isOpen ? Math.max(0, time) : time // a row dated before 1970 counts as the first
  }
  const whole = defer((): Observable<E.Either<SnapshotFailure<Code>, SnapshotPosition>> => {
    const from = startOf(filter)
    if (filter.to_created_at !== undefined) {
      return right(initialPosition({ from, to: endOf(filter.to_created_at) }))
    }
    return presentTime(source, filter, timeOf).pipe(
      map(
        E.chainW(({ now, clock }) =>
          from > now
            ? E.left(startsLater(endpoint, now, clock))
            : E.right(initialPosition({ from, to: now + 1 })),
        ),
      ),
    )
  })
  return {
    filter,
    params,
    invalid: invalidFilter(source, filter),
    timeOf,
    whole,
    listOf: ({ from, to }, page = {}) =>
      list({
        ...params,
        ...page,
        ...(isOpen && from === 0 ? {} : { from_created_at: toInstant(from) }),
        to_created_at: toInstant(secondAfter(to)),
      }),
  }
}

/** Creates a snapshot. `width`: number of concurrent requests, measured by default; `start`: position to start at. */
const snapshotOf = <Code extends string>(
  source: SnapshotSource<Code>,
  query: SnapshotQuery<Code>,
  width: number | undefined,
  start: Observable<E.Either<SnapshotFailure<Code>, SnapshotPosition>>,
): Snapshot<SnapshotFailure<Code>, Charge> => {
  type F = SnapshotFailure<Code>
  const { endpoint, list } = source
  const { params, invalid, timeOf, listOf } = query
  const position = invalid === undefined ? start : left(invalid)
  const pages = read<F, Charge>({
    position,
    list: (span) => listOf(span),
    time: timeOf,
    key: rowId,
    cut: (cut, position, pages) => {
      const many = plural(position.slices.length, 'time slice')
      const ended = `ended after ${plural(pages, 'page')}, with ${many} left to read`
      return truncated({ endpoint, position, pages, ended }, cut)
    },
    parallel: width ?? source.measuredWidth,
  })
  return Object.assign(pages, {
    parallel: (requests?: number) => {
      if (requests !== undefined) checkArgument('parallel', requests, is.positiveIntOrInfinity)
      return snapshotOf(source, query, requests, start)
    },
    from: (position: SnapshotPosition) =>
      snapshotOf(source, query, width, of(checkedPosition(endpoint, position))),
    explain: (options: PlanOptions = {}) =>
      explainSnapshot<F>(options, {
        invalid,
        position,
        time: timeOf,
        pagesOf: (span, page_num) => listOf(span, { page_num }).pages,
        list: list(params).parallel(width ?? Number.POSITIVE_INFINITY),
        now: () => source.timer.now(),
      }),
    describe: () => ({ ...list(params).describe(), kind: 'snapshot' as const }),
  })
}

// the end of a snapshot without one: now

interface PresentTime {
  readonly now: Millis
  readonly clock: 'service' | 'client'
}

/**
 * Emits the time at the service. If there was no response yet, logs in, or else requests a small page. If the service never
 * sends its time, uses the clock of this machine, unless a row proves that clock to be behind.
 */
const presentTime = <Code extends string>(
  { endpoint, list, logIn, serviceTime, now }: SnapshotSource<Code>,
  filter: ChargeFilter,
  timeOf: (row: unknown) => Millis,
): Observable<E.Either<SnapshotFailure<Code>, PresentTime>> => {
  const fromService = (): E.Either<never, PresentTime> | undefined => {
    const time = serviceTime()
    return time === undefined ? undefined : E.right({ now: time, clock: 'service' })
  }
  const unlessBehind = (rows: ReadonlyArray<unknown>): E.Either<InvalidRequest, PresentTime> => {
    const newest = Math.max(0, ...rows.map(timeOf).filter((time) => !Number.isNaN(time)))
    return newest < now() + SECOND
      ? E.right({ now: now(), clock: 'client' })
      : E.left(clockBehind(endpoint, now(), newest))
  }
  const smallPage = defer(() =>
    list({ page_size: SMALL_PAGE, ...filter }).pages.pipe(
      take(1),
      map(E.chainW(({ raw }) => fromService() ?? unlessBehind(raw))),
    ),
  )
  return defer(() => {
    const present = fromService()
    if (present !== undefined) return of(present)
    return logIn.pipe(
      take(1),
      keepContext(), // the login may be one that another call started
      mapLeft((failure) => ({ ...failure, attempts: 0 })),
      concatChain(() => {
        const answered = fromService()
        return answered === undefined ? smallPage : of(answered)
      }),
    )
  })
}

const invalidTime = (
  endpoint: string,
  field: 'from_created_at' | 'to_created_at',
  expected: string,
  actual: string,
): InvalidRequest => invalidField(endpoint, { field, expected, actual })

/** Returns the failure of a filter that starts after the present time. */
const startsLater = (endpoint: string, now: Millis, clock: string): InvalidRequest =>
  invalidTime(
    endpoint,
    'from_created_at',
    `no later than now (${fromDate(new Date(now))} by the clock of the ${clock})`,
    'a later time',
  )

const clockBehind = (endpoint: string, now: Millis, newest: Millis): InvalidRequest =>
  invalidTime(
    endpoint,
    'to_created_at',
    `given, because the clock of this machine (${fromDate(new Date(now))}) is behind and the service does not send its time`,
    `missing (the newest charge is dated ${fromDate(new Date(newest))})`,
  )

const checkedPosition = (
  endpoint: string,
  position: SnapshotPosition,
): E.Either<InvalidRequest, SnapshotPosition> =>
  isSnapshotPosition(position)
    ? E.right(position)
    : E.left(
        invalidField(endpoint, {
          field: 'position',
          expected: POSITION_TEXT,
          actual: redact(position),
        }),
      )

// filters as spans of time

/** Returns the first ms of a filter. The service truncates `created_at` to seconds, so a second is read from its start. */
const startOf = ({ from_created_at }: SnapshotFilter): Millis =>
  from_created_at === undefined ? 0 : secondOf(toMillis(from_created_at))

/** Returns the first ms after an upper bound. The bound includes its whole day, second or ms. */
const endOf = (bound: Date | string): Millis => {
  const ms = toMillis(bound)
  if (PlainDate.is(bound)) return ms + DAY
  return ms + (ms === secondOf(ms) ? SECOND : 1)
}

/** A day in ms. */
const DAY = 86_400_000

/** Returns the failure of a filter that is not valid for a snapshot, if there is one. */
const invalidFilter = (
  { endpoint, check }: Pick<SnapshotSource<never>, 'endpoint' | 'check'>,
  filter: SnapshotFilter,
): InvalidRequest | undefined => {
  const invalid = invalidParams(ChargeFilter, filter, false)
  if (invalid !== undefined) return invalidRequest(endpoint, invalid)
  for (const field of ['page_num', 'page'] as const) {
    const value: unknown = fieldsOf(filter)[field]
    const expected = 'omitted from a snapshot'
    if (value !== undefined)
      return invalidField(endpoint, { field, expected, actual: redact(value) })
  }
  for (const field of ['from_created_at', 'to_created_at'] as const) {
    const value: unknown = filter[field]
    if (value !== undefined && !Time.is(value)) {
      return invalidTime(endpoint, field, Time.name, showValue(value, Time))
    }
  }
  const misspelt = invalidParams(ChargeFilter, filter, check)
  if (misspelt !== undefined) return invalidRequest(endpoint, misspelt)
  const { from_created_at, to_created_at } = filter
  return to_created_at !== undefined && startOf(filter) >= endOf(to_created_at)
    ? invalidTime(
        endpoint,
        'to_created_at',
        `${from_created_at === undefined ? '1970' : 'from_created_at'} or later`,
        'an earlier time',
      )
    : undefined
}

/** The last second with a year of four digits. */
const LAST_SECOND = Date.UTC(9999, 11, 31, 23, 59, 59)

const toInstant = (ms: number): string => fromDate(new Date(Math.min(ms, LAST_SECOND)))
