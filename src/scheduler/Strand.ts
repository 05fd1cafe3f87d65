/**
 * ```ts
 * interface Strand extends Ranked
 * ```
 *
 * Those of one lane who wait for the same buckets, first in, first out. Ranked by how long it has not
 * been served, and by its length: the longest goes first, unless another waits for `patience` more.
 */
import type { Bucket } from './Bucket.js'
import type { Millis } from './Clock.js'
import type { Flight } from './Flights.js'
import type { Flow } from './Flow.js'
import type { Ranked } from './Heap.js'

/** Somebody who waits, or has started. */
export interface Ticket {
  readonly strand: Strand
  readonly start: (flight: Flight) => void
  waiting: boolean
  before: Ticket | undefined
  after: Ticket | undefined
}

export interface Strand extends Ranked {
  readonly flow: Flow
  readonly lane: number
  /** The bucket it waits for. */
  parkedAt: Bucket | undefined
  first: Ticket | undefined
  last: Ticket | undefined
  length: number
  /** When it was last served, or began to wait. */
  since: Millis
}

export const strand = (flow: Flow, lane: number): Strand => ({
  flow,
  lane,
  parkedAt: undefined,
  first: undefined,
  last: undefined,
  length: 0,
  since: 0,
  rank: 0,
  slot: -1,
})

/** A strand of this length is half as far ahead as one can be by length alone. */
const HALF = 100

export const rank = (strand: Strand, patience: Millis): number =>
  strand.since - (patience * strand.length) / (strand.length + HALF)

/** At the end; or, if it had started before and comes back, at the front. */
export const join = (ticket: Ticket, front: boolean): void => {
  const { strand } = ticket
  ticket.waiting = true
  if (front) {
    ticket.after = strand.first
    if (strand.first !== undefined) strand.first.before = ticket
    strand.first = ticket
    strand.last ??= ticket
  } else {
    ticket.before = strand.last
    if (strand.last !== undefined) strand.last.after = ticket
    strand.last = ticket
    strand.first ??= ticket
  }
  strand.length++
}

export const quit = (ticket: Ticket): void => {
  const { strand, before, after } = ticket
  ticket.waiting = false
  if (before === undefined) strand.first = after
  else before.after = after
  if (after === undefined) strand.last = before
  else after.before = before
  ticket.before = undefined
  ticket.after = undefined
  strand.length--
}
