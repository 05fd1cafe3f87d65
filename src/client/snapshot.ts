/** `payments.charges.snapshot(filter)`: a list that moves, as it stood at one moment. */
import type { Position } from '../api/Paging.js'
import { type Charge, ChargeFilter } from '../codec/Charge.js'
import { fromDate, millisOf } from '../codec/Instant.js'
import { Time, toMillis } from '../codec/times.js'
import { redact } from '../decode/redact.js'
import { fieldsOf } from '../decode/unknown.js'
import { defined, E, type IO } from '../fp.js'
import type { Failure } from '../http/Failure.js'
import { invalidField, invalidRequest } from '../http/invalidRequest.js'
import type { List } from '../http/list.js'
import { truncated } from '../http/truncated.js'
import { unfitParams } from '../http/unfitParams.js'
import { checkCount } from '../stream/count.js'
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

// model

/** Which charges to read; all of them up to now when empty. Its times are taken to the second, as by a list. */
export interface SnapshotFilter extends Omit<ChargeFilter, 'page_num'> {
  /** A snapshot begins at its beginning; `from` goes on from a position. */
  readonly page_num?: never
}

/** What ends a snapshot, or stands for a row of it. */
export type SnapshotFailure<Code extends string = string> = Failure<
  Code,
  Position | SnapshotPosition
>

/** A list as it stood. */
export interface Snapshot<E, A> extends Paged<E, A, SnapshotPosition, SnapshotPage<E, A>> {
  /**
   * The same snapshot with up to so many requests at a time, each for a slice of time of its own. Throws
   * a RangeError for what is no number of requests.
   */
  readonly parallel: (requests: number) => Snapshot<E, A>
  /**
   * What is left of it where a reading of it, with the same filter, stood at `position`. What is no position
   * of a snapshot is an `InvalidRequest`, and nothing is sent.
   */
  readonly from: (position: SnapshotPosition) => Snapshot<E, A>
}

interface Source<Code extends string> {
  readonly endpoint: string
  readonly list: (filter: ChargeFilter) => Pick<List<Failure<Code>, Charge>, 'pages'>
  /** The time, in ms since 1970. */
  readonly now: IO<number>
}

/** What a position is, in words. */
const POSITION = 'where a snapshot stands, such as `next` of a page of it'

/** Rows a request unless the filter says otherwise: as many as there may be (interface, Limits). */
const PAGE_SIZE = 2_000

// constructors

export const snapshot =
  <Code extends string>({ endpoint, list, now }: Source<Code>) =>
  (filter: SnapshotFilter = {}): Snapshot<SnapshotFailure<Code>, Charge> => {
    type F = SnapshotFailure<Code>
    const params = { page_size: PAGE_SIZE, ...defined(fieldsOf(filter)) }
    const wrong = unfitParams(ChargeFilter, filter)

    const reading = (width: number, at: () => E.Either<F, SnapshotPosition>): Snapshot<F, Charge> =>
      Object.assign(
        views<F, Charge, SnapshotPosition, SnapshotPage<F, Charge>>((prefetch) => {
          const position = wrong === undefined ? at() : E.left(invalidRequest(endpoint, wrong))
          if (E.isLeft(position)) return pullOf(position)
          const slices = width === 1 ? 1 : Math.max(width, prefetch + 1)
          const pages = read(slices)<F, Charge>({
            position: position.right,
            list: (span) => list({ ...params, ...asked(span) }),
            time: (row) => millisOf(fieldsOf(row).created_at),
            key: keyOf,
            cut: (cut, position, pages) => {
              const slices = position.slices.length
              const many = slices === 1 ? '1 slice' : `${slices} slices`
              const ended = `ended after ${pages} pages, with ${many} of time to read`
              return truncated({ endpoint, position, pages, ended }, cut)
            },
          })()
          return prefetch < slices ? pages : ahead(prefetch)(pages) // of one slice, in its order
        }),
        {
          parallel: (requests: number) => {
            checkCount('parallel', requests, 1)
            return reading(requests, at)
          },
          from: (position: SnapshotPosition) =>
            reading(width, () => checkedPosition(endpoint, position)),
        },
      )

    return reading(1, () => E.map(wholeOf)(bounds(endpoint, filter, now())))
  }

const checkedPosition = (
  endpoint: string,
  position: SnapshotPosition,
): E.Either<SnapshotFailure<never>, SnapshotPosition> =>
  isSnapshotPosition(position)
    ? E.right(position)
    : E.left(invalidField(endpoint, 'position', POSITION, redact(position)))

/** The times of the filter, as a stretch that takes in the ms of its end. */
const bounds = (
  endpoint: string,
  filter: SnapshotFilter,
  now: number,
): E.Either<SnapshotFailure<never>, Span> => {
  const { from_created_at, to_created_at } = filter
  for (const field of ['page_num', 'page'] as const) {
    const value: unknown = fieldsOf(filter)[field]
    if (value !== undefined)
      return E.left(invalidField(endpoint, field, 'left out of a snapshot', redact(value)))
  }
  for (const field of ['from_created_at', 'to_created_at'] as const) {
    const value: unknown = filter[field]
    if (value !== undefined && !Time.is(value)) {
      return E.left(invalidField(endpoint, field, Time.name, redact(value)))
    }
  }
  // rows show whole seconds: one that was made within the first of them is shown at its beginning
  const from = from_created_at === undefined ? 0 : wholeSeconds(toMillis(from_created_at), 'floor')
  const to = to_created_at === undefined ? now : toMillis(to_created_at)
  return to_created_at !== undefined && from > to
    ? E.left(
        invalidField(endpoint, 'to_created_at', 'from_created_at or later', 'a time before it'),
      )
    : E.right({ from, to: to + 1 })
}

/** A stretch as a filter: in whole seconds, and on both sides no less than the stretch. */
const asked = ({ from, to }: Span): ChargeFilter => ({
  ...(from > 0 ? { from_created_at: fromDate(new Date(from)) } : {}),
  to_created_at: fromDate(new Date(wholeSeconds(to, 'ceil'))),
})

const wholeSeconds = (ms: number, side: 'floor' | 'ceil'): number => Math[side](ms / 1_000) * 1_000

const keyOf = (row: unknown): string => {
  const { id } = fieldsOf(row)
  return typeof id === 'string' ? id : contentOf(row)
}

/** What tells a value from every other, however deep it is nested: `JSON.stringify` goes some thousands down. */
const contentOf = (row: unknown): string => {
  const left = [row]
  let text = ''
  while (left.length > 0) {
    const u = left.pop()
    if (typeof u !== 'object' || u === null) {
      text += `${JSON.stringify(u)},`
      continue
    }
    text += Array.isArray(u) ? `[${u.length}]` : JSON.stringify(Object.keys(u))
    for (const value of Object.values(u)) left.push(value)
  }
  return text
}
