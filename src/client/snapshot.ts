/** `payments.charges.snapshot(filter)`: a list that moves, as it stood at one moment. */
import type { Position } from '../api/Paging.js'
import { type Charge, ChargeFilter } from '../codec/Charge.js'
import { fromDate, millisOf } from '../codec/Instant.js'
import { plural } from '../decode/plural.js'
import { redact } from '../decode/redact.js'
import { fieldsOf } from '../decode/unknown.js'
import { defined, E, type IO } from '../fp.js'
import type { Failure } from '../http/Failure.js'
import { rowId } from '../http/list/idOf.js'
import type { ListDescription } from '../http/list/ListDescription.js'
import type { List } from '../http/list/readList.js'
import { truncated } from '../http/list/truncated.js'
import { invalidParams } from '../http/request/invalidParams.js'
import { invalidField, invalidRequest } from '../http/request/invalidRequest.js'
import { checkArgument, is } from '../options/index.js'
import {
  ahead,
  type Paged,
  pullOf,
  snapshot as read,
  type SnapshotPage,
  type SnapshotPosition,
  type Span,
  views,
  wholeOf,
} from '../stream/index.js'
import { isSnapshotPosition } from '../stream/snapshot/Slice.js'
import { isEmpty } from '../stream/snapshot/Span.js'
import { filterOf, type SnapshotFilter, spanOf } from './SnapshotFilter.js'

// model

/** What ends a snapshot, or stands for a row of it. */
export type SnapshotFailure<Code extends string = string> = Failure<
  Code,
  Position | SnapshotPosition
>

/** A list as it stood. */
export interface Snapshot<E, A> extends Paged<E, A, SnapshotPosition, SnapshotPage<E, A>> {
  /**
   * The same snapshot with up to so many requests at a time, each for a slice of time of its own. Throws
   * an `InvalidOption` for what is no number of requests.
   */
  readonly parallel: (requests: number) => Snapshot<E, A>
  /**
   * What is left of it where a reading of it, with the same filter, stood at `position`. What is no position
   * of a snapshot is an `InvalidRequest`, and nothing is sent.
   */
  readonly from: (position: SnapshotPosition) => Snapshot<E, A>
  /** The same snapshot of what was created at a time or later, in place of its `from_created_at`: ISO 8601. */
  readonly since: (time: string) => Snapshot<E, A>
  /** Returns what the snapshot reads, and as whom. An export is known by it. */
  readonly describe: () => ListDescription<A>
}

interface Source<Code extends string> {
  readonly endpoint: string
  readonly list: (filter: ChargeFilter) => Pick<List<Failure<Code>, Charge>, 'pages' | 'describe'>
  /** The time, in ms since 1970. */
  readonly now: IO<number>
}

/** What a position is, in words. */
const POSITION = 'where a snapshot stands, such as `next` of a page of it'

/** Rows a request unless the filter says otherwise: as many as there may be (interface, Limits). */
const PAGE_SIZE = 2_000

// constructors

export const snapshot =
  <Code extends string>(source: Source<Code>) =>
  (filter: SnapshotFilter = {}): Snapshot<SnapshotFailure<Code>, Charge> => {
    type F = SnapshotFailure<Code>
    const { endpoint, list, now } = source
    const params = { page_size: PAGE_SIZE, ...defined(fieldsOf(filter)) }
    const unfit = invalidParams(ChargeFilter, filter)
    const whole = (): E.Either<F, Span> =>
      unfit === undefined
        ? spanOf(endpoint, filter, now())
        : E.left(invalidRequest(endpoint, unfit))

    const reading = (
      width: number,
      at: (whole: Span) => E.Either<F, SnapshotPosition>,
    ): Snapshot<F, Charge> =>
      Object.assign(
        views<F, Charge, SnapshotPosition, SnapshotPage<F, Charge>>((prefetch) => {
          const position = E.chain(at)(whole())
          if (E.isLeft(position)) return pullOf(position)
          const slices = width === 1 ? 1 : Math.max(width, prefetch + 1)
          const pages = read(slices)<F, Charge>({
            position: position.right,
            list: (span) => list({ ...params, ...filterOf(span) }),
            time: (row) => millisOf(fieldsOf(row).created_at),
            key: rowId,
            cut: (cut, position, pages) => {
              const many = plural(position.slices.length, 'slice')
              const ended = `ended after ${plural(pages, 'page')}, with ${many} of time to read`
              return truncated({ endpoint, position, pages, ended }, cut)
            },
          })()
          return prefetch < slices ? pages : ahead(prefetch)(pages) // of one slice, in its order
        }),
        {
          parallel: (requests: number) => {
            checkArgument('parallel', requests, is.positiveIntOrInfinity)
            return reading(requests, at)
          },
          from: (position: SnapshotPosition) =>
            reading(width, () => checkedPosition(endpoint, position)),
          since: (time: string) =>
            snapshot(source)({ ...filter, from_created_at: time }).parallel(width),
          describe: () => ({ ...list(params).describe(), kind: 'snapshot' as const }),
        },
      )

    return reading(1, (span) =>
      isEmpty(span) ? E.left(notYet(endpoint, span)) : E.right(wholeOf(span)),
    )
  }

/** Only one that ends now, and begins later, has no time at all: a clock is wrong, perhaps. */
const notYet = (endpoint: string, { to }: Span): SnapshotFailure<never> => {
  const now = fromDate(new Date(to - 1))
  const expected = `no later than now, ${now} by the clock of the client`
  return invalidField(endpoint, { field: 'from_created_at', expected, actual: 'a time after it' })
}

const checkedPosition = (
  endpoint: string,
  position: SnapshotPosition,
): E.Either<SnapshotFailure<never>, SnapshotPosition> =>
  isSnapshotPosition(position)
    ? E.right(position)
    : E.left(
        invalidField(endpoint, { field: 'position', expected: POSITION, actual: redact(position) }),
      )
