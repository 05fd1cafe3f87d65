/** Lists that choose their number of concurrent requests, beside services of every kind, in virtual time. */
import { map, of, scan, startWith } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { networks } from '../../bench/simulated/network.js'
import { lognormal } from '../../bench/simulated/random.js'
import { measuredWidth, widthFor } from '../../src/client/measuredWidth.js'
import { sample } from '../support/runs.js'
import { overNetwork, read, type Service, type WidthOf } from './simulatedReader.js'

const NONE = Number.POSITIVE_INFINITY
const measured: WidthOf = (events, limits, now) => measuredWidth({ events, limits, now })
const constant =
  (width: number): WidthOf =>
  () =>
    of(width)
/** As many requests as use the limit up, by Little's law alone. */
const byLittlesLaw: WidthOf = (events) =>
  events.pipe(
    scan((mean, event) => (event._tag === 'Answered' ? mean + (event.took - mean) / 8 : mean), 400),
    startWith(400),
    map((mean) => widthFor(20, mean, 50)),
  )

const inTurn = (perSecond: number, travel: number): Service => ({
  travel: () => travel,
  work: () => 1_000 / perSecond,
  servers: 1,
})
const inParallel = (took: Service['travel']): Service => ({
  travel: took,
  work: () => 0,
  servers: NONE,
})

describe('beside a service of fixed capacity', () => {
  for (const travel of [50, 150, 500, 1_000, 2_000]) {
    it(`has at most twice the requests that are needed, and its throughput, when an answer travels ${travel} ms`, () => {
      for (let perSecond = 1; perSecond <= 15; perSecond++) {
        const alone = travel + 1_000 / perSecond
        const needed = Math.ceil((0.97 * perSecond * alone) / 1_000)
        const reading = read(inTurn(perSecond, travel), measured)
        expect.soft(reading.most, `${perSecond} per second`).toBeLessThanOrEqual(2 * needed)
        expect.soft(reading.perSecond / perSecond, `${perSecond} per second`).toBeGreaterThan(0.97)
      }
    })
  }

  it('stays narrow when the answer to the first page takes long by chance', () => {
    let first = true
    const slowAtFirst = inTurn(5, 150)
    const { mean, perSecond } = read(
      {
        ...slowAtFirst,
        travel: (random) => {
          const travel = first ? 3_000 : slowAtFirst.travel(random)
          first = false
          return travel
        },
      },
      measured,
      { from: 300 },
    )
    expect(mean).toBeLessThan(4)
    expect(perSecond).toBeGreaterThan(0.95 * 5)
  })
})

it.each(sample(2, [500, 1_000, 2_000, 3_000]))('uses the limit up at %d ms per answer', (ms) => {
  for (const took of [() => ms, lognormal(ms, 2 * ms)]) {
    const { perSecond } = read(inParallel(took), measured)
    expect(perSecond).toBeGreaterThan(0.97 * read(inParallel(took), byLittlesLaw).perSecond)
  }
})

it.each(sample(2, Object.keys(networks)))('is as fast as the limits allow over %s', (name) => {
  const network = networks[name]
  if (network === undefined) throw new Error(name)
  const pages = (widthOf: WidthOf): number =>
    [1, 2, 3, 4].reduce(
      (sum, seed) => sum + read(overNetwork(network), widthOf, { seed }).perSecond,
      0,
    )
  expect(pages(measured)).toBeGreaterThan(0.99 * pages(byLittlesLaw))
})

it('does not grow while the reader of the list is slower than the service', () => {
  const service = inParallel(() => 300)
  const slow = { perPage: 200, pages: 500 }
  expect(read(service, measured, slow).perSecond).toBeCloseTo(
    read(service, constant(10), slow).perSecond,
    1,
  )
  expect(read(service, measured, slow).most).toBeLessThan(12)
})

it('becomes wider again when the service answers in parallel after a while', () => {
  let asked = 0
  const changing: Service = { travel: () => 500, work: () => (asked++ < 300 ? 500 : 0), servers: 1 }
  const { perSecond } = read(changing, measured, { pages: 4_000, from: 1_000 })
  expect(perSecond).toBeGreaterThan(18)
})

it('becomes narrower when the service begins to answer in turn', () => {
  let asked = 0
  const changing: Service = { travel: () => 200, work: () => (asked++ < 500 ? 0 : 250), servers: 1 }
  const { mean, perSecond } = read(changing, measured, { pages: 2_000, from: 1_200 })
  expect(mean).toBeLessThan(5)
  expect(perSecond).toBeGreaterThan(0.95 * 4)
})

it('tells how many requests are enough, and when more are faster again', () => {
  let asked = 0
  const changing: Service = { travel: () => 150, work: () => (asked++ < 400 ? 200 : 0), servers: 1 }
  const told: Array<readonly [number, boolean]> = []
  read(changing, (events, limits, now) =>
    measuredWidth({ events, limits, now, tell: (...found) => told.push(found) }),
  )
  expect(told[0]).toEqual([expect.any(Number), true])
  expect(told[0]?.[0]).toBeLessThan(6)
  expect(told.at(-1)).toEqual([expect.any(Number), false])
})
