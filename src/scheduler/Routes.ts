/**
 * ```ts
 * const routes: <R>(options: Options<R>) => Routes<R>
 * ```
 *
 * From a request to the buckets it is counted in. Those that nobody uses are forgotten now and then,
 * so that keys without end do not fill the memory.
 */
import type { Bucket } from './Bucket.js'
import type { Clock, Millis } from './Clock.js'
import { type Flow, flow } from './Flow.js'
import type { TierState } from './TierState.js'

export interface Routes<in R> {
  /** Throws what a key function throws. */
  readonly find: (request: R, clock: Clock) => Flow
  readonly flows: () => number
}

/** Not worth tidying up below. */
const FEW = 256

const absent = '-'
const present = (key: string): string => `${key.length}:${key}`

export const routes = <R>(tiers: ReadonlyArray<TierState<R>>, lanes: number): Routes<R> => {
  const flows = new Map<string, Flow>()
  const keyed = tiers.filter((tier) => tier.spec.key !== undefined)
  let tidyAt = FEW

  const identify = (request: R): string => {
    let id = ''
    for (const { spec } of keyed) {
      const key = spec.key?.(request)
      id += key === undefined ? absent : present(`${key}`)
    }
    return id
  }

  const create = (request: R): Flow => {
    const buckets: Array<Bucket> = []
    for (const tier of tiers) {
      const key = tier.spec.key === undefined ? '' : tier.spec.key(request)
      if (key !== undefined) buckets.push(tier.bucket(`${key}`))
    }
    return flow(buckets, lanes)
  }

  const tidy = (now: Millis): void => {
    const used = new Set<Bucket>()
    for (const [id, { held, strands, buckets }] of flows) {
      const idle = held === 0 && strands.every((strand) => strand.first === undefined)
      if (idle && buckets.every((bucket) => bucket.used(now) === 0 && bucket.ceiling.full())) {
        flows.delete(id)
      } else {
        for (const bucket of buckets) used.add(bucket)
      }
    }
    for (const tier of tiers) tier.keep(used)
    tidyAt = Math.max(FEW, 2 * flows.size)
  }

  return {
    find: (request, clock) => {
      const id = identify(request)
      const known = flows.get(id)
      if (known !== undefined) return known
      if (flows.size >= tidyAt) tidy(clock.now())
      const created = create(request)
      flows.set(id, created)
      return created
    },
    flows: () => flows.size,
  }
}
