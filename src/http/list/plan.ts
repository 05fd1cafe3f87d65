import { is, type OptionsOf, resolveOptions, withDefault } from '../../options/index.js'
import type { ListLimits } from '../limits.js'

// model

/** An estimate of requests, time and rate, computed from the limits and the page size. */
export interface ListPlan {
  /** Rows a page; absent if neither the call nor the interface sets it, or it is invalid. */
  readonly pageSize?: number
  /** Rows a second at most, by the limits: `parallel` comes close to it. */
  readonly ceiling?: number
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

// constructors

/** An empty list costs one request, too. Throws an `InvalidOption` for invalid numbers. */
export const plan = (
  { limits: { global, endpoint, concurrency }, pageSize, width }: PlannedList,
  options: PlanOptions = {},
): ListPlan => {
  const { rows, roundTrip } = resolveOptions(options, table, { context: 'explain: ' })
  if (pageSize === undefined) return {}
  const perSecond = Math.min(global, endpoint)
  const rate = { pageSize, ceiling: perSecond * pageSize }
  if (rows === undefined) return rate
  const requests = Math.max(1, Math.ceil(rows / pageSize))
  const concurrent = Math.min(width, concurrency)
  const requestsPerSecond = Math.min(perSecond, (concurrent * 1_000) / roundTrip)
  const seconds = requests === Number.POSITIVE_INFINITY ? requests : requests / requestsPerSecond // Infinity / Infinity is NaN
  return { ...rate, requests, seconds }
}
