import { asyncScheduler } from 'rxjs'
import { type Limits, limits, unlimited } from '../api/limits.js'
import type { IO } from '../fp.js'
import { InvalidOption } from '../options/index.js'
import { batchDefaults } from './batches/options.js'
import { checkedOptions } from './checkOptions.js'
import { totalOf } from './faults.js'
import { referenceDefaults } from './reference/options.js'
import type { SandboxCredentials, SandboxOptions, SandboxPartner } from './SandboxOptions.js'

// model

/** Options, all of them given. */
export interface Settings extends Required<Omit<SandboxOptions, 'limits'>> {
  readonly limits: Limits
  /** Of the timer, in whole ms, as times and tokens have them. */
  readonly now: IO<number>
}

// constructors

/** Logs into every sandbox that names no credentials of its own. */
export const sandboxCredentials: SandboxCredentials = Object.freeze({
  /** What a login must send. */
  clientId: 'sandbox',
  /** What a login must send. */
  apiKey: 'sandbox-key',
})

/** The partner of every sandbox that names none of its own. */
export const sandboxPartner: SandboxPartner = Object.freeze({
  /** The name of Basic credentials. */
  clientId: 'sandbox-partner',
  /** Their password. */
  clientSecret: 'sandbox-secret',
})

/** What a sandbox does when it is told nothing. */
export const defaults: Required<Omit<SandboxOptions, 'limits' | 'timer'>> = Object.freeze({
  environment: 'production',
  charges: 100_000,
  seed: 1,
  /** One of its own for each who reads it: a frozen object does not keep a Date as it is. */
  get since() {
    return new Date('2024-01-01T00:00:00Z')
  },
  every: 3_000,
  order: 'ascending',
  arrivals: 0,
  settleAfter: 2_000,
  ...batchDefaults,
  ...referenceDefaults,
  apiVersion: '2026-08-21',
  credentials: Object.freeze([sandboxCredentials]),
  partner: sandboxPartner,
  tokenLife: 30 * 60_000,
  latency: 0,
  jitter: 0,
  faults: Object.freeze({}),
})

/** What tenths that make a whole may be off by when they are added. */
const ROUNDING = 1e-9

/** Fills in the defaults. Throws an `InvalidOption` for what makes no sandbox. */
export const settings = (given: SandboxOptions): Settings => {
  const { limits: wanted, ...options } = checkedOptions(given)
  const all = { ...defaults, timer: asyncScheduler, ...options }
  const end = all.since.getTime() + all.charges * all.every
  if (!(all.since.getTime() >= 0 && end < Date.UTC(9999, 0))) {
    throw new InvalidOption(
      'since',
      'after 1969, and so that the last of the charges, one each `every` ms, is created before 9999',
    )
  }
  if (totalOf(all.faults) > 1 + ROUNDING) {
    throw new InvalidOption('faults', 'chances that add up to 1 at most')
  }
  return {
    ...all,
    now: () => Math.floor(all.timer.now()),
    limits: wanted === false ? unlimited : { ...limits[all.environment], ...wanted },
  }
}
