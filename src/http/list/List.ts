import type { Observable } from 'rxjs'
import type { Position } from '../../api/Paging.js'
import type { Decodes } from '../../codec/Codec.js'
import type { DriftFact } from '../../decode/index.js'
import { type E, type IO, withoutUndefined } from '../../fp.js'
import { is, type OptionsOf, resolveOptions, withDefault } from '../../options/index.js'
import type { Paged, ParallelOptions } from '../../stream/index.js'
import type { ClientEvent, DestinationWait } from '../ClientEvent.js'
import type { AnyFailure } from '../Failure.js'
import type { ListLimits } from '../limits.js'

// model

/** When to give up a list that does not end, with a `Truncated`. */
export interface ListOptions {
  /** Pages a list may have. Default 10,000. */
  readonly maxPages: number
  /** Consecutive empty pages a list may have. Default 100. */
  readonly maxEmptyPages: number
  /**
   * `true`: the last numbered page has to say so, by `has_more: false` or, as a bookmark list does, by
   * `page_after: null`; else it is `Undecodable`, not the end. `false`: such a page ends the list. Default `true`.
   */
  readonly strictEnd?: boolean
}

/** Defaults, not specified by the interface document. */
export const LIST_DEFAULTS: ListOptions = { maxPages: 10_000, maxEmptyPages: 100 }

/** A list of the interface. Cold: requests are sent once it is subscribed to. */
export interface List<E, A> extends Paged<E, A, Position> {
  /**
   * Reads with up to `pages` requests under way, in order unless options say otherwise. A bookmark list stays one
   * page ahead, since each page names the next. Throws an `InvalidOption` for an invalid number.
   */
  readonly parallel: (pages: number, options?: ParallelOptions) => List<E, A>
  /**
   * Starts at a position, such as that of a `Truncated`. An invalid position makes the list an `InvalidRequest`, and
   * nothing is sent; a position of another list cannot be recognized.
   */
  readonly from: (position: Position) => List<E, A>
  /**
   * Estimates requests, time and the highest rate of rows from the limits and the page size. Sends nothing. Throws
   * an `InvalidOption` for invalid numbers.
   */
  readonly explain: (options?: PlanOptions) => ListPlan
  /** Returns what the list reads, and as whom. An export is known by it. */
  readonly describe: () => ListDescription<A>
}

/** The client of a list: where it reads, as whom, and how its work can be watched. */
export interface ListOrigin {
  /** Base URL of the platform, without a slash at its end. */
  readonly baseUrl: string
  /** The client id of the credentials, or of the partner's application; absent with a token source. */
  readonly clientId?: string
  /** The account that is logged in as. */
  readonly loginAs?: string
  /** The connected account that is acted for. */
  readonly onBehalfOf?: string
  /** Requested version of the API. */
  readonly apiVersion?: string
  /** `exact`: rows keep the digits of their numbers. */
  readonly numbers: 'exact' | 'fast'
  /** Returns how many requests a second the limits of the client allow now; `Infinity` without limits. */
  readonly perSecond: IO<number>
  /**
   * Returns the time at the service in ms since 1970, never later than it is; `undefined` before an answer has told it.
   */
  readonly serviceTime: IO<number | undefined>
  /** Events of the client. */
  readonly events: Observable<ClientEvent>
  /** Adds an event: what a reader of the list waits for, so that the log of the client says it. */
  readonly tell: (wait: DestinationWait) => void
  /** Fields and values received so far that no codec names. */
  readonly drift: IO<ReadonlyArray<DriftFact>>
  /** Removes the keys and tokens of the client from a value. */
  readonly scrub: (u: unknown) => unknown
}

/** Identity of the rows of a list, so that an export resumed after a crash recognizes them, and refuses others. */
export interface ListDescription<A> extends ListOrigin {
  /** The route, such as `GET /api/v1/charges`. */
  readonly endpoint: string
  /** A `snapshot` has slices of time and each row once; rows of a plain `list` may come again. */
  readonly kind: 'list' | 'snapshot'
  /** The parameters that choose rows: all but the page size. */
  readonly query: Readonly<Record<string, unknown>>
  /** Decodes a row. */
  readonly codec: Decodes<A>
  /** Reads a row by its id, as it stands now, where the service has single ones. */
  readonly retrieve?: (id: string) => Observable<E.Either<AnyFailure, A>>
}

// estimates

/** An estimate of requests, time and rate, computed from the limits and the page size. */
export interface ListPlan {
  /** Rows a page; absent if neither the call nor the interface sets it, or it is invalid. */
  readonly pageSize?: number
  /** Rows a second at most, by the limits: `parallel` comes close to it. */
  readonly ceiling?: number
  /**
   * The limit that keeps it from being faster; `parallel`: the requests under way at once, by their `roundTrip`.
   * Absent where there is none.
   */
  readonly limit?: 'endpoint' | 'global' | 'concurrency' | 'parallel'
  /** Requests for the rows expected. */
  readonly requests?: number
  /** Seconds for these requests: at the ceiling, or by `roundTrip` if pages take longer than that. */
  readonly seconds?: number
}

const table = {
  /** Rows expected. */
  rows: is.nonNegativeIntOrInfinity,
  /** Expected duration of a request, in ms. Default 0. */
  roundTrip: withDefault(is.millis, 0),
}

/** Expectations of a list, for an estimate. */
export interface PlanOptions extends OptionsOf<typeof table> {}

export interface PlannedList {
  readonly limits: ListLimits
  /** Rows a page, if known. */
  readonly pageSize: number | undefined
  /** Requests under way at once. */
  readonly width: number
}

/** An empty list costs one request, too. Throws an `InvalidOption` for invalid numbers. */
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
