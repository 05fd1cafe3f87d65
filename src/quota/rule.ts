/**
 * The rule by which an account's limits are divided between processes, as pure functions. Redis runs the same rule as a
 * script (`script.ts`); tests hold the one against the other.
 *
 * The sum of what all processes may use never exceeds a limit, since a permit is given away only when its former owner
 * has reported that it does without: what a process may have is the larger of the part that it uses or was offered
 * (`granted`) and the permits that the server still counts (`held`).
 */
import type { Millis } from '../stream/index.js'

// model

/** One limit in a report of a process. */
export interface QuotaClaim {
  /** Key in Redis. */
  readonly name: string
  readonly limit: number
  /** Time after which the server counts no request of a process that stopped. */
  readonly tail: Millis
  /** Time after which permits that cannot be divided evenly move on to others. */
  readonly turn: Millis
  /** Version of the division that the process knows; 0 asks for the division anew. */
  readonly version: number
  /** The part in use now. Reporting a smaller one gives the rest away. */
  readonly had: number
  /** Permits that the server still counts, if more than `had`; else 0. */
  readonly held: number
  readonly want: number
  /** By how much less is let in than was granted, as just learned; else 0. */
  readonly less: number
}

/** Report of a process, sent at an interval. */
export interface MemberReport {
  readonly id: string
  /** Rises with each report: one that arrives after a later one is ignored. */
  readonly seq: number
  readonly lease: Millis
  /** The longest `tail` of all limits of the process. */
  readonly longest: Millis
  /** It has nothing to do: it gives up its lease. */
  readonly isLeaving: boolean
  /** The first one is for the reserve: the part of every limit that a process may have without Redis. */
  readonly claims: ReadonlyArray<QuotaClaim>
}

/** The part of one limit; `undefined` if it is as before. */
export interface Grant {
  readonly part: number | undefined
  readonly version: number
}

/** A process at one limit. */
interface Holding {
  readonly granted: number
  readonly held: number
  readonly want: number
}

/** One limit in Redis. */
interface Division {
  version: number
  /** The part of the state that changes by time alone, as it was at the last look. */
  circumstances: string
  /** When to look at it next. */
  lookAt: Millis
  low: number
  lowFor: Millis
  lowUntil: Millis
  readonly holdings: Map<string, Holding>
}

interface Membership {
  readonly seq: number
  /** End of its lease, by the clock of the account. */
  readonly until: Millis
  /** Time of its last report, by the clock of the account. */
  readonly seen: Millis
}

/** Everything that Redis knows of an account. */
export interface Account {
  /** Redis's time of the last report. */
  seen: Millis
  /** Elapsed time, without the time when Redis was out of reach for all processes. */
  clock: Millis
  /** Its time before the last gap: how long that lasted is not known, since Redis's clock may have been set in it. */
  gapAt: Millis
  /** Which run of Redis this is. */
  run: string
  /** End of the time in which no part may grow. */
  quietUntil: Millis
  readonly members: Map<string, Membership>
  readonly divisions: Map<string, Division>
}

// constants

/** A longer time without any report does not count: Redis was frozen, or its clock was set. */
export const GAP: Millis = 1_000
/** Processes die and leases end without a report, so the first report after this time looks for that. */
export const LOOK_EVERY: Millis = 1_000
/** Time after a lease in which the server may still count requests, after Redis has lost its data. */
export const QUIET_TAIL: Millis = 2_500
/**
 * Longest tail of a limit whose unwanted rest is given away as well, so that nobody waits for it. A process that is
 * killed would keep its part of the rest from all others for longer than that.
 */
export const BRIEF: Millis = 10_000
/** The reserve as a number: it can be divided evenly by up to ten. */
export const RESERVE = 5_040
/**
 * A lower limit that one process has learned holds for so long, and twice as long each time that the whole limit fails
 * again: it may have been bad luck.
 */
export const LOW_FOR: Millis = 2_000
export const LOW_FOR_AT_MOST: Millis = 64_000
/** A limit that really is lower is refused again within this time after the whole of it was tried. */
export const LOW_AGAIN_WITHIN: Millis = 8_000

/** Multiples of it are spread evenly between whole numbers. */
export const GOLDEN = 0.618_033_988_75

// constructors

export const emptyAccount = (): Account => ({
  seen: Number.NaN,
  clock: 0,
  gapAt: -1,
  run: '',
  quietUntil: 0,
  members: new Map(),
  divisions: new Map(),
})

// combinators

/**
 * Divides a limit max-min fair: no process gets more than it wants while another one gets less than it wants. Permits
 * that are left over when it does not divide evenly go to other processes at each turn. An unwanted rest is divided evenly.
 */
export const divide = (
  limit: number,
  wants: ReadonlyArray<number>,
  turn: number,
  luck = 0,
): ReadonlyArray<number> => divideAt(limit, wants, turn, luck).parts

/** Also says whether the next turn divides it otherwise. */
const divideAt = (
  limit: number,
  wants: ReadonlyArray<number>,
  turn: number,
  luck: number,
): { readonly parts: ReadonlyArray<number>; readonly isUneven: boolean } => {
  const order = wants.map((_, i) => i).sort((a, b) => (wants[a] ?? 0) - (wants[b] ?? 0) || a - b)
  const parts = wants.map(() => 0)
  let left = limit
  for (const [i, index] of order.entries()) {
    const want = wants[index] ?? 0
    const count = order.length - i
    const even = Math.floor(left / count)
    if (want > even) {
      const unsatisfied = order.slice(i).sort((a, b) => a - b)
      for (const [place, other] of unsatisfied.entries()) {
        const more = left - even * count
        // Where most have none, few permits move at a turn: it costs time, and each process in Redis.
        const first = even === 0 ? turn + Math.floor(luck * count) : turn * more
        const isLucky = (place + first) % count < more
        parts[other] = even + (isLucky ? 1 : 0)
      }
      return { parts, isUneven: left > even * count }
    }
    parts[index] = want
    left -= want
  }
  const rest = Math.floor(left / Math.max(1, wants.length))
  return { parts: parts.map((part) => part + rest), isUneven: false }
}

/**
 * Returns from 0 up to 1, by the name of a limit. Where permits are fewer than processes, those with a permit at one
 * endpoint would else have one at each, more than they have in all, and the others none.
 */
const luckOf = (name: string): number => {
  const sum = Array.from(new TextEncoder().encode(name)).reduce((all, byte) => all + byte, 0)
  return (sum * GOLDEN) % 1
}

/** Returns the part of a limit that a part of the reserve stands for. */
export const fairPart = (limit: number, reserved: number): number =>
  Math.floor((limit * reserved) / RESERVE)

/** Takes a report in, and returns a grant for each claim; none for a report that came too late. */
export const report = (
  account: Account,
  now: Millis,
  run: string,
  member: MemberReport,
): ReadonlyArray<Grant> => {
  const { id, seq, lease, longest, isLeaving, claims } = member
  if (Number.isFinite(account.seen)) {
    const elapsed = now - account.seen
    if (elapsed < 0 || elapsed > GAP) account.gapAt = account.clock
    account.clock += elapsed < 0 ? 1 : Math.min(elapsed, GAP)
  }
  account.seen = now
  const { clock, members } = account
  if (account.run !== run) account.quietUntil = clock + lease + QUIET_TAIL
  account.run = run

  if ((members.get(id)?.seq ?? 0) >= seq) return []
  members.set(id, { seq, until: isLeaving ? clock : clock + lease, seen: clock })
  for (const [other, { until }] of members) if (clock > until + longest) members.delete(other)

  return claims.map((claim) => grantOf(account, member, claim))
}

/** Divides one limit anew, if anything has changed for it. */
const grantOf = (account: Account, member: MemberReport, claim: QuotaClaim): Grant => {
  const { id } = member
  const { clock, divisions } = account
  const { name, limit, tail, turn: turnLength, version, had, held, want, less } = claim
  const turn = Math.floor(clock / turnLength)
  const division = divisions.get(name) ?? emptyDivision()
  const { holdings } = division
  const before = holdings.get(id)
  const isSame = before?.granted === had && before.held === held && before.want === want
  if (isSame && division.version === version && clock < division.lookAt && less === 0) {
    return { part: undefined, version }
  }

  const effective = effectiveLimit(division, limit, less, clock)
  const others = othersAt(account, division, id, tail)
  const silent = silentMembers(account, member, claim, division)

  const wants = new Map([[id, want], ...others.wants])
  const ids = [...wants.keys()].sort()
  const { parts, isUneven } = divideAt(
    effective,
    ids.map((other) => wants.get(other) ?? 0),
    turn,
    luckOf(name),
  )
  const due = parts[ids.indexOf(id)] ?? 0
  const room = effective - others.taken
  // While all have what they want, nothing moves.
  const isSettled = !others.isShort && want <= had && had <= room
  // A lower limit that was learned is reached by all together: each comes down to its part of that, and no further.
  let part = isSettled ? had : Math.max(0, Math.min(due, Math.max(had, room), limit - others.taken))
  if (tail > BRIEF) part = Math.min(part, want)
  part = Math.min(part, Math.max(had, room - silent.reserved))
  const isQuiet = clock < account.quietUntil
  if (isQuiet) part = Math.min(part, had)
  if (want === 0 && had === 0) part = 0

  const granted = Math.max(had, part)
  const { granted: g, held: h, want: w } = before ?? { granted: 0, held: 0, want: 0 }
  // The others divide the same whether it wants a little or much more than there is for it.
  const isAlike = w === want || isSettled || (w > due && want > due)
  const seen = [isUneven ? turn : 0, effective, wants.size, silent.count, isQuiet ? 1 : 0]
  const circumstances = seen.join(' ')
  const isChanged = others.isChanged || g !== granted || h !== held || !isAlike
  if (isChanged || division.circumstances !== circumstances) division.version++
  division.circumstances = circumstances
  division.lookAt = Math.min(clock + LOOK_EVERY, (turn + 1) * turnLength)
  if (granted + held + want === 0) holdings.delete(id)
  else holdings.set(id, { granted, held, want })
  if (holdings.size > 0 || clock < forgetLowAt(division)) divisions.set(name, division)
  else divisions.delete(name)
  return { part, version: division.version }
}

/** Returns the limit, or a lower one that a process has learned; `less`: by how much it is lower, as just learned. */
const effectiveLimit = (division: Division, limit: number, less: number, clock: Millis): number => {
  const current = clock < division.lowUntil ? Math.min(limit, division.low) : limit
  if (less <= 0) return current
  division.low = Math.max(1, current - less)
  if (clock >= division.lowUntil) {
    const isAgain = clock < forgetLowAt(division)
    division.lowFor = isAgain ? Math.min(LOW_FOR_AT_MOST, 2 * division.lowFor) : LOW_FOR
  }
  division.lowUntil = clock + division.lowFor
  return division.low
}

/** Returns what the other processes have and want of a limit, and forgets those that have ended. */
const othersAt = (
  { clock, members }: Account,
  { holdings }: Division,
  id: string,
  tail: Millis,
) => {
  const wants = new Map<string, number>()
  let taken = 0
  let isShort = false
  let isChanged = false
  for (const [other, { granted, held, want }] of holdings) {
    if (other === id) continue
    const until = members.get(other)?.until
    if (until === undefined || clock > until + tail) {
      holdings.delete(other)
      isChanged = true
      continue
    }
    taken += Math.max(granted, held)
    if (clock > until) continue
    wants.set(other, want)
    if (want > granted) isShort = true
  }
  return { wants, taken, isShort, isChanged }
}

/** One that was not heard for a lease goes on with its reserve, which it may not have had of this limit before. */
const silentMembers = (
  { clock, gapAt, members, divisions }: Account,
  { id, lease, claims: [reserve] }: MemberReport,
  { name, limit, tail }: QuotaClaim,
  { holdings }: Division,
) => {
  let reserved = 0
  let count = 0
  if (name === reserve?.name) return { reserved, count }
  const reserves = divisions.get(reserve?.name ?? '')?.holdings ?? new Map<string, Holding>()
  for (const [other, { seen, until }] of members) {
    const isHeard = seen > gapAt && clock - seen <= lease
    if (other === id || isHeard || clock > until + tail) continue
    const { granted = 0, held = 0 } = holdings.get(other) ?? {}
    const fair = fairPart(limit, reserves.get(other)?.granted ?? 0)
    reserved += Math.max(0, fair - Math.max(granted, held))
    count++
  }
  return { reserved, count }
}

const forgetLowAt = ({ lowUntil, lowFor }: Division): Millis =>
  lowUntil + Math.max(LOW_AGAIN_WITHIN, lowFor)

const emptyDivision = (): Division => ({
  version: 0,
  circumstances: '',
  lookAt: 0,
  low: 0,
  lowFor: 0,
  lowUntil: -LOW_AGAIN_WITHIN,
  holdings: new Map(),
})
