/** A client's charges for `sync` and `follow`: pages by status and second, and single charges. */
import { map, take } from 'rxjs'
import { api } from '../api/index.js'
import type { Ledger, LedgerRow } from '../changes/Ledger.js'
import { AnyStatusFilter, type Charge } from '../codec/Charge.js'
import { fromDate, millisOf } from '../codec/Instant.js'
import { fieldsOf } from '../decode/unknown.js'
import { E, type IO, O, withoutPrototype, withoutUndefined } from '../fp.js'
import { rowId } from '../http/answer/readAnswer.js'
import type { AnyFailure } from '../http/Failure.js'
import type { List } from '../http/list/List.js'
import { mapRight, type ObservableEither } from '../stream/either/ObservableEither.js'
import type { Millis } from '../stream/index.js'

export interface LedgerSource {
  readonly list: (filter: AnyStatusFilter) => Pick<List<AnyFailure, Charge>, 'pages'>
  readonly retrieve: (params: { readonly id: string }) => ObservableEither<AnyFailure, Charge>
  readonly serviceTime: IO<Millis | undefined>
  readonly now: IO<Millis>
}

/** The list of charges, by any status: the service may have more statuses than the API description. */
export const anyStatusList = { ...api.charges.list, params: AnyStatusFilter }

export const ledger = ({ list, retrieve, serviceTime, now }: LedgerSource): Ledger<Charge> => ({
  page: (query) => {
    const { status, from, to, page, size } = withoutPrototype(query)
    return list({
      ...withoutUndefined({
        status,
        from_created_at: from === undefined ? undefined : instantOf(from),
        to_created_at: to === undefined ? undefined : instantOf(to),
      }),
      page_num: page,
      page_size: size,
    }).pages.pipe(
      take(1),
      mapRight(({ items, raw, next }) => ({
        rows: items.map((row, i) => rowOf(raw[i], row)),
        more: O.isSome(next),
      })),
    )
  },
  retrieve: (id) =>
    retrieve({ id }).pipe(
      map((row): E.Either<AnyFailure, LedgerRow<Charge>> => {
        if (E.isRight(row)) return E.right(rowOf(row.right, row))
        // a row that does not decode still exists
        return row.left._tag === 'Undecodable' ? E.right(rowOf({ id }, row)) : row
      }),
    ),
  serviceTime,
  now,
})

const rowOf = (raw: unknown, row: E.Either<AnyFailure, Charge>): LedgerRow<Charge> => {
  const { status, created_at, updated_at } = fieldsOf(raw)
  const created = Math.floor(millisOf(created_at) / 1_000)
  return {
    id: rowId(raw) ?? '',
    status: typeof status === 'string' ? status : '',
    created: Number.isNaN(created) ? 0 : created,
    updated: millisOf(updated_at),
    raw,
    row,
  }
}

/** The last second that a filter can name. */
const LAST = Date.UTC(9999, 11, 31, 23, 59, 59) / 1_000
const FIRST = Date.UTC(0, 0, 1) / 1_000 // 1900 is set explicitly, because `Date.UTC` reads 0 as that year

const instantOf = (second: number): string =>
  fromDate(new Date(Math.min(LAST, Math.max(FIRST, second)) * 1_000))
