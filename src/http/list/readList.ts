import { isObservable, type Observable } from 'rxjs'
import type { AnyList } from '../../api/Endpoint.js'
import { following, type Paging, type Position, showPosition, strayed } from '../../api/Paging.js'
import type { RowDecoder } from '../../codec/Codec.js'
import type { Decoder, Drift } from '../../decode/index.js'
import { plural } from '../../decode/plural.js'
import { redact } from '../../decode/redact.js'
import { fieldsOf, isRecord } from '../../decode/unknown.js'
import { type IO, O, pipe, withoutPrototype, withoutUndefined } from '../../fp.js'
import { left } from '../../stream/either/ObservableEither.js'
import { type PaginateOptions, type ParallelOptions, paginate } from '../../stream/index.js'
import { inParallel, type Parallel } from '../../stream/paginate.js'
import { truncated } from '../answer/failureOf.js'
import {
  type EnvelopeCheck,
  type ParseText,
  pageReader,
  rowsFingerprint,
} from '../answer/readAnswer.js'
import type { Execute } from '../ClientRuntime.js'
import type { Failure } from '../Failure.js'
import type { ListLimits } from '../limits.js'
import { invalidField, invalidParams, invalidRequest } from '../request/invalidParams.js'
import { type List, type ListOptions, type ListOrigin, type PlanOptions, plan } from './List.js'

export interface ReadListSpec<A> {
  readonly row: AnyList
  readonly execute: Execute
  /** Checks the names of the caller's parameters. */
  readonly check: boolean
  readonly decode: Decoder<A>
  /** The parser of responses. Default `JSON.parse`. */
  readonly parseText?: ParseText | undefined
  readonly options: ListOptions & { readonly limits: IO<ListLimits> }
  /** Number of concurrent requests if `parallel` is called without a number; measured while subscribed. */
  readonly measuredWidth: Observable<number>
  /** Records envelopes that do not match the endpoint's paging. */
  readonly drift?: Drift | undefined
  readonly origin: ListOrigin
}

/** A list with its start position, and the way in which its pages are fetched. */
interface View extends Parallel {
  readonly first: Position
  /** The failure of every page if no request can be sent. */
  readonly invalid?: Failure
}

/** Creates the calls of a list endpoint. A list starts at the page that its parameters name, or at the first page. */
export const readList = <A>({
  row,
  execute,
  check,
  decode,
  parseText,
  options: { limits, strictEnd = true, ...guards },
  measuredWidth,
  drift,
  origin,
}: ReadListSpec<A>): ((params: unknown) => List<Failure, A>) => {
  const { route, params: codec, paging } = row
  const read = pageReader(decode, parseText, envelopeCheck(row, strictEnd, drift))
  return (params) => {
    const causes = invalidParams(codec, params, check)
    const { page_num, page, ...filter } = withoutPrototype(fieldsOf(params))
    const start = pageParams({ page_num, page })
    // an invalid page remains among the parameters, whose check then fails with the reason
    const invalidPage = O.isNone(start) ? withoutUndefined({ page_num, page }) : {}
    const pageSize = sizeOf(filter.page_size ?? paging.size)

    const listOf = (given: View): List<Failure, A> => {
      const view = withoutPrototype(given)
      const { first, invalid = causes && invalidRequest(route, causes), ...parallel } = view
      const options: PaginateOptions<Failure, A, Position> = {
        ...guards,
        ...parallel,
        first,
        fetch: (position) =>
          invalid !== undefined
            ? left(invalid)
            : execute({ ...filter, ...position, ...invalidPage }, read(position)),
        key: (position) => JSON.stringify(position),
        following: nextNumber,
        mark: rowsFingerprint,
        mayRepeat: ({ raw }) => raw.length === 1, // a single row moves to the next page when another row is created
        cut: (cut, position, pages) => {
          const ended = `ended before ${showPosition(position)}, after ${plural(pages, 'page')}`
          return truncated({ endpoint: route, position, pages, ended }, cut)
        },
      }
      return Object.assign(paginate(options), {
        parallel: (width?: number, options?: ParallelOptions) =>
          listOf({ ...view, ...inParallel(width ?? measuredWidth, options) }),
        from: (position: Position) =>
          pipe(
            parsePosition(paging)(position),
            O.match(
              () => {
                const actual = redact(position)
                const problem = { field: 'position', expected: POSITION_TEXT, actual }
                return listOf({
                  ...view,
                  first: paging.first,
                  invalid: invalidField(route, problem),
                })
              },
              (first) => listOf({ ...parallel, first }),
            ),
          ),
        describe: () => {
          const { page_size: _, ...query } = withoutUndefined(fieldsOf(params))
          const codec = row.success as RowDecoder<A> // same endpoint as in `decode`
          return { ...origin, endpoint: route, kind: 'list' as const, query, codec }
        },
        explain: (options?: PlanOptions) => {
          const { parallel = 1 } = O.isSome(nextNumber(first)) ? view : {}
          const width = isObservable(parallel) ? Number.POSITIVE_INFINITY : parallel
          return plan({ limits: limits(), pageSize, width }, options)
        },
      })
    }
    const first = O.getOrElse(() => paging.first)(start)
    return listOf({ first })
  }
}

/** Returns the position after this one, even before its page has arrived. Possible only for page numbers. */
const nextNumber = (position: Position): O.Option<Position> =>
  'page_num' in position ? O.some({ page_num: position.page_num + 1 }) : O.none

/** Returns the page size; `undefined` for an invalid one, because the check of the parameters then fails with the reason. */
const sizeOf = (u: unknown): number | undefined => {
  const size = isDigits(u) ? Number(u) : u
  return typeof size === 'number' && Number.isSafeInteger(size) && size > 0 ? size : undefined
}

/**
 * Records an envelope that does not match the endpoint's paging. With `strictEnd`, rejects an envelope without `has_more`. At
 * the end of a list, `items: null` means that there are no rows; elsewhere it is invalid.
 */
const envelopeCheck =
  ({ route, paging }: AnyList, strictEnd: boolean, drift?: Drift): EnvelopeCheck =>
  (position, envelope, isNull) => {
    if (isNull) {
      if (O.isSome(following(position, envelope))) {
        return { path: 'items', expected: 'array', actual: 'null' }
      }
      drift?.found(route, 'items', 'other paging', null)
    }
    const stray = strayed(paging, position, envelope)
    if (O.isNone(stray)) return undefined
    const { path, value } = stray.value
    drift?.found(route, path, 'other paging', value)
    const isEndUnsaid = path === 'has_more' && typeof value !== 'boolean'
    return strictEnd && isEndUnsaid
      ? { path, expected: 'true or false', actual: value === undefined ? 'missing' : redact(value) }
      : undefined
  }

// positions

/** `expected` text for an invalid position. */
const POSITION_TEXT = 'the position of a page: page_num or page, such as `next` of another page'

interface PageParams {
  readonly page_num?: unknown
  readonly page?: unknown
}

/** Reads a position from the parameters of a list. A page number may be a string, as in a query. */
const pageParams = ({ page_num, page }: PageParams): O.Option<Position> => {
  if (typeof page_num === 'number') return O.some({ page_num })
  if (isDigits(page_num)) return O.some({ page_num: Number(page_num) })
  return typeof page === 'string' ? O.some({ page }) : O.none
}

/** Reads a stored position, which may be invalid or belong to another kind of list. */
const parsePosition =
  ({ style, first }: Paging) =>
  (u: unknown): O.Option<Position> => {
    if (!isRecord(u)) return O.none
    const { page_num, page, ...others } = withoutUndefined(u)
    if (Object.keys(others).length > 0) return O.none
    const isEmpty = page_num === undefined && page === undefined
    if (isEmpty) return style === 'cursor' ? O.some(first) : O.none
    return page_num === undefined || page === undefined ? pageParams({ page_num, page }) : O.none
  }

const isDigits = (u: unknown): u is string => typeof u === 'string' && /^\d+$/.test(u)
