/**
 * ```ts
 * const routes: <R>(tiers: ReadonlyArray<TierState<R>>, lanes: number, clock: Clock) => Routes<R>
 * ```
 *
 * From a request to the buckets it is counted in, by one key after the other. Those that nobody uses
 * are forgotten now and then, so that keys without end do not fill the memory.
 */
import type { Bucket } from './bucket/Bucket.js'
import type { Clock, Millis } from './Clock.js'
import { type Flow, flow } from './Flow.js'
import type { Slack } from './slack/Slack.js'
import type { TierState } from './TierState.js'

export interface Routes<in R> {
  /** Throws what a key function throws. */
  readonly find: (request: R) => Flow
  /** Those that have requests under way. */
  readonly flying: () => ReadonlyArray<Flow>
  /** To be called now and then: forgets those that nobody uses, once a minute at most. */
  readonly age: (now: Millis) => void
}

type Key = string | undefined

/** Those whose first keys are the same. */
class Branch {
  readonly below = new Map<Key, Branch | Flow>()
  readonly keys: ReadonlyArray<Key>

  constructor(keys: ReadonlyArray<Key>) {
    this.keys = keys
  }
}

const addFlying = (branch: Branch, to: Array<Flow>): ReadonlyArray<Flow> => {
  for (const next of branch.below.values()) {
    if (next instanceof Branch) addFlying(next, to)
    else if (next.inFlight > 0) to.push(next)
  }
  return to
}

/** Not worth tidying up below. */
const FEW = 256
/** Those that nobody uses are looked for after so long, and after as much again for each so many that are in use. */
const AFTER: Millis = 60_000
const MANY = 10_000

const idle = ({ inFlight, backingOff, strands }: Flow): boolean =>
  inFlight + backingOff === 0 && strands.every((strand) => strand.first === undefined)

export const routes = <R>(
  tiers: ReadonlyArray<TierState<R>>,
  lanes: number,
  clock: Clock,
): Routes<R> => {
  const root = new Branch([])
  const keyed = tiers.flatMap(({ spec }) => (spec.key === undefined ? [] : [spec.key]))
  const keysOf = keyed.length === 0 ? [() => undefined] : keyed // a branch needs one
  let flows = 0
  let tidyAt = FEW // so many
  let nextAt = AFTER
  let kept = 0 // buckets, when it was last tidied up

  /** `keys`: of the tiers that have keys, in their order. */
  const create = (keys: ReadonlyArray<Key>): Flow => {
    const left = keys.values()
    const slacks = new Set<Slack>()
    const buckets = tiers.flatMap((tier) => {
      const key = tier.spec.key === undefined ? '' : left.next().value
      if (key === undefined) return []
      if (tier.learned !== undefined) slacks.add(tier.learned)
      return [tier.bucket(key)]
    })
    return flow(buckets, [...slacks], lanes)
  }

  const add = (keys: ReadonlyArray<Key>): Flow => {
    let branch = root
    for (const [level, key] of keys.slice(0, -1).entries()) {
      const next = branch.below.get(key)
      const below = next instanceof Branch ? next : new Branch(keys.slice(0, level + 1))
      branch.below.set(key, below)
      branch = below
    }
    const known = branch.below.get(keys.at(-1))
    if (known !== undefined && !(known instanceof Branch)) return known // a key function has scheduled the same
    const created = create(keys)
    branch.below.set(keys.at(-1), created)
    flows++
    return created
  }

  /** Keeps what is in use, and says in which buckets. */
  const tidyBelow = (branch: Branch, used: Set<Bucket>): void => {
    for (const [key, next] of branch.below) {
      if (next instanceof Branch) {
        tidyBelow(next, used)
        if (next.below.size === 0) branch.below.delete(key)
      } else if (idle(next)) {
        branch.below.delete(key)
        flows--
      } else {
        for (const bucket of next.buckets) used.add(bucket)
      }
    }
  }

  const tidy = (now: Millis): void => {
    const used = new Set<Bucket>()
    tidyBelow(root, used)
    kept = 0
    for (const tier of tiers) {
      tier.keep(used, now)
      kept += tier.buckets.size
    }
    tidyAt = flows + Math.max(FEW, flows, kept) // as many new ones as were looked at
    nextAt = now + AFTER * (1 + kept / MANY)
  }

  return {
    flying: () => addFlying(root, []),
    age: (now) => {
      if (now >= nextAt && Math.max(flows, kept) > FEW) tidy(now)
    },
    find: (request) => {
      let branch = root
      let key: Key
      for (const keyOf of keysOf) {
        key = keyOf(request)
        const next = branch.below.get(key)
        if (next === undefined) break
        if (!(next instanceof Branch)) return next
        branch = next
      }
      // all of them before anything is made: one that throws leaves nothing behind
      const rest = keysOf.slice(branch.keys.length + 1).map((keyOf) => keyOf(request))
      const keys = [...branch.keys, key, ...rest]
      if (flows >= tidyAt) tidy(clock.now())
      return add(keys)
    },
  }
}
