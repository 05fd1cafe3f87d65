import type { SchedulerLike, Subscription } from 'rxjs'
import { oneLine } from '../decode/redact.js'
import { fieldsOf } from '../decode/unknown.js'
import type { DividedScheduler, QuotaMember } from '../scheduler/SharedQuota.js'
import type { Millis } from '../stream/index.js'
import {
  fairPart,
  type Grant,
  type MemberReport,
  QUIET_TAIL,
  type QuotaClaim,
  RESERVE,
} from './rule.js'

/**
 * Interval between reports. A new process gets its share after one window and four reports, two of its own and two of the
 * former owner. That takes less than two seconds, with four commands per second and process.
 */
const INTERVAL: Millis = 250
/** Interval while nothing changes. A new process waits for at most one such interval until a former owner has learned of it. */
const CALM_INTERVAL: Millis = 500
/** Number of reports (one second) after which earlier demand is forgotten. */
const REMEMBERED = 4
/** Time limit for a reply, after which the report is repeated. */
const ANSWERS_WITHIN: Millis = 1_000
/**
 * Redis counts as lost if a report without a reply was sent within this time. A process that has been suspended since then does
 * not count Redis as lost.
 */
const LOST_FOR: Millis = 3_000
/** Window of a limit on concurrent requests, which equals the period over which the scheduler evaluates refusals. */
const UNDER_WAY: Millis = 1_000
/**
 * Returns the time after which the server no longer counts requests of a process. It consists of the window, half a window as
 * the largest guard (the allowance for jitter), and a second for the transport.
 */
const tailOf = (per: Millis): Millis => Math.ceil(1.5 * per) + 1_000
/** Number of windows after which permits move to other processes. A move costs about half a window, so moves are rare. */
const TURN_WINDOWS = 8
/** Turn of the reserve's remainder. The remainder is less than a permit, so its turn does not matter. */
const HARDLY_EVER: Millis = 24 * 3_600_000

export interface MemberOptions {
  readonly account: string
  readonly lease: Millis
  readonly onLost: 'continue' | 'stop'
  readonly uuid: () => string
  /** Sends a report, and resolves with its grants. Rejects if there is no valid reply. */
  readonly exchange: (report: MemberReport) => Promise<ReadonlyArray<Grant>>
}

/** One divided limit, as this process knows it. */
interface Share {
  readonly name: string
  /** Configures the scheduler's limiter. Absent for the reserve, which has no limiter. */
  readonly configure: ((part: number) => void) | undefined
  readonly limit: number
  readonly tail: Millis
  readonly turn: Millis
  part: number
  /** The limit that the scheduler may use, which is its part while the lease lasts. */
  allowed: number
  version: number
  idleSince: Millis | undefined
  /** Number of permits wanted according to the last report that got a reply. */
  reported: number
  /** Numbers of permits wanted in the last reports, because demand within a window comes in bursts. */
  readonly wanted: Array<number>
  /** Observed loss of allowed requests that has not been reported yet. */
  less: number
  /** Lowest level observed while the limit is lowered. */
  lowest: number
}

/** A scheduler's part in the quota of its account. Reports its use, and applies the grants that it receives. */
export class Member implements QuotaMember {
  readonly #scheduler: DividedScheduler
  readonly #options: MemberOptions
  readonly #timer: SchedulerLike
  readonly #id: string
  readonly #shares = new Map<string, Share>()
  /** The share that determines which part of every limit may be used without Redis. All processes want all of it. */
  readonly #reserve: Share
  readonly #longest: Millis
  #requests = 0
  /** True if there has been a request since the last tick. */
  #isActive = false
  #seq = 0
  #next: Subscription | undefined
  /** The report that is waiting for a reply. */
  #pending: Subscription | undefined
  /** True if the last report and its reply were unchanged. */
  #isCalm = false
  /** True if another report must follow the pending one. */
  #isUrgent = false
  #leaseEnd: Millis = Number.NEGATIVE_INFINITY
  /** Time at which the last report without a reply was sent. */
  #lostAt: Millis = Number.NEGATIVE_INFINITY
  /** Time of the first failed report since the last reply; `undefined` while Redis responds. */
  #failingSince: Millis | undefined
  /** The last reported reason; `undefined` while Redis responds. */
  #lastReason: string | undefined

  constructor(scheduler: DividedScheduler, options: MemberOptions) {
    this.#scheduler = scheduler
    this.#options = options
    this.#timer = scheduler.timer
    this.#id = options.uuid()
    this.#reserve = { ...newShare('reserve', RESERVE, UNDER_WAY), turn: HARDLY_EVER }
    const tails = scheduler.tiers.map(({ per = UNDER_WAY }) => tailOf(per))
    this.#longest = Math.max(QUIET_TAIL, ...tails)
    scheduler.events.subscribe((event) => {
      if (event._tag !== 'LimitChanged') return
      const { tier, key, limit, allowed } = event
      const share = this.#shares.get(nameOf(tier, key))
      if (share === undefined) return
      const lowest = Math.min(share.lowest, limit)
      if (allowed < lowest) share.less += lowest - allowed
      share.lowest = allowed < limit ? allowed : Number.POSITIVE_INFINITY
    })
  }

  part(tier: string, key: string | undefined): number {
    const isNew = !this.#shares.has(nameOf(tier, key))
    const share = this.#shareOf(tier, key)
    if (isNew && this.#requests > 0) this.#soon()
    return share?.allowed ?? 0
  }

  check(): void {
    const now = this.#timer.now()
    if (now >= this.#leaseEnd) this.#refresh(now)
  }

  joined(): void {
    this.#isActive = true
    if (this.#requests++ === 0 && this.#next === undefined) this.#soon()
  }

  left(): void {
    this.#requests--
  }

  /** Reports after the current turn of the event loop, or once the pending report has a reply. */
  #soon(): void {
    this.#isUrgent = this.#pending !== undefined
    if (!this.#isUrgent) this.#reportAfter(0)
  }

  #reportAfter(delay: Millis): void {
    this.#next?.unsubscribe()
    this.#next = this.#timer.schedule(() => {
      this.#next = undefined
      this.#tick()
    }, delay)
  }

  /** Reports at intervals. An idle process leaves after one interval without a request, so no timer keeps it alive. */
  #tick(): void {
    if (this.#pending === undefined) {
      const now = this.#timer.now()
      if (this.#isActive) this.#report(now, false)
      else if (now >= this.#leaseEnd || now - this.#lostAt <= LOST_FOR) return
      else {
        this.#report(now, true)
        return
      }
    }
    this.#isActive = this.#requests > 0
    this.#reportAfter(this.#isCalm ? CALM_INTERVAL : INTERVAL)
  }

  #report(now: Millis, isLeaving: boolean): void {
    this.#refresh(now)
    const demands = this.#demands()
    const claimed = [this.#reserve, ...this.#shares.values()].map((share) => {
      const claim = this.#claim(share, demands.get(share), now, isLeaving)
      if (claim.had < share.allowed) this.#apply(share, claim.had)
      share.part = Math.min(share.part, claim.had) // reported, so it may have been given to others
      return { share, claim }
    })
    if (isLeaving) this.#leaseEnd = Number.NEGATIVE_INFINITY

    const seq = ++this.#seq
    const id = this.#id
    const longest = this.#longest
    const options = this.#options
    const { lease, exchange } = options
    const claims = claimed.map(({ claim }) => claim)
    const failed = (reason?: string): void => {
      if (this.#seq !== seq || this.#pending === undefined) return
      this.#lostAt = now
      this.#tellFailure(now, reason)
      this.#answered()
      this.#refresh(this.#timer.now())
    }
    this.#pending = this.#timer.schedule(() => failed(), ANSWERS_WITHIN)
    exchange({ id, seq, lease, longest, isLeaving, claims }).then(
      (grants) => {
        if (this.#seq !== seq || this.#pending === undefined) return // a later report may differ
        if (!isLeaving) this.#leaseEnd = now + lease
        this.#lostAt = Number.NEGATIVE_INFINITY
        this.#tellSuccess()
        const wasCalm = this.#isCalm
        this.#isCalm = claimed.every(({ share, claim }, i) => isSame(share, claim, grants[i]))
        claimed.forEach(({ share, claim }, i) => {
          this.#granted(share, claim, grants[i])
        })
        if (wasCalm && !this.#isCalm && this.#next !== undefined) this.#reportAfter(INTERVAL)
        this.#answered()
        this.#refresh(this.#timer.now())
      },
      (error) => failed(reasonOf(error)),
    )
  }

  /** Reports a refusal immediately, and missing replies once Redis counts as lost: each reason once until Redis responds. */
  #tellFailure(now: Millis, reason: string | undefined): void {
    this.#failingSince ??= now
    const isTooSoon = reason === undefined && now - this.#failingSince < LOST_FOR - ANSWERS_WITHIN
    const message = reason ?? `no reply within ${ANSWERS_WITHIN / 1_000} s`
    if (isTooSoon || message === this.#lastReason) return
    this.#lastReason = message
    this.#emit(
      false,
      `the Redis server of the shared quota cannot be used and will be retried: ${message}`,
    )
  }

  #tellSuccess(): void {
    this.#failingSince = undefined
    if (this.#lastReason === undefined) return
    this.#lastReason = undefined
    this.#emit(true, 'the Redis server of the shared quota responds again')
  }

  #emit(isAvailable: boolean, message: string): void {
    this.#scheduler.emit({ _tag: 'QuotaChanged', isAvailable, message })
  }

  #answered(): void {
    this.#pending?.unsubscribe()
    this.#pending = undefined
    if (this.#isUrgent) this.#soon()
  }

  #granted(share: Share, claim: QuotaClaim, grant: Grant | undefined): void {
    share.part = grant?.part ?? claim.had
    share.reported = claim.want
    share.version = grant?.version ?? 0
    share.less -= claim.less
    const isIdle = claim.want + claim.had + claim.held + share.part === 0
    if (isIdle && share.idleSince !== undefined) this.#shares.delete(share.name)
  }

  #claim(share: Share, demand: Demand = NO_DEMAND, now: Millis, isLeaving: boolean): QuotaClaim {
    const { limit, tail, turn, allowed, version, less } = share
    const isReserve = share === this.#reserve
    share.wanted.push(Math.min(limit, demand.waiting + demand.used))
    if (share.wanted.length > REMEMBERED) share.wanted.shift()
    const wanted = isReserve ? limit : Math.max(...share.wanted)
    share.idleSince = wanted > 0 ? undefined : (share.idleSince ?? now)
    const isUnused = now - (share.idleSince ?? now) > this.#options.lease
    const isFair = !isReserve && now >= this.#leaseEnd && this.#isLost(now)
    const isGivenUp = isLeaving || isUnused
    const had = isGivenUp ? 0 : allowed
    // Reported before it is used, because a report may arrive long after Redis is back.
    const held = Math.max(demand.used, isFair && !isGivenUp ? this.#fair(limit) : 0)
    return {
      name: `payments-rx:{${this.#options.account}}:${share.name}`,
      limit,
      tail,
      turn,
      version,
      had,
      held: held > had ? held : 0,
      want: isLeaving ? 0 : wanted,
      less,
    }
  }

  /** Returns waiting requests and permits in use, by share. */
  #demands(): ReadonlyMap<Share, Demand> {
    const demands = new Map<Share, Demand>()
    for (const { name, perKey } of this.#scheduler.state().tiers) {
      for (const { key, waiting, used } of perKey) {
        const share = this.#shareOf(name, key)
        if (share !== undefined) demands.set(share, { waiting, used })
      }
    }
    return demands
  }

  #shareOf(tier: string, key: string | undefined): Share | undefined {
    const name = nameOf(tier, key)
    const existing = this.#shares.get(name)
    const divided = this.#scheduler.tiers.find((one) => one.name === tier)
    if (existing !== undefined || divided === undefined) return existing
    const { limit, per = UNDER_WAY } = divided
    const share = newShare(name, limit, per, (part) => this.#scheduler.configure(tier, key, part))
    this.#shares.set(name, share)
    return share
  }

  /** Sets the scheduler's limits to the parts that are allowed now. */
  #refresh(now: Millis): void {
    for (const share of this.#shares.values()) this.#apply(share, this.#allowed(share, now))
    const isUsable = now < this.#leaseEnd || this.#isLost(now)
    this.#reserve.allowed = isUsable ? this.#reserve.part : 0
  }

  /**
   * Returns the part that is allowed: the granted part while the lease lasts. After that, if Redis is lost, at most the
   * reserve's part, and all of that once every other process must have reduced its use to its own part. Nothing after a period
   * in which no reports were attempted.
   */
  #allowed({ part, limit, tail }: Share, now: Millis): number {
    const { lease } = this.#options
    if (now < this.#leaseEnd) return part
    if (!this.#isLost(now)) return 0
    const fair = this.#fair(limit)
    return now < this.#leaseEnd + lease + tail ? Math.min(part, fair) : fair
  }

  #fair(limit: number): number {
    return fairPart(limit, this.#reserve.part)
  }

  #isLost(now: Millis): boolean {
    return this.#options.onLost === 'continue' && now - this.#lostAt <= LOST_FOR
  }

  #apply(share: Share, allowed: number): void {
    if (share.allowed === allowed) return
    share.allowed = allowed
    share.configure?.(allowed)
  }
}

/** Maximum length of a reported reason, in characters. */
const REASON = 300

/** Returns the message of Redis, such as `NOPERM this user ...`, or of the system. Omits URLs: they may contain passwords. */
const reasonOf = (error: unknown): string => {
  const { message, code } = fieldsOf(error)
  const words = String(message || code || error).replace(/\w+:\/\/\S+/g, '[URL]')
  return oneLine(words).slice(0, REASON)
}

/** Returns true if the demand, the use and the grant of the process are unchanged. */
const isSame = (
  { reported }: Share,
  { had, held, want }: QuotaClaim,
  grant: Grant | undefined,
): boolean => reported === want && held === 0 && (grant?.part ?? had) === had

interface Demand {
  readonly waiting: number
  readonly used: number
}

const NO_DEMAND: Demand = { waiting: 0, used: 0 }

const nameOf = (tier: string, key: string | undefined): string =>
  key === undefined ? `limit:${tier}` : `limit:${tier}:${key}`

const newShare = (
  name: string,
  limit: number,
  per: Millis,
  configure?: Share['configure'],
): Share => ({
  name,
  configure,
  limit,
  tail: tailOf(per),
  turn: Math.ceil(TURN_WINDOWS * per),
  part: 0,
  allowed: 0,
  version: 0,
  idleSince: undefined,
  reported: 0,
  wanted: [],
  less: 0,
  lowest: Number.POSITIVE_INFINITY,
})
