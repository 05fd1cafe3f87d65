import type { Limits } from '../../api/limits.js'
import { checkOptions, is, type OptionsTable } from '../../options/index.js'
import type { Millis } from '../../stream/index.js'

// model

/**
 * What reading a list will take: requests, rows a second at most, seconds. Computed from the limits and
 * the page size; nothing is sent.
 */
export interface ListPlan {
  /** Rows a page; left out where neither the call nor the interface says, or the call says what is no page size. */
  readonly pageSize?: number
  /** Rows a second at most, by the limits: what `parallel` comes close to. */
  readonly ceiling?: number
  /** Requests for so many rows. */
  readonly requests?: number
  /** How long these take: at the ceiling, or, where a page takes longer than that, by `roundTrip`. */
  readonly seconds?: number
}

/** What is known of a list before it is read. */
export interface PlanOptions {
  /** Rows that the list is thought to have. */
  readonly rows?: number
  /** How long a page is thought to take, in ms. Default 0. */
  readonly roundTrip?: Millis
}

/** The limits that a list is under: requests a second, and at a time; the part of them that this client uses. */
export interface ListLimits extends Pick<Limits, 'global' | 'endpoint' | 'concurrency'> {}

/** A list as it is to be read. */
export interface Planned {
  readonly pace: ListLimits
  /** Rows a page, where that is known. */
  readonly pageSize: number | undefined
  /** Pages on their way at a time. */
  readonly width: number
}

// constructors

const rules: OptionsTable<PlanOptions> = { rows: is.nonNegativeIntOrInfinity, roundTrip: is.millis }

/** An empty list costs one request, too. Throws an `InvalidOption` for numbers that make no sense. */
export const plan = (
  { pace: { global, endpoint, concurrency }, pageSize, width }: Planned,
  options: PlanOptions = {},
): ListPlan => {
  const { rows, roundTrip = 0 } = checkOptions(options, rules, { context: 'explain: ' })
  if (pageSize === undefined) return {}
  const perSecond = Math.min(global, endpoint)
  const paced = { pageSize, ceiling: perSecond * pageSize }
  if (rows === undefined) return paced
  const requests = Math.max(1, Math.ceil(rows / pageSize))
  const atATime = Math.min(width, concurrency)
  const pages = Math.min(perSecond, (atATime * 1_000) / roundTrip) // a second
  const seconds = requests === Number.POSITIVE_INFINITY ? requests : requests / pages // of both, NaN
  return { ...paced, requests, seconds }
}
