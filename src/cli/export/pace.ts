/** How hard an export asks, and how long it waits: pure. */
import type { Limits } from '../../api/limits.js'
import type { Guard } from '../../scheduler/index.js'

/** How long a page of 2,000 charges takes, in ms, as far as is known before one was read. */
const PAGE_MS = 400

/** Requests at a time where nothing limits them: one is on its way while another is worked on. */
const UNLIMITED = 2

/** Requests a second that an endpoint allows, of which `share` is ours. */
export const perSecond = (limits: Pick<Limits, 'global' | 'endpoint'>, share: number): number =>
  Math.min(limits.global, limits.endpoint) * share

/** Requests at a time that use the quota up, and no more than there may be. */
export const widthOf = (limits: Limits, share: number): number => {
  const inSight = (perSecond(limits, share) * PAGE_MS) / 1_000
  const width = Math.floor(Math.min(inSight, limits.concurrency * share))
  return width === Number.POSITIVE_INFINITY ? UNLIMITED : Math.max(1, width)
}

/** A sandbox of one's own is as busy as the process it is in, and its round trips are too short to gain by more. */
export const guardFor = (flags: { readonly guard?: Guard; readonly sandbox?: boolean }): Guard =>
  flags.guard ?? (flags.sandbox === true ? 'safe' : 'learned')
