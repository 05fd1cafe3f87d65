/** `payments.charges.snapshot(filter)`: a list that grows while it is read, as it was at one moment. */
import { defer, map, type Observable, of, type SchedulerLike, take } from 'rxjs'
import type { Position } from '../api/Paging.js'
import { type Charge, ChargeFilter } from '../codec/Charge.js'
import { fromDate, millisOf } from '../codec/Instant.js'
import { PlainDate, Time, toMillis } from '../codec/times.js'
import { plural } from '../decode/plural.js'
import { redact } from '../decode/redact.js'
import { showValue } from '../decode/showValue.js'
import { fieldsOf } from '../decode/unknown.js'
import { E, type IO, O, withoutUndefined } from '../fp.js'
import { truncated } from '../http/answer/failureOf.js'
import { rowId } from '../http/answer/readAnswer.js'
import type { AnyFailure, Failure, InvalidRequest } from '../http/Failure.js'
import type { List, ListDescription, PlanOptions } from '../http/list/List.js'
import { invalidField, invalidParams, invalidRequest } from '../http/request/invalidParams.js'
import { checkArgument, InvalidOption, is } from '../options/index.js'
import { keepContext } from '../stream/asyncContext.js'
import {
  concatChain,
  left,
  type Millis,
  mapLeft,
  type ObservableEither,
  type Paged,
  snapshot as read,
  right,
  type SnapshotPage,
  type SnapshotPosition,
  type Span,
  wholeOf,
} from '../stream/index.js'
import {
  isSnapshotPosition,
  SECOND,
  secondAfter,
  secondOf,
} from '../stream/snapshot/SnapshotPosition.js'
import { explainSnapshot, type SnapshotPlan } from './explainSnapshot.js'
import { type CountedStretch, type ProbedPage, type SpanCount, splitTime } from './splitTime.js'

// model

/**
 * Filter of a snapshot; empty for all charges up to now, by the clock of the service. `to_created_at` takes in all of
 * its day, if it is a plain date (in UTC), or of its second.
 */
export interface SnapshotFilter extends Omit<ChargeFilter, 'page_num'> {
  /** Not allowed: a snapshot starts at its first row, or by `from` at a position. */
  readonly page_num?: undefined
}

/** The failure of a snapshot, or of one of its rows. */
export type SnapshotFailure<Code extends string = string> = Failure<
  Code,
  Position | SnapshotPosition
>

/** A list as it was at one moment. Cold: requests are sent once it is subscribed to. */
export interface Snapshot<E, A> extends Paged<E, A, SnapshotPosition, SnapshotPage<E, A>> {
  /**
   * Reads with up to `requests` concurrent requests, each for a time slice of its own. Default: enough to use the full rate
   * limit, by the measured round trips. Throws an `InvalidOption` for an invalid number.
   */
  readonly parallel: (requests?: number) => Snapshot<E, A>
  /**
   * Resumes a snapshot with the same filter at a position. An invalid position makes it an `InvalidRequest`, and
   * nothing is sent.
   */
  readonly from: (position: SnapshotPosition) => Snapshot<E, A>
  /** Starts with charges created at a time or later, in place of `from_created_at`: ISO 8601. */
  readonly since: (time: string) => Snapshot<E, A>
  /**
   * Estimates rows, requests, time and the limit that binds: cold, and of few requests, unless `rows` says how many
   * to expect. Then nothing is sent. Throws an `InvalidOption` for invalid numbers.
   */
  readonly explain: (options?: PlanOptions) => ObservableEither<E, SnapshotPlan>
  /** Returns the part of it that was created in a span of time. */
  readonly within: (span: Span) => Snapshot<E, A>
  /**
   * Emits spans of its time with about equal rows: `slices` of them, or as many as have `rows` each. Their bounds are
   * whole seconds. Reads some pages by their number to find them: 30 for ten million rows in 12 slices.
   */
  readonly split: (count: SpanCount) => ObservableEither<E, ReadonlyArray<CountedStretch>>
  /** Returns what the snapshot reads, and as whom. An export is known by it. */
  readonly describe: () => ListDescription<A>
}

interface SnapshotSource<Code extends string> {
  readonly endpoint: string
  /** Checks the names of a filter before anything is sent. */
  readonly check: boolean
  readonly list: (
    filter: ChargeFilter,
  ) => Pick<List<Failure<Code>, Charge>, 'pages' | 'describe' | 'parallel'>
  readonly retrieve: (params: { readonly id: string }) => ObservableEither<AnyFailure, Charge>
  /** Logs in, if that is still to be done. */
  readonly logIn: ObservableEither<Failure, unknown>
  /** Returns the time at the service in ms since 1970; `undefined` before the first answer. */
  readonly serviceTime: IO<Millis | undefined>
  /** Current time by the clock of this machine, in ms since 1970. */
  readonly now: IO<Millis>
  /** Clock for durations. */
  readonly timer: Pick<SchedulerLike, 'now'>
  /** Concurrent requests that use the limits up, as measured while it is subscribed to. */
  readonly measuredWidth: Observable<number>
}

/** `expected` of an invalid position. */
const POSITION_TEXT = 'where a snapshot stands, such as `next` of a page of it'

/** Default rows a request: the maximum (interface, Limits). */
const PAGE_SIZE = 2_000

/** Rows of the request that has the service tell its time: the minimum (interface, Limits). */
const SMALL_PAGE = 10

// constructors

export const snapshot =
  <Code extends string>(source: SnapshotSource<Code>) =>
  (filter: SnapshotFilter = {}): Snapshot<SnapshotFailure<Code>, Charge> => {
    const query = queryOf(source, filter)
    return snapshotOf(source, query, 1, query.whole)
  }

/** A filter of a snapshot, and what is read by it. */
interface SnapshotQuery<Code extends string> {
  readonly filter: SnapshotFilter
  readonly params: ChargeFilter & { readonly page_size: number }
  readonly invalid: InvalidRequest | undefined
  /** It has no lower bound. */
  readonly isOpen: boolean
  /** Returns when a row was created, in ms since 1970; NaN if that cannot be read. */
  readonly timeOf: (row: unknown) => Millis
  /** Emits the span of the filter, which may end now. */
  readonly whole: Observable<E.Either<SnapshotFailure<Code>, SnapshotPosition>>
  /** Returns the list of a span, with rows of a second on either side. */
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
    return isOpen ? Math.max(0, time) : time // a row dated before 1970 is at the beginning
  }
  const whole = defer((): Observable<E.Either<SnapshotFailure<Code>, SnapshotPosition>> => {
    const from = startOf(filter)
    if (filter.to_created_at !== undefined) {
      return right(wholeOf({ from, to: endOf(filter.to_created_at) }))
    }
    return presentTime(source, filter, timeOf).pipe(
      map(
        E.chainW(({ now, clock }) =>
          from > now
            ? E.left(startsLater(endpoint, now, clock))
            : E.right(wholeOf({ from, to: now + 1 })),
        ),
      ),
    )
  })
  return {
    filter,
    params,
    invalid: invalidFilter(source, filter),
    isOpen,
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

/** `width`: concurrent requests, by default as measured; `start`: position to begin at. */
const snapshotOf = <Code extends string>(
  source: SnapshotSource<Code>,
  query: SnapshotQuery<Code>,
  width: number | undefined,
  start: Observable<E.Either<SnapshotFailure<Code>, SnapshotPosition>>,
): Snapshot<SnapshotFailure<Code>, Charge> => {
  type F = SnapshotFailure<Code>
  const { endpoint, list } = source
  const { filter, params, invalid, isOpen, timeOf, listOf } = query
  const position = invalid === undefined ? start : left(invalid)
  const pages = read<F, Charge>({
    position,
    list: (span) => listOf(span),
    time: timeOf,
    key: rowId,
    cut: (cut, position, pages) => {
      const many = plural(position.slices.length, 'slice')
      const ended = `ended after ${plural(pages, 'page')}, with ${many} of time to read`
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
    since: (time: string) => snapshot(source)({ ...filter, from_created_at: time }).parallel(width),
    explain: (options: PlanOptions = {}) =>
      explainSnapshot<F>(options, {
        invalid,
        position,
        time: timeOf,
        pagesOf: (span, page_num) => listOf(span, { page_num }).pages,
        list: list(params).parallel(width ?? Number.POSITIVE_INFINITY),
        now: () => source.timer.now(),
      }),
    within: (span: Span) => {
      const { from, to } = checkedSpan(span)
      return snapshot(source)({
        ...filter,
        ...(isOpen && from === 0 ? {} : { from_created_at: toInstant(from) }),
        to_created_at: toInstant(to - 1),
      })
        .parallel(width)
        .from(wholeOf({ from, to }))
    },
    split: (count: SpanCount) =>
      position.pipe(
        concatChain(({ from, to }) =>
          splitTime<F>({
            span: { from, to },
            count,
            pageSize: params.page_size,
            page: (part, page_num) => probe(query, part, page_num),
          }),
        ),
      ),
    describe: () => ({
      ...list(params).describe(),
      kind: 'snapshot' as const,
      retrieve: (id: string) => source.retrieve({ id }),
    }),
  })
}

/** Reads a page of a span. A service may refuse a number that no page has. */
const probe = <Code extends string>(
  { listOf, timeOf }: SnapshotQuery<Code>,
  span: Span,
  page_num: number,
): ObservableEither<SnapshotFailure<Code>, ProbedPage> =>
  listOf(span, { page_num }).pages.pipe(
    take(1),
    map((page): E.Either<SnapshotFailure<Code>, ProbedPage> => {
      if (E.isRight(page)) {
        const { raw, next } = page.right
        return E.right({ times: raw.map(timeOf), more: O.isSome(next) })
      }
      const isBeyond = page_num > 0 && page.left._tag === 'Refused' && page.left.status < 500
      return isBeyond ? E.right({ times: [], more: false }) : page
    }),
  )

// the end of a snapshot that has none: now

interface PresentTime {
  readonly now: Millis
  readonly clock: 'service' | 'client'
}

/**
 * Emits the time at the service. Before the first answer, logs in for one, or else asks for a small page. A
 * service that never sends its time leaves the clock of this machine, unless a row proves that to be behind.
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
      keepContext(), // a login may be one that another call has begun
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

/** Only a snapshot up to now can be empty. */
const startsLater = (endpoint: string, now: Millis, clock: string): InvalidRequest =>
  invalidTime(
    endpoint,
    'from_created_at',
    `no later than now, ${fromDate(new Date(now))} by the clock of the ${clock}`,
    'a time after it',
  )

const clockBehind = (endpoint: string, now: Millis, newest: Millis): InvalidRequest =>
  invalidTime(
    endpoint,
    'to_created_at',
    `given: the service does not tell its time, and the clock of this machine, ${fromDate(new Date(now))}, is behind`,
    `missing, though a charge is dated ${fromDate(new Date(newest))}`,
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

/** Throws an `InvalidOption` for a span that has no moment. */
const checkedSpan = (span: Span): Span => {
  const { from, to } = { ...span } // in plain JavaScript it may be undefined
  if (Number.isFinite(from) && Number.isFinite(to) && from < to) return { from, to }
  const expected = '{ from, to } in ms since 1970, `from` before `to`'
  throw new InvalidOption('span', expected, 'within: ')
}

// filters as spans of time

/** Returns the first ms of a filter: `created_at` is truncated to seconds, so a whole second is read from its beginning. */
const startOf = ({ from_created_at }: SnapshotFilter): Millis =>
  from_created_at === undefined ? 0 : secondOf(toMillis(from_created_at))

/** Returns the first ms after an upper bound, which takes in all of its day, its second or its ms. */
const endOf = (bound: Date | string): Millis => {
  const ms = toMillis(bound)
  if (PlainDate.is(bound)) return ms + DAY
  return ms + (ms === secondOf(ms) ? SECOND : 1)
}

/** In ms. */
const DAY = 86_400_000

/** Returns why a filter cannot be one of a snapshot. */
const invalidFilter = (
  { endpoint, check }: Pick<SnapshotSource<never>, 'endpoint' | 'check'>,
  filter: SnapshotFilter,
): InvalidRequest | undefined => {
  const invalid = invalidParams(ChargeFilter, filter, false)
  if (invalid !== undefined) return invalidRequest(endpoint, invalid)
  for (const field of ['page_num', 'page'] as const) {
    const value: unknown = fieldsOf(filter)[field]
    const expected = 'left out of a snapshot'
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
        'a time before it',
      )
    : undefined
}

/** The last second with a year of four digits. */
const LAST_SECOND = Date.UTC(9999, 11, 31, 23, 59, 59)

const toInstant = (ms: number): string => fromDate(new Date(Math.min(ms, LAST_SECOND)))
