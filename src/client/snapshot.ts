/** `payments.charges.snapshot(filter)`: a list that grows while it is read, as it was at one moment. */
import type { Position } from '../api/Paging.js'
import { type Charge, ChargeFilter } from '../codec/Charge.js'
import { fromDate, millisOf } from '../codec/Instant.js'
import { Time, toMillis } from '../codec/times.js'
import { plural } from '../decode/plural.js'
import { redact } from '../decode/redact.js'
import { fieldsOf } from '../decode/unknown.js'
import { defined, E, type IO } from '../fp.js'
import { rowId } from '../http/answer/rowId.js'
import type { Failure, InvalidRequest } from '../http/Failure.js'
import type { List, ListDescription } from '../http/list/List.js'
import { truncated } from '../http/list/truncated.js'
import { invalidField, invalidParams, invalidRequest } from '../http/request/invalidParams.js'
import { checkArgument, is } from '../options/index.js'
import {
  type Paged,
  snapshot as read,
  type SnapshotPage,
  type SnapshotPosition,
  type Span,
  wholeOf,
} from '../stream/index.js'
import { isSnapshotPosition } from '../stream/snapshot/Slice.js'
import { isEmpty, secondAfter, secondOf } from '../stream/snapshot/Span.js'

// model

/** Filter of a snapshot; empty for all charges up to now. Times are rounded to seconds, as by a list. */
export interface SnapshotFilter extends Omit<ChargeFilter, 'page_num'> {
  /** Not allowed: a snapshot starts at its first row, or by `from` at a position. */
  readonly page_num?: never
}

/** The failure of a snapshot, or of one of its rows. */
export type SnapshotFailure<Code extends string = string> = Failure<
  Code,
  Position | SnapshotPosition
>

/** A list as it was at one moment. Cold: requests are sent once it is subscribed to. */
export interface Snapshot<E, A> extends Paged<E, A, SnapshotPosition, SnapshotPage<E, A>> {
  /**
   * Reads with up to `requests` under way, each for a time slice of its own. Throws an `InvalidOption` for an
   * invalid number.
   */
  readonly parallel: (requests: number) => Snapshot<E, A>
  /**
   * Resumes a snapshot with the same filter at a position. An invalid position makes it an `InvalidRequest`, and
   * nothing is sent.
   */
  readonly from: (position: SnapshotPosition) => Snapshot<E, A>
  /** Starts with charges created at a time or later, in place of `from_created_at`: ISO 8601. */
  readonly since: (time: string) => Snapshot<E, A>
  /** Returns what the snapshot reads, and as whom. An export is known by it. */
  readonly describe: () => ListDescription<A>
}

interface Source<Code extends string> {
  readonly endpoint: string
  readonly list: (filter: ChargeFilter) => Pick<List<Failure<Code>, Charge>, 'pages' | 'describe'>
  /** Current time, in ms since 1970. */
  readonly now: IO<number>
}

/** `expected` of an invalid position. */
const POSITION_TEXT = 'where a snapshot stands, such as `next` of a page of it'

/** Default rows a request: the maximum (interface, Limits). */
const PAGE_SIZE = 2_000

// constructors

export const snapshot =
  <Code extends string>(source: Source<Code>) =>
  (filter: SnapshotFilter = {}): Snapshot<SnapshotFailure<Code>, Charge> => {
    type F = SnapshotFailure<Code>
    const { endpoint, list, now } = source
    const params = { page_size: PAGE_SIZE, ...defined(fieldsOf(filter)) }
    const invalid = invalidParams(ChargeFilter, filter, false) // names are checked by the list
    const spanNow = (): E.Either<F, Span> =>
      invalid === undefined
        ? spanOf(endpoint, filter, now())
        : E.left(invalidRequest(endpoint, invalid))

    const snapshotOf = (
      width: number,
      start: (span: Span) => E.Either<F, SnapshotPosition>,
    ): Snapshot<F, Charge> =>
      Object.assign(
        read<F, Charge>({
          position: () => E.chain(start)(spanNow()),
          list: (span) => list({ ...params, ...filterOf(span) }),
          time: (row) => millisOf(fieldsOf(row).created_at),
          key: rowId,
          cut: (cut, position, pages) => {
            const many = plural(position.slices.length, 'slice')
            const ended = `ended after ${plural(pages, 'page')}, with ${many} of time to read`
            return truncated({ endpoint, position, pages, ended }, cut)
          },
          parallel: width,
        }),
        {
          parallel: (requests: number) => {
            checkArgument('parallel', requests, is.positiveIntOrInfinity)
            return snapshotOf(requests, start)
          },
          from: (position: SnapshotPosition) =>
            snapshotOf(width, () => checkedPosition(endpoint, position)),
          since: (time: string) =>
            snapshot(source)({ ...filter, from_created_at: time }).parallel(width),
          describe: () => ({ ...list(params).describe(), kind: 'snapshot' as const }),
        },
      )

    return snapshotOf(1, (span) =>
      isEmpty(span) ? E.left(startsLater(endpoint, span)) : E.right(wholeOf(span)),
    )
  }

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

/** Only a snapshot up to now can be empty: it starts in the future, or a clock is wrong. */
const startsLater = (endpoint: string, { to }: Span): InvalidRequest => {
  const now = fromDate(new Date(to - 1))
  const expected = `no later than now, ${now} by the clock of the client`
  return invalidField(endpoint, { field: 'from_created_at', expected, actual: 'a time after it' })
}

// filters as spans of time

/** Returns the time span of a filter, including the ms of its end; up to `now` if it has no end. */
const spanOf = (
  endpoint: string,
  filter: SnapshotFilter,
  now: number,
): E.Either<InvalidRequest, Span> => {
  const { from_created_at, to_created_at } = filter
  for (const field of ['page_num', 'page'] as const) {
    const value: unknown = fieldsOf(filter)[field]
    const expected = 'left out of a snapshot'
    if (value !== undefined) {
      return E.left(invalidField(endpoint, { field, expected, actual: redact(value) }))
    }
  }
  for (const field of ['from_created_at', 'to_created_at'] as const) {
    const value: unknown = filter[field]
    if (value !== undefined && !Time.is(value)) {
      return E.left(invalidField(endpoint, { field, expected: Time.name, actual: redact(value) }))
    }
  }
  // `created_at` is truncated to seconds: a charge of the first second appears to be made at its beginning
  const from = from_created_at === undefined ? 0 : secondOf(toMillis(from_created_at))
  const to = to_created_at === undefined ? now : toMillis(to_created_at)
  return to_created_at !== undefined && from > to
    ? E.left(
        invalidField(endpoint, {
          field: 'to_created_at',
          expected: `${from_created_at === undefined ? '1970' : 'from_created_at'} or later`,
          actual: 'a time before it',
        }),
      )
    : E.right({ from, to: to + 1 })
}

/** The last second with a year of four digits. */
const LAST_SECOND = Date.UTC(9999, 11, 31, 23, 59, 59)

const toInstant = (ms: number): string => fromDate(new Date(Math.min(ms, LAST_SECOND)))

/** Returns the filter of the whole seconds that contain a span. */
const filterOf = ({ from, to }: Span): Pick<ChargeFilter, 'from_created_at' | 'to_created_at'> => ({
  ...(from > 0 ? { from_created_at: toInstant(from) } : {}),
  to_created_at: toInstant(secondAfter(to)),
})
