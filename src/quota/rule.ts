/**
 * The rule that divides an account's limits between processes, as pure functions. Redis runs the same rule as a script
 * (`script.ts`); tests compare the two.
 *
 * All processes together never exceed a limit, because a permit is given away only after its former owner has reported that it
 * no longer uses it. A process is counted with the larger of two numbers: the part that it uses or was offered (`granted`), and
 * the permits that the server still counts (`held`).
 */
import type { Millis } from '../stream/index.js'

/** One limit in the report of a process. */
export interface QuotaClaim {
  /** Key in Redis. */
  readonly name: string
  readonly limit: number
  /** Time after which the server no longer counts requests of a stopped process. */
  readonly tail: Millis
  /** Time after which permits that cannot be divided evenly move to other processes. */
  readonly turn: Millis
  /** Version of the division that the process knows. With 0, the process asks for the division again. */
  readonly version: number
  /** The part in use now. A smaller part than before gives the rest away. */
  readonly had: number
  /** Number of permits that the server still counts if that is more than `had`; otherwise 0. */
  readonly held: number
  readonly want: number
  /** Difference between granted and admitted requests if it has just been observed; otherwise 0. */
  readonly less: number
}

/** Report of a process. Sent at regular intervals. */
export interface MemberReport {
  readonly id: string
  /** Increases with each report. A report that arrives after a later one is ignored. */
  readonly seq: number
  readonly lease: Millis
  /** The longest `tail` among the limits of the process. */
  readonly longest: Millis
  /** True if it has nothing to do and gives up its lease. */
  readonly isLeaving: boolean
  /** Claims on limits. The first claim is for the reserve, the part of every limit that a process may use without Redis. */
  readonly claims: ReadonlyArray<QuotaClaim>
}

/** The granted part of one limit; `undefined` if unchanged. */
export interface Grant {
  readonly part: number | undefined
  readonly version: number
}

/** A process's holding of one limit. */
interface Holding {
  readonly granted: number
  readonly held: number
  readonly want: number
}

/** One limit in Redis. */
interface Division {
  version: number
  /** The part of the state that changes only with time, as it was at the last evaluation. */
  circumstances: string
  /** Time of the next evaluation. */
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

/** Everything that Redis knows about an account. */
export interface Account {
  /** Redis's time of the last report. */
  seen: Millis
  /** Elapsed time, excluding periods in which no process could reach Redis. */
  clock: Millis
  /** Value of `clock` before the last gap. The length of the gap is unknown, because the clock of Redis may have been set. */
  gapAt: Millis
  /** Identifies the current run of Redis. */
  run: string
  /** End of the period in which no part may grow. */
  quietUntil: Millis
  readonly members: Map<string, Membership>
  readonly divisions: Map<string, Division>
}

// constants

/** Maximum time without any report that counts as elapsed. In a longer gap, Redis was frozen, or its clock was set. */
export const GAP: Millis = 1_000
/** Interval at which a report also looks for expired leases, because a dead process reports nothing. */
export const LOOK_EVERY: Millis = 1_000
/** Time after a lease during which the server may still count requests. Used after Redis has lost its data. */
export const QUIET_TAIL: Millis = 2_500
/**
 * Maximum tail of a limit whose unused rest is given away as well, so that no process has to wait for it. With a longer tail, a
 * killed process would withhold its part of the rest from the others for too long.
 */
export const BRIEF: Millis = 10_000
/** Size of the reserve, which is divisible by every number up to ten. */
export const RESERVE = 5_040
/**
 * Period for which a lower limit observed by one process applies. It doubles each time that the full limit fails again. The
 * observation may have been a coincidence.
 */
export const LOW_FOR: Millis = 2_000
export const LOW_FOR_AT_MOST: Millis = 64_000
/** Time after a try of the full limit within which requests are refused again if the limit is really lower. */
export const LOW_AGAIN_WITHIN: Millis = 8_000

/** Golden ratio. The fractional parts of its multiples are evenly spread. */
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
 * Divides a limit max-min fair: no process gets more than it wants while another gets less than it wants. If the limit cannot
 * be divided evenly, the remaining permits go to different processes in each turn. An unused rest is divided evenly.
 */
export const divide = (
  limit: number,
  wants: ReadonlyArray<number>,
  turn: number,
  luck = 0,
): ReadonlyArray<number> => divideAt(limit, wants, turn, luck).parts

/** Divides a limit. Also returns whether the next turn divides it differently. */
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
        // If most processes have none, few permits move per turn, because a move costs time, and work in Redis for each
        // process.
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
 * Returns a number from 0 up to 1 that depends on the name of a limit. If there are fewer permits than processes, the processes
 * with a permit at one endpoint would otherwise have one at every endpoint, which exceeds their total, and the others would
 * have none.
 */
const luckOf = (name: string): number => {
  const sum = Array.from(new TextEncoder().encode(name)).reduce((all, byte) => all + byte, 0)
  return (sum * GOLDEN) % 1
}

/** Returns the part of a limit that corresponds to a part of the reserve. */
export const fairPart = (limit: number, reserved: number): number =>
  Math.floor((limit * reserved) / RESERVE)

/** Processes a report. Returns a grant for each claim, or none for a report that arrived too late. */
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

/** Divides one limit again if anything about it has changed. */
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
  // While every process has what it wants, nothing moves.
  const isSettled = !others.isShort && want <= had && had <= room
  // A lower limit that was observed is reached jointly: each process reduces its use to its part of that limit, and no further.
  let part = isSettled ? had : Math.max(0, Math.min(due, Math.max(had, room), limit - others.taken))
  if (tail > BRIEF) part = Math.min(part, want)
  part = Math.min(part, Math.max(had, room - silent.reserved))
  const isQuiet = clock < account.quietUntil
  if (isQuiet) part = Math.min(part, had)
  if (want === 0 && had === 0) part = 0

  const granted = Math.max(had, part)
  const { granted: g, held: h, want: w } = before ?? { granted: 0, held: 0, want: 0 }
  // The division among the others does not depend on how far the demand of this process exceeds its part.
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

/** Returns the limit, or a lower limit that a process has observed. `less`: the difference that was just observed. */
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

/** Returns the parts and the demand of the other processes. Forgets processes that have ended. */
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

/**
 * Counts members that have not reported for the length of a lease, and adds up their reserves, which they may not have had at
 * this limit before.
 */
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
