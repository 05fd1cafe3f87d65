/**
 * ```ts
 * interface Flow
 * ```
 *
 * All requests that are counted in the same buckets, whatever their lane.
 */
import type { Bucket } from './Bucket.js'
import type { Slack } from './Guard.js'
import { type RoundTrip, roundTrip } from './RoundTrip.js'
import { type Strand, strand } from './Strand.js'

export interface Flow {
  readonly buckets: ReadonlyArray<Bucket>
  /** What those of them that learn have learned. */
  readonly slacks: ReadonlyArray<Slack>
  /** By lane. */
  readonly strands: ReadonlyArray<Strand>
  readonly roundTrip: RoundTrip
  /** Started and not yet left, or about to come back. */
  held: number
  /** Places of refused requests that were not used, since nobody waited. */
  lost: number
}

export const flow = (
  buckets: ReadonlyArray<Bucket>,
  slacks: ReadonlyArray<Slack>,
  lanes: number,
): Flow => {
  const strands: Array<Strand> = []
  const self: Flow = { buckets, slacks, strands, roundTrip: roundTrip(), held: 0, lost: 0 }
  for (let lane = 0; lane < lanes; lane++) strands.push(strand(self, lane))
  return self
}
