import type { Observable } from 'rxjs'
import type { Position } from '../../api/Paging.js'
import type { RowDecoder } from '../../codec/Codec.js'
import type { DriftFact } from '../../decode/index.js'
import { type IO, withoutUndefined } from '../../fp.js'
import { is, type OptionsOf, resolveOptions, withDefault } from '../../options/index.js'
import type { Paged, ParallelOptions } from '../../stream/index.js'
import type { ClientEvent, DestinationWait } from '../ClientEvent.js'
import type { ListLimits } from '../limits.js'

/** Limits at which to give up on a list that does not end, with a `Truncated` failure. */
export interface ListOptions {
  /** Maximum number of pages. Default 10,000. */
  readonly maxPages: number
  /** Maximum number of consecutive empty pages. Default 100. */
  readonly maxEmptyPages: number
  /**
   * `true`: the last numbered page must be marked by `has_more: false` or `page_after: null`; otherwise it is `Undecodable`.
   * `false`: an unmarked page ends the list. Default `true`.
   */
  readonly strictEnd?: boolean
}

/** The defaults. They are our assumptions: not in the API description. */
export const LIST_DEFAULTS: ListOptions = { maxPages: 10_000, maxEmptyPages: 100 }

/** A list of the API. Cold: requests are sent on subscription. */
export interface List<E, A> extends Paged<E, A, Position> {
  /**
   * Reads with up to `pages` concurrent requests, in order by default. Default: enough to use the full rate limit, but no more
   * than make the list faster. A list with bookmarks only reads one page ahead, because each page names the next. Throws an
   * `InvalidOption` for an invalid number.
   */
  readonly parallel: (pages?: number, options?: ParallelOptions) => List<E, A>
  /**
   * Starts at a position, such as the one in a `Truncated`. For an invalid position, fails with `InvalidRequest` and sends
   * nothing. Cannot detect a position of a different list.
   */
  readonly from: (position: Position) => List<E, A>
  /**
   * Estimates requests, time and maximum throughput from the limits and the page size. Sends nothing. Throws an `InvalidOption`
   * for invalid numbers.
   */
  readonly explain: (options?: PlanOptions) => ListPlan
  /** Describes the list, its filter and its account. The description identifies an export. */
  readonly describe: () => ListDescription<A>
}

/** The client that a list belongs to: its connection and account, and how to observe its work. */
export interface ListOrigin {
  /** Base URL of the platform, without a trailing slash. */
  readonly baseUrl: string
  /** The client id of the credentials, or of the partner's application; absent with a token source. */
  readonly clientId?: string
  /** The account to log in to. */
  readonly loginAs?: string
  /** The connected account to act for. */
  readonly onBehalfOf?: string
  /** The requested version of the API. */
  readonly apiVersion?: string
  /** `exact`: rows keep the digits of their numbers. */
  readonly numbers: 'exact' | 'fast'
  /** Returns the number of requests per second that the client's limits allow now; `Infinity` without limits. */
  readonly perSecond: IO<number>
  /** Returns a lower bound of the service's time, in ms since 1970; `undefined` before the first response. */
  readonly serviceTime: IO<number | undefined>
  /** Events of the client. */
  readonly events: Observable<ClientEvent>
  /** Emits an event about a wait of the list's consumer, so that the client logs it. */
  readonly tell: (wait: DestinationWait) => void
  /** Fields and values received so far that no codec knows. */
  readonly drift: IO<ReadonlyArray<DriftFact>>
  /** Removes the keys and tokens of the client from a value. */
  readonly scrub: (u: unknown) => unknown
}

/** The identity of a list. An export that resumes after a crash uses it to recognize its list, and to refuse any other. */
export interface ListDescription<A> extends ListOrigin {
  /** The route, such as `GET /api/v1/charges`. */
  readonly endpoint: string
  /** A `snapshot` reads time slices and contains each row once; a plain `list` may repeat rows. */
  readonly kind: 'list' | 'snapshot'
  /** The parameters that select rows: all but the page size. */
  readonly query: Readonly<Record<string, unknown>>
  /** Decodes a row. */
  readonly codec: RowDecoder<A>
}

// estimates

/** An estimate of requests, time and rate, computed from the limits and the page size. */
export interface ListPlan {
  /** Rows per page. Absent if neither the call nor the API description sets it, or if it is invalid. */
  readonly pageSize?: number
  /** Maximum rows per second within the limits; `parallel` comes close to it. */
  readonly ceiling?: number
  /** The limit that applies, if any. `parallel`: the limit is the number of concurrent requests and their `roundTrip`. */
  readonly limit?: 'endpoint' | 'global' | 'concurrency' | 'parallel'
  /** Number of requests for the expected rows. */
  readonly requests?: number
  /** Duration of these requests, in seconds: at the ceiling, or as `roundTrip` implies if that is longer. */
  readonly seconds?: number
}

/** An estimate of a snapshot, from the limits and a few requests. */
export interface SnapshotPlan extends ListPlan {
  /** Number of rows, as counted or given. */
  readonly rows: number
  /** `about`: within 5 %. `at least`: the list continues beyond the last page number. */
  readonly precision: 'exact' | 'about' | 'at least' | 'given'
  /** Number of requests sent to count the rows. */
  readonly probes: number
}

const table = {
  /** Expected number of rows. */
  rows: is.nonNegativeIntOrInfinity,
  /** Expected duration of a request, in ms. Default 0. */
  roundTrip: withDefault(is.millis, 0),
}

/** Expectations about a list, for an estimate. */
export interface PlanOptions extends OptionsOf<typeof table> {}

export interface PlannedList {
  readonly limits: ListLimits
  /** Rows per page, if known. */
  readonly pageSize: number | undefined
  /** Number of concurrent requests. */
  readonly width: number
}

/** Estimates the cost of a list. Even an empty list costs one request. Throws an `InvalidOption` for invalid numbers. */
export const plan = (
  { limits: { global, endpoint, concurrency }, pageSize, width }: PlannedList,
  options: PlanOptions = {},
): ListPlan => {
  const { rows, roundTrip } = resolveOptions(options, table, { context: 'explain: ' })
  if (pageSize === undefined) return {}
  const bounds = [
    { limit: 'endpoint', perSecond: endpoint },
    { limit: 'global', perSecond: global },
    { limit: 'concurrency', perSecond: (concurrency * 1_000) / roundTrip },
    { limit: 'parallel', perSecond: (width * 1_000) / roundTrip },
  ] as const
  const perSecond = Math.min(...bounds.map((bound) => bound.perSecond))
  const limit = Number.isFinite(perSecond)
    ? bounds.find((bound) => bound.perSecond === perSecond)?.limit
    : undefined
  const rate = {
    pageSize,
    ceiling: Math.min(global, endpoint) * pageSize,
    ...withoutUndefined({ limit }),
  }
  if (rows === undefined) return rate
  const requests = Math.max(1, Math.ceil(rows / pageSize))
  const seconds = requests === Number.POSITIVE_INFINITY ? requests : requests / perSecond // Infinity / Infinity is NaN
  return { ...rate, requests, seconds }
}
