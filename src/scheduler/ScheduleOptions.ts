import type { O } from '../fp.js'
import type { Millis } from './Clock.js'

/** Of one scheduled source. */
export interface ScheduleOptions<in A> {
  /** One of the lanes of the scheduler. */
  readonly lane?: string
  /**
   * Recognises a value by which the server refuses for its limits, such as HTTP 429. The source is
   * then subscribed again later. The refusal comes out only when all attempts are used up.
   */
  readonly refused?: (value: A) => O.Option<{ readonly retryAfter?: Millis }>
  /** How often it is sent at most: a whole number of at least 1, or `Infinity`. Default: what the scheduler says. */
  readonly attempts?: number
}
