/** Parameters of the playground, and the situation that they describe. */

import type { Limits } from '../../bench/simulated/judge.ts'
import { lognormal } from '../../bench/simulated/random.ts'
import type { Situation } from '../../bench/simulated/simulation.ts'

export interface Parameters {
  /** Round trip of half of the requests, in ms. */
  readonly latency: number
  /** Percent by which one way in a hundred takes longer than the median. */
  readonly jitter: number
  /** Requests per second that the limiters are told. */
  readonly limit: number
  /** Percent of that which the server lets in. */
  readonly truth: number
  /** Requests asked for in a second. */
  readonly load: number
  readonly seed: number
}

export const initial: Parameters = {
  latency: 300,
  jitter: 60,
  limit: 20,
  truth: 100,
  load: 60,
  seed: 1,
}

interface Slider {
  readonly name: keyof Parameters
  readonly label: string
  readonly unit: string
  readonly min: number
  readonly max: number
  readonly step: number
}

export const sliders: ReadonlyArray<Slider> = [
  { name: 'latency', label: 'Round trip', unit: 'ms', min: 20, max: 600, step: 10 },
  { name: 'jitter', label: 'Jitter', unit: '%', min: 0, max: 300, step: 10 },
  { name: 'limit', label: 'Configured limit', unit: '/s', min: 5, max: 50, step: 1 },
  { name: 'truth', label: 'Actual limit', unit: '% of it', min: 40, max: 120, step: 5 },
  { name: 'load', label: 'Load', unit: '/s', min: 5, max: 120, step: 5 },
]

/** How long requests keep coming, in seconds. */
const SECONDS = 5
/** The server's work on a request, in ms. */
const WORK = 10
const PER = 1_000
const CONCURRENT = 50

const ENDPOINT = 'a'

const limitsOf = (endpoint: number): Limits => ({
  global: Number.POSITIVE_INFINITY,
  endpoint,
  per: PER,
  concurrent: CONCURRENT,
})

/** The limits that the limiters are told. */
export const toldLimits = ({ limit }: Parameters): Limits => limitsOf(limit)

/** Requests per second that the server lets in. */
export const realLimit = ({ limit, truth }: Parameters): number =>
  Math.max(1, Math.round((limit * truth) / 100))

export const situationOf = (parameters: Parameters): Situation => {
  const { latency, jitter, load, seed } = parameters
  const median = Math.max(1, (latency - WORK) / 2)
  const way = lognormal(median, median * (1 + jitter / 100))
  const real = realLimit(parameters)
  const count = load * SECONDS
  return {
    network: { uplink: way, processing: () => WORK, downlink: way },
    seed,
    requests: Array.from({ length: count }, () => ENDPOINT),
    perSecond: load,
    limits: limitsOf(real),
    best: Math.max(((count - real) / real) * PER, ((count - 1) / load) * PER),
  }
}
