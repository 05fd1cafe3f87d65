/**
 * How far a scheduler could get that knew the network: how long requests and answers are under way, as a
 * distribution. One endpoint. Each burst leaves as a whole, as soon as all its answers tell that no more than so
 * many bursts of a hundred will have one refused. A refused request goes again at once, and is one of its own
 * until the burst is as late.
 *
 *     npm run build && node bench/scheduler/informed.ts [seeds] [requests]
 */
import { judge } from '../../test/support/simulated/judge.ts'
import { type Network, networks } from '../../test/support/simulated/network.ts'
import { seeded } from '../../test/support/simulated/random.ts'
import { type Inferred, inferred, type Random } from './inferred.ts'

const LIMIT = 20
const PER = 1_000
/** Sampled arrivals for each decision. */
const DRAWS = 400
/** A single request this much before its burst joins it. */
const NEAR = 5

interface Sent {
  readonly departed: number
  readonly arrives: number
  /** Apart from the burst, after it was refused. */
  readonly single: boolean
}

interface Answered extends Sent {
  readonly roundTrip: number
}

interface Group {
  readonly departs: number
  readonly count: number
  readonly single: boolean
}

const sorted = (values: ReadonlyArray<number>): ReadonlyArray<number> =>
  values.toSorted((a, b) => a - b)

const draws = (one: () => ReadonlyArray<number>): ReadonlyArray<ReadonlyArray<number>> =>
  Array.from({ length: DRAWS }, () => sorted(one()))

interface Run {
  readonly network: Network
  readonly infer: Inferred
  /** How many bursts of one may have one refused. */
  readonly risk: number
  readonly requests: number
  readonly random: Random
}

interface Result {
  readonly share: number
  readonly refusedPer1000: number
}

const run = ({ network, infer, risk, requests, random }: Run): Result => {
  const { uplink, processing, downlink } = network
  const server = judge({
    global: LIMIT,
    endpoint: LIMIT,
    per: PER,
    concurrent: Number.POSITIVE_INFINITY,
  })
  const ofSize = Array.from({ length: LIMIT + 1 }, (_, size) =>
    draws(() => Array.from({ length: size }, () => uplink(random))),
  )

  /** The kth of the next ones may not arrive before a window after the kth of these. */
  const planned = (before: ReadonlyArray<Answered>): number => {
    const arrived = draws(() => before.map((one) => one.departed + infer(one.roundTrip, random)))
    const earliest = arrived.map((times, draw) =>
      Math.max(...times.map((at, k) => at + PER - (ofSize[before.length]?.[draw]?.[k] ?? 0))),
    )
    return sorted(earliest)[Math.min(DRAWS - 1, Math.floor((1 - risk) * DRAWS))] ?? 0
  }

  const leave = (departed: number, single: boolean): Sent => ({
    departed,
    arrives: departed + uplink(random),
    single,
  })

  /** Until all of them were let in. */
  const send = (groups: ReadonlyArray<Group>): ReadonlyArray<Answered> => {
    const answered: Array<Answered> = []
    let open = groups.flatMap(({ departs, count, single }) =>
      Array.from({ length: count }, () => leave(departs, single)),
    )
    while (open.length > 0) {
      const [first, ...others] = open.toSorted((a, b) => a.arrives - b.arrives)
      if (first === undefined) return answered
      const back = first.arrives + downlink(random)
      if (server.arrives('', first.arrives)) {
        answered.push({ ...first, roundTrip: back + processing(random) - first.departed })
        open = others
      } else {
        open = [...others, leave(back, true)]
      }
    }
    return answered
  }

  const next = (answered: ReadonlyArray<Answered>): ReadonlyArray<Group> => {
    const burst = answered.filter(({ single }) => !single)
    const departs = burst.length === 0 ? Number.POSITIVE_INFINITY : planned(burst)
    const single = answered
      .filter((one) => one.single)
      .map((one) => ({ departs: planned([one]), count: 1, single: true }))
    const late = single.filter((one) => one.departs > departs + NEAR)
    const count = answered.length - late.length
    return count === 0 ? late : [{ departs, count, single: false }, ...late]
  }

  let groups: ReadonlyArray<Group> = [{ departs: 0, count: LIMIT, single: false }]
  while (server.arrivals().accepted < requests) groups = next(send(groups))
  const { first, last } = server.arrivals()
  return {
    share: ((requests / LIMIT - 1) * PER) / (last - first),
    refusedPer1000: (server.refused() * 1_000) / requests,
  }
}

const mean = (values: ReadonlyArray<number>): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

const RISKS = [0.02, 0.05, 0.06, 0.08, 0.1]

const main = (seeds: number, requests: number): void => {
  console.log(
    `\nOne endpoint, ${requests} requests, by one that knows the network (${seeds} seeds)\n`,
  )
  console.log('| network | bursts at risk, % | % of quota | refused of 1000 |')
  console.log('|---------|------------------:|-----------:|----------------:|')
  for (const name of ['wan', 'jittery']) {
    const network = networks[name]
    if (network === undefined) continue
    const infer = inferred(network, seeded(0))
    for (const risk of RISKS) {
      const runs = Array.from({ length: seeds }, (_, seed) =>
        run({ network, infer, risk, requests, random: seeded(seed + 1) }),
      )
      const share = (mean(runs.map((one) => one.share)) * 100).toFixed(2)
      const refused = mean(runs.map((one) => one.refusedPer1000)).toFixed(2)
      console.log(
        `| ${name.padEnd(7)} | ${`${risk * 100}`.padStart(17)} | ${share.padStart(10)} | ${refused.padStart(15)} |`,
      )
    }
  }
}

if (import.meta.main) main(Number(process.argv[2] ?? 10), Number(process.argv[3] ?? 2_000))
