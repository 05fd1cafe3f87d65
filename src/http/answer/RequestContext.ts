import type { Scrub } from '../secrets/scrub.js'

/** Which request of which call this is about. */
export interface RequestContext {
  readonly endpoint: string
  readonly attempts: number
  readonly traceId?: string
  /** Takes the secrets of this request out of what came from outside. */
  readonly scrub: Scrub
}
