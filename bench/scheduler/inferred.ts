/** Estimates when a request arrived from its round trip and a known network: Bayes' rule, by draws. */
import type { Network } from '../../test/support/simulated/network.ts'

export type Random = () => number

/** Uplinks by their round trip, in steps of so many milliseconds, and of so many round trips. */
const STEP = 5
const TRIPS = 400_000
const KEPT = 200

/** Draws an uplink of those whose round trip took so long. */
export type Inferred = (roundTrip: number, random: Random) => number

export const inferred = ({ uplink, processing, downlink }: Network, random: Random): Inferred => {
  const known = new Map<number, Array<number>>()
  for (let trip = 0; trip < TRIPS; trip++) {
    const up = uplink(random)
    const step = Math.floor((up + processing(random) + downlink(random)) / STEP)
    const same = known.get(step) ?? []
    if (same.length < KEPT) known.set(step, [...same, up])
  }
  const shortest = Math.min(...known.keys())
  return (roundTrip, draw) => {
    let step = Math.max(shortest, Math.floor(roundTrip / STEP))
    while (!known.has(step)) step--
    const same = known.get(step) ?? []
    return same[Math.floor(draw() * same.length)] ?? 0
  }
}
