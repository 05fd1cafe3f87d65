import type { AnyList } from '../../api/Endpoint.js'
import { type Position, showPosition } from '../../api/Paging.js'
import type { Decodes } from '../../codec/Codec.js'
import type { Drift } from '../../decode/index.js'
import { plural } from '../../decode/plural.js'
import { redact } from '../../decode/redact.js'
import { fieldsOf } from '../../decode/unknown.js'
import { defined, O, pipe } from '../../fp.js'
import {
  inParallel,
  left,
  type Paged,
  type PaginateOptions,
  type ParallelOptions,
  paged,
  paginate,
} from '../../stream/index.js'
import { pageReader } from '../answer/readAnswer.js'
import type { CallSpec } from '../CallSpec.js'
import type { Failure } from '../Failure.js'
import { invalidParams } from '../request/invalidParams.js'
import { invalidField } from '../request/invalidRequest.js'
import type { ListDescription, ListOrigin } from './ListDescription.js'
import { envelopeCheck } from './lookOf.js'
import { type ListLimits, type ListPlan, type PlanOptions, plan } from './plan.js'
import { isDigits, POSITION_TEXT, pageParams, parsePosition } from './position.js'
import { rowsFingerprint } from './rowsMark.js'
import { truncated } from './truncated.js'

// model

/** When a list is given up as endless, with a `Truncated`. */
export interface ListOptions {
  /** Pages a list may have before it is given up as endless. Default 10,000. */
  readonly maxPages: number
  /** Empty pages in a row that still count as going on. Default 100. */
  readonly maxEmptyPages: number
  /**
   * Whether a numbered page has to say that it is the last one, by `has_more: false` or, as a bookmark list
   * does, `page_after: null`: else it is `Undecodable`, and not the end. Default `false` for lists, `true` for
   * snapshots.
   */
  readonly strictEnd?: boolean
}

/** A list of the interface. */
export interface List<E, A> extends Paged<E, A, Position> {
  /**
   * The same list with up to so many of its pages on their way at a time, in order unless told
   * otherwise. A bookmark list cannot be asked ahead: it stays one page ahead, whatever the number.
   * Throws an `InvalidOption` for what is no number of pages.
   */
  readonly parallel: (pages: number, options?: ParallelOptions) => List<E, A>
  /**
   * The same list from another page on, such as the `position` of a `Truncated`. What is no position of any
   * list is an `InvalidRequest`, and nothing is sent; whether it is one of this list nobody can tell.
   */
  readonly from: (position: Position) => List<E, A>
  /**
   * What reading it will take: requests, rows a second at most, seconds. Computed from the limits and the
   * page size; nothing is sent. Throws an `InvalidOption` for numbers that make no sense.
   */
  readonly explain: (options?: PlanOptions) => ListPlan
  /** Returns what the list reads, and as whom. An export is known by it. */
  readonly describe: () => ListDescription<A>
}

/** What the calls of a list are made of. */
export interface ReadListSpec<A> extends CallSpec<A> {
  readonly row: AnyList
  readonly options: ListOptions & { readonly pace: ListLimits }
  /** Is told where a list does not go on as its row says. */
  readonly drift?: Drift | undefined
  /** The client that it belongs to. */
  readonly origin: ListOrigin
}

/** A list, from where and how it is seen. */
interface Seen<A> {
  readonly first: Position
  readonly view: (pages: PaginateOptions<Failure, A, Position>) => Paged<Failure, A, Position>
  /** Pages on their way at a time. */
  readonly width: number
  /** What it comes to in place of its pages, where it is of no use to ask for them. */
  readonly wrong?: Failure
}

/** The guards of a list (defaults, not specified by the interface document). */
export const LIST_DEFAULTS: ListOptions = { maxPages: 10_000, maxEmptyPages: 100 }

// constructors

/** A list, from the page that the parameters name, or from its first. */
export const readList = <A>({
  row,
  ask,
  decode,
  parseText,
  options: { pace, strictEnd = false, ...guards },
  drift,
  origin,
}: ReadListSpec<A>): ((params: unknown) => List<Failure, A>) => {
  const { route, params: codec, paging } = row
  const read = pageReader(decode, parseText, envelopeCheck(row, strictEnd, drift))
  return (params) => {
    const isFit = invalidParams(codec, params) === undefined // or else `ask` says what is wrong
    const { page_num, page, ...filter } = fieldsOf(params)
    const begun = pageParams({ page_num, page })
    // what names no page stays among the parameters, whose check says what is wrong with it
    const stray = O.isNone(begun) ? defined({ page_num, page }) : {}
    const size = sizeOf(filter.page_size ?? paging.size)

    const listOf = (seen: Seen<A>): List<Failure, A> => {
      const { first, view, width, wrong } = seen
      const pages: PaginateOptions<Failure, A, Position> = {
        ...guards,
        first,
        fetch: (position) =>
          wrong !== undefined
            ? left(wrong)
            : ask(isFit ? { ...filter, ...position, ...stray } : params, read(position)),
        key: (position) => JSON.stringify(position),
        following: numbered,
        mark: rowsFingerprint,
        cut: (cut, position, pages) => {
          const ended = `ended before ${showPosition(position)}, after ${plural(pages, 'page')}`
          return truncated({ endpoint: route, position, pages, ended }, cut)
        },
      }
      return Object.assign(view(pages), {
        parallel: (width: number, options?: ParallelOptions) =>
          listOf({ ...seen, view: inParallel(width, options), width }),
        from: (position: Position) =>
          pipe(
            parsePosition(paging)(position),
            O.match(
              () =>
                listOf({ view, width, first: paging.first, wrong: noPosition(route, position) }),
              (found) => listOf({ view, width, first: found }),
            ),
          ),
        describe: () => {
          const { page_size: _, ...query } = defined(fieldsOf(params))
          const codec = row.success as Decodes<A> // of the same row as `decode`
          return { ...origin, endpoint: route, kind: 'list' as const, query, codec }
        },
        explain: (options?: PlanOptions) => {
          // of a bookmark list one page is on its way, whatever was asked for
          const asked = O.isSome(numbered(first)) ? width : 1
          return plan({ pace, pageSize: size, width: asked }, options)
        },
      })
    }
    const first = O.getOrElse(() => paging.first)(begun)
    return listOf({ first, view: (pages) => paged(paginate(pages)), width: 1 })
  }
}

const noPosition = (endpoint: string, u: unknown): Failure =>
  invalidField(endpoint, { field: 'position', expected: POSITION_TEXT, actual: redact(u) })

/** Only numbers can be told before the page came. */
const numbered = (position: Position): O.Option<Position> =>
  'page_num' in position ? O.some({ page_num: position.page_num + 1 }) : O.none

/** None of what no page can have: that is refused when it is asked for. */
const sizeOf = (u: unknown): number | undefined => {
  const size = isDigits(u) ? Number(u) : u
  return typeof size === 'number' && Number.isSafeInteger(size) && size > 0 ? size : undefined
}
