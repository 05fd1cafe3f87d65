/**
 * ```ts
 * const routes: <R>(options: Options<R>) => Routes<R>
 * ```
 *
 * From a request to the buckets it is counted in, by one key after the other. Those that nobody uses
 * are forgotten now and then, so that keys without end do not fill the memory.
 */
import type { Bucket } from './Bucket.js'
import type { Clock } from './Clock.js'
import { type Flow, flow } from './Flow.js'
import type { TierState } from './TierState.js'

export interface Routes<in R> {
  /** Throws what a key function throws. */
  readonly find: (request: R, clock: Clock) => Flow
}

type Key = string | undefined
interface Branch extends Map<Key, Branch | Flow> {}

/** Not worth tidying up below. */
const FEW = 256

const idle = ({ held, strands }: Flow): boolean =>
  held === 0 && strands.every((strand) => strand.first === undefined)

export const routes = <R>(tiers: ReadonlyArray<TierState<R>>, lanes: number): Routes<R> => {
  const root: Branch = new Map()
  const keyed = tiers.flatMap(({ spec }) => (spec.key === undefined ? [] : [spec.key]))
  const keys = keyed.length === 0 ? [() => undefined] : keyed
  let flows = 0
  let tidyAt = FEW

  /** `own`: of the tiers that have keys, in their order. */
  const create = (own: ReadonlyArray<Key>): Flow => {
    const left = own.values()
    const buckets = tiers.flatMap((tier) => {
      const key = tier.spec.key === undefined ? '' : left.next().value
      return key === undefined ? [] : [tier.bucket(key)]
    })
    const used = tiers.filter(({ buckets: own }) => buckets.some((b) => own.get(b.key) === b))
    const slacks = new Set(used.flatMap(({ learns, slack }) => (learns ? [slack] : [])))
    return flow(buckets, [...slacks], lanes)
  }

  const add = (own: ReadonlyArray<Key>): Flow => {
    const created = create(own)
    let branch = root
    own.forEach((key, level) => {
      const next = branch.get(key)
      if (level === own.length - 1) branch.set(key, created)
      else if (next instanceof Map) branch = next
      else {
        const below: Branch = new Map()
        branch.set(key, below)
        branch = below
      }
    })
    flows++
    return created
  }

  /** Keeps what is in use, and says in which buckets. */
  const tidy = (branch: Branch, used: Set<Bucket>): void => {
    for (const [key, below] of branch) {
      if (below instanceof Map) {
        tidy(below, used)
        if (below.size === 0) branch.delete(key)
      } else if (idle(below)) {
        branch.delete(key)
        flows--
      } else {
        for (const bucket of below.buckets) used.add(bucket)
      }
    }
  }

  const at = (own: ReadonlyArray<Key>): Branch | Flow | undefined => {
    let found: Branch | Flow | undefined = root
    for (const key of own) found = found instanceof Map ? found.get(key) : undefined
    return found
  }

  return {
    find: (request, clock) => {
      let known: Branch | Flow | undefined = root
      for (const keyOf of keys) {
        known = known instanceof Map ? known.get(keyOf(request)) : undefined
        if (known === undefined) break
      }
      if (known !== undefined && !(known instanceof Map)) return known
      // all of them before anything is made: one that throws leaves nothing behind
      const own = keys.map((keyOf) => keyOf(request))
      const found = at(own) // of a key that has a memory
      if (found !== undefined && !(found instanceof Map)) return found
      if (flows >= tidyAt) {
        const used = new Set<Bucket>()
        tidy(root, used)
        let kept = 0
        for (const tier of tiers) {
          tier.keep(used, clock.now())
          kept += tier.buckets.size
        }
        tidyAt = flows + Math.max(FEW, flows, kept) // as many new ones as were looked at
      }
      return add(own)
    },
  }
}
