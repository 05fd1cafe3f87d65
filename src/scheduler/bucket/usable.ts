/**
 * ```ts
 * const usable: (options: UsableOptions) => number
 * ```
 *
 * How many could start if a store lent them places: those who wait and have room in all limits that are kept
 * here. What it lends beyond that is soon void, and somebody else could have used it.
 */

import type { Millis } from '../Clock.js'
import type { Park } from '../park/Park.js'
import type { Strand } from '../Strand.js'
import type { Bucket } from './Bucket.js'

export interface UsableOptions {
  /** Whose turn it is: it has room for one at least. */
  readonly strand: Strand
  /** As if so many waited in it, if they are more. */
  readonly usual: number
  /** Those who wait for the same store. */
  readonly park: Park<Strand> | undefined
  /** Counts no further. */
  readonly most: number
  readonly now: Millis
}

type Queue = Pick<Strand, 'flow' | 'length'>

/** A hundred thousand queues of one are not all looked at whenever one place is asked for. */
const LOOKED_AT = 256

export const usable = ({ strand, usual, park, most, now }: UsableOptions): number => {
  const rooms = new Map<Bucket, number>() // less what those take who were counted
  const roomOf = (bucket: Bucket): number => rooms.get(bucket) ?? bucket.room(now)
  let sum = 0

  const add = ({ flow, length }: Queue): void => {
    const count = Math.min(length, most - sum, ...flow.own.map(roomOf))
    for (const bucket of flow.own) rooms.set(bucket, roomOf(bucket) - count)
    sum += count
  }

  add({ flow: strand.flow, length: Math.max(strand.length, usual) })
  const others = sum < most ? (park?.some(Math.min(most, LOOKED_AT)) ?? []) : []
  for (const other of others) if (other !== strand) add(other)
  return Math.max(1, sum)
}
