/** Which charges a snapshot has: its filter as a stretch of time, and a stretch as a filter. */
import type { ChargeFilter } from '../codec/Charge.js'
import { fromDate } from '../codec/Instant.js'
import { Time, toMillis } from '../codec/times.js'
import { redact } from '../decode/redact.js'
import { fieldsOf } from '../decode/unknown.js'
import { E } from '../fp.js'
import type { InvalidRequest } from '../http/Failure.js'
import { invalidField } from '../http/request/invalidRequest.js'
import type { Span } from '../stream/index.js'
import { secondAfter, secondOf } from '../stream/snapshot/Span.js'

// model

/** Which charges to read; all of them up to now when empty. Its times are taken to the second, as by a list. */
export interface SnapshotFilter extends Omit<ChargeFilter, 'page_num'> {
  /** A snapshot begins at its beginning; `from` goes on from a position. */
  readonly page_num?: never
}

// constructors

/** What the filter takes in, the ms of its end as well: up to `now` where it names none. */
export const spanOf = (
  endpoint: string,
  filter: SnapshotFilter,
  now: number,
): E.Either<InvalidRequest, Span> => {
  const { from_created_at, to_created_at } = filter
  for (const field of ['page_num', 'page'] as const) {
    const value: unknown = fieldsOf(filter)[field]
    const expected = 'left out of a snapshot'
    if (value !== undefined)
      return E.left(invalidField(endpoint, { field, expected, actual: redact(value) }))
  }
  for (const field of ['from_created_at', 'to_created_at'] as const) {
    const value: unknown = filter[field]
    if (value !== undefined && !Time.is(value)) {
      return E.left(invalidField(endpoint, { field, expected: Time.name, actual: redact(value) }))
    }
  }
  // rows show whole seconds: one that was made within the first of them is shown at its beginning
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

/** The last second that can be written: years have four digits. */
const LAST = Date.UTC(9999, 11, 31, 23, 59, 59)

const written = (ms: number): string => fromDate(new Date(Math.min(ms, LAST)))

/** What asks for a stretch: in whole seconds, and on both sides no less than the stretch. */
export const filterOf = ({
  from,
  to,
}: Span): Pick<ChargeFilter, 'from_created_at' | 'to_created_at'> => ({
  ...(from > 0 ? { from_created_at: written(from) } : {}),
  to_created_at: written(secondAfter(to)),
})
