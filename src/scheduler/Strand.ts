/**
 * ```ts
 * interface Strand extends Parked<Strand>
 * ```
 *
 * Those of one lane who wait for the same buckets, first in, first out. Ranked by when it was last served,
 * or began to wait; brought up to date when it is looked at.
 */
import type { Millis } from './Clock.js'
import type { Flow } from './Flow.js'
import type { Rung } from './park/Ladder.js'
import type { Park, Parked } from './park/Park.js'

/** Somebody who waits, or has started. */
export interface Ticket {
  readonly strand: Strand
  start(now: Millis): void
  waiting: boolean
  /** Of the first: nothing that counts. */
  before: Ticket | undefined
  after: Ticket | undefined
}

export interface Strand extends Parked<Strand> {
  readonly flow: Flow
  /** Where it waits. */
  parkedAt: Park<Strand> | undefined
  first: Ticket | undefined
  last: Ticket | undefined
  /** The last of those at the front that had started before, and came back. */
  back: Ticket | undefined
  length: number
  since: Millis
  /** When places were last kept for it. */
  keptAt: Millis
}

export const strand = (flow: Flow, lane: number): Strand => new Waiting(flow, lane)

class Waiting implements Strand {
  rung: Rung<Strand> | undefined = undefined
  ahead: Strand | undefined = undefined
  behind: Strand | undefined = undefined
  parkedAt: Park<Strand> | undefined = undefined
  first: Ticket | undefined = undefined
  last: Ticket | undefined = undefined
  back: Ticket | undefined = undefined
  length = 0
  since: Millis = 0
  keptAt: Millis = 0
  rank: Millis = 0
  slot = -1
  readonly flow: Flow
  readonly lane: number

  constructor(flow: Flow, lane: number) {
    this.flow = flow
    this.lane = lane
  }
}

/** At the end; or, if it had started before and comes back, at the front, behind those that did so before it. */
export const join = (ticket: Ticket, front: boolean): void => {
  const { strand } = ticket
  const before = front ? strand.back : strand.last
  const after = before === undefined ? strand.first : before.after
  ticket.waiting = true
  ticket.before = before
  ticket.after = after
  if (before === undefined) strand.first = ticket
  else before.after = ticket
  if (after === undefined) strand.last = ticket
  else after.before = ticket
  if (front) strand.back = ticket
  strand.length++
}

/** Does not touch the one after the first, which is not in the cache yet: its `before` is of no use now. */
export const quit = (ticket: Ticket): void => {
  const { strand, before, after } = ticket
  ticket.waiting = false
  if (strand.back === ticket) strand.back = strand.first === ticket ? undefined : before
  if (strand.first === ticket || before === undefined) {
    strand.first = after
    if (after === undefined) strand.last = undefined
  } else {
    before.after = after
    if (after === undefined) strand.last = before
    else after.before = before
  }
  ticket.before = undefined
  ticket.after = undefined
  strand.length--
}
