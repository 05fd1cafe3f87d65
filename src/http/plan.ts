import type { Limits } from '../api/limits.js'

// model

/** What it comes to to read a list: pure, from the limits and the page size. */
export interface ListPlan {
  /** Rows a page; left out where neither the call nor the interface says. */
  readonly pageSize?: number
  /** Rows a second at most, by the limits: what `parallel` comes close to. */
  readonly ceiling?: number
  /** Requests for so many rows. */
  readonly requests?: number
  /** How long these take at the ceiling; one after the other, they take as long as they take. */
  readonly seconds?: number
}

export interface PlanOptions {
  /** Rows that the list is thought to have. */
  readonly rows?: number
}

/** The limits that a list is under. */
export interface Pace {
  readonly limits: Pick<Limits, 'global' | 'endpoint'>
  /** The part of them that this client uses. */
  readonly share: number
}

// constructors

/** An empty list costs one request, too. */
export const plan = (
  { limits, share }: Pace,
  pageSize: number | undefined,
  { rows }: PlanOptions = {},
): ListPlan => {
  if (pageSize === undefined) return {}
  const perSecond = Math.min(limits.global, limits.endpoint) * share
  const paced = { pageSize, ceiling: perSecond * pageSize }
  if (rows === undefined) return paced
  const requests = Math.max(1, Math.ceil(rows / pageSize))
  return { ...paced, requests, seconds: requests / perSecond }
}
