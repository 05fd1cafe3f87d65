/**
 * ```ts
 * interface Flow
 * ```
 *
 * All requests that are counted in the same buckets, whatever their lane.
 */
import { type Bucket, isStore, type Store } from './bucket/Bucket.js'
import { type RoundTrip, roundTrip } from './RoundTrip.js'
import { type Strand, strand } from './Strand.js'
import type { Slack } from './slack/Slack.js'

export interface Flow {
  readonly buckets: ReadonlyArray<Bucket>
  /** Those of them that are kept here ... */
  readonly own: ReadonlyArray<Bucket>
  /** ... and the others. */
  readonly stores: ReadonlyArray<Store>
  /** What those of them that learn have learned. */
  readonly slacks: ReadonlyArray<Slack>
  /** By lane. */
  readonly strands: ReadonlyArray<Strand>
  readonly roundTrip: RoundTrip
  /** Started and not yet left. */
  inFlight: number
  /** Refused, and about to come back. */
  backingOff: number
  /** Places of refused requests that nobody else was given, since one of its strands was last empty. */
  wasted: number
}

export const flow = (
  buckets: ReadonlyArray<Bucket>,
  slacks: ReadonlyArray<Slack>,
  lanes: number,
): Flow => new Counted(buckets, slacks, lanes)

const NONE: ReadonlyArray<never> = []

/** There may be thousands: its lists have no room to spare. */
class Counted implements Flow {
  readonly buckets: ReadonlyArray<Bucket>
  readonly own: ReadonlyArray<Bucket>
  readonly stores: ReadonlyArray<Store>
  readonly slacks: ReadonlyArray<Slack>
  readonly strands: ReadonlyArray<Strand>
  readonly roundTrip = roundTrip()
  inFlight = 0
  backingOff = 0
  wasted = 0

  constructor(buckets: ReadonlyArray<Bucket>, slacks: ReadonlyArray<Slack>, lanes: number) {
    this.buckets = buckets.slice()
    const stores = buckets.filter(isStore)
    this.own = stores.length === 0 ? this.buckets : buckets.filter((bucket) => !isStore(bucket))
    this.stores = stores.length === 0 ? NONE : stores
    this.slacks = slacks.slice()
    this.strands = Array.from({ length: lanes }, (_, lane) => strand(this, lane))
  }
}
