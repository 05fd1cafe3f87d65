/**
 * Cost of refusals in virtual time: limits lower than configured, random refusals, and outages. Compares the scheduler with a
 * plain loop that spaces its departures and backs off.
 *
 *     npm run build && node bench/scheduler/refused.ts
 */

import * as O from 'fp-ts/lib/Option.js'
import { concurrency, createScheduler, rate, schedule } from 'payments-rx/scheduler'
import type { Limits } from '../simulated/judge.ts'
import {
  type Limiting,
  type Load,
  type Outcome,
  overSeeds,
  plainLoop,
  type RefusingServer,
  roundTripOf,
  SPACING,
  withOutages,
} from '../simulated/refusing.ts'

const CONFIGURED: Limits = { global: 100, endpoint: 20, per: 1_000, concurrent: 50 }

const ours: Limiting = (timer, random) => {
  const { global, endpoint: limit, per, concurrent } = CONFIGURED
  const scheduler = createScheduler<string>({
    tiers: [
      rate({ name: 'global', limit: global, per }),
      rate({ name: 'endpoint', limit, per, key: (endpoint) => endpoint }),
      concurrency({ name: 'concurrency', limit: concurrent }),
    ],
    random,
    timer,
  })
  return (endpoint) =>
    schedule(scheduler, endpoint, {
      attempts: 50,
      refused: ({ ok }) => (ok ? O.none : O.some({})),
    })
}

/** Has only the given limits, so that nothing else refuses requests. */
const serverOf = (limits: Partial<Limits>, roundTrip: number): RefusingServer => ({
  limits: { ...CONFIGURED, concurrent: 1_000, ...limits },
  ...roundTripOf(roundTrip),
})

const toOne = (count: number): Load => ({ requests: Array.from({ length: count }, () => 'a') })
const toEight = (count: number): Load => ({
  requests: Array.from({ length: count }, (_, i) => `${i % 8}`),
})

interface Case {
  readonly name: string
  readonly server: RefusingServer
  readonly load: Load
  /** Duration in seconds if nothing is wasted. */
  readonly ideal?: number
  /** Time between two departures of the plain loop, in ms. */
  readonly spacing?: number
}

const COLUMNS = {
  case: 42,
  policy: 10,
  seconds: 7,
  '÷ ideal': 7,
  '÷ plain loop': 12,
  refused: 7,
  'busiest second': 14,
}

const row = (cells: ReadonlyArray<string>): void => {
  const widths = Object.values(COLUMNS)
  console.log(`| ${cells.map((cell, i) => cell.padStart(widths[i] ?? 0)).join(' | ')} |`)
}

const table = (name: string, cases: ReadonlyArray<Case>): void => {
  console.log(`\n${name} (means of five seeds)\n`)
  row(Object.keys(COLUMNS))
  row(Object.values(COLUMNS).map((width) => '-'.repeat(width)))
  for (const { name, server, load, ideal, spacing } of cases) {
    const plain = overSeeds(plainLoop(spacing), server, load)
    const scheduled = overSeeds(ours, server, load)
    const isDone = ({ done }: Outcome): boolean => done === load.requests.length
    if (!isDone(scheduled)) throw new Error(`${name}: requests were lost`)
    for (const [policy, outcome] of [
      ['scheduler', scheduled],
      ['plain loop', plain],
    ] as const) {
      const { seconds, refused, busiest } = outcome
      row([
        name,
        policy,
        isDone(outcome) ? seconds.toFixed(1) : '> 900',
        ideal === undefined || !isDone(outcome) ? '' : (seconds / ideal).toFixed(2),
        isDone(plain) ? (seconds / plain.seconds).toFixed(2) : '',
        refused.toFixed(1),
        `${busiest}`,
      ])
    }
  }
}

const main = (): void => {
  table(
    'A lower limit: 100 requests to one endpoint, configured 20/s',
    [15, 10, 8, 1].flatMap((real) =>
      [false, true].flatMap((countsRefused) =>
        [0, 80].map((roundTrip) => ({
          name: `${real}/s, ${roundTrip} ms${countsRefused ? ', counts refused ones' : ''}`,
          server: serverOf({ endpoint: real, countsRefused }, roundTrip),
          load: toOne(100),
          ideal: 100 / real - 1,
        })),
      ),
    ),
  )
  table(
    'A lower limit of all: 2,000 requests to eight endpoints, configured 100/s',
    [80, 50].flatMap((real) =>
      [false, true].map((countsRefused) => ({
        name: `${real}/s${countsRefused ? ', counts refused ones' : ''}`,
        server: serverOf({ global: real, countsRefused }, 40),
        load: toEight(2_000),
        ideal: 2_000 / real - 1,
        spacing: SPACING / 5, // five times as many are allowed
      })),
    ),
  )
  table(
    'Refusals by chance: 2,000 requests to one endpoint at 20/s',
    [0.01, 0.05, 0.1, 0.2].map((chance) => ({
      name: `${chance * 100} %`,
      server: { ...serverOf({}, 40), chance },
      load: toOne(2_000),
      ideal: 2_000 / (1 - chance) / 20 - 1,
    })),
  )
  table(
    'Outages of 2 s: 300 pages by eight workers, 150 ± 40 ms each',
    [23, 60].map((every) => ({
      name: `once in ${every} requests`,
      server: withOutages(every),
      load: { ...toOne(300), workers: 8 },
    })),
  )
}

if (import.meta.main) main()
