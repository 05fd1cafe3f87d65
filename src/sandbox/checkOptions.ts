/** Holds what a sandbox is told against what makes one. */
import { limits } from '../api/limits.js'
import { QuotaType } from '../codec/Quota.js'
import { limitsRule } from '../http/limits.js'
import { checkOptions, is, type OptionsTable, type Rule, required } from '../options/index.js'
import { faultNames } from './faults.js'
import type { SandboxCredentials, SandboxOptions, SandboxPartner } from './SandboxOptions.js'

const scopes = is.arrayOf(is.string, 'a list of events, or groups of them')

const ofCredentials: OptionsTable<SandboxCredentials> = {
  clientId: required(is.nonEmptyString),
  apiKey: required(is.nonEmptyString),
  scopes,
}

const ofPartner: OptionsTable<SandboxPartner> = {
  clientId: required(is.nonEmptyString),
  clientSecret: required(is.nonEmptyString),
  scopes,
}

const chances = is.group(Object.fromEntries(faultNames.map((name) => [name, is.probability])))

const words = <W extends string>(...some: ReadonlyArray<W>): Rule => is.oneOf(...some)

const rules: OptionsTable<SandboxOptions> = {
  environment: is.oneOf(...Object.keys(limits)),
  limits: {
    ...limitsRule,
    accepts: (u) => u === false || limitsRule.accepts(u),
    expected: 'an object of limits, or false',
  },
  charges: is.int(0, 2 ** 31, '2^31'),
  seed: is.int(0, 2 ** 32 - 1, '2^32 - 1'),
  since: is.date,
  every: is.finiteMillis,
  order: words<NonNullable<SandboxOptions['order']>>('ascending', 'descending'),
  arrivals: is.finiteMillis,
  settleAfter: is.finiteMillis,
  apiVersion: is.isoDay,
  credentials: is.arrayOf(is.group(ofCredentials), 'a list of credentials'),
  partner: is.group(ofPartner),
  tokenLife: is.finiteMillis,
  latency: is.finiteMillis,
  jitter: is.finiteMillis,
  faults: {
    ...chances,
    accepts: (u) => chances.accepts(u) || is.fn().accepts(u),
    expected: 'chances by the names of faults, or a function',
  },
  timer: is.rxScheduler(),
  batches: is.int(0, 1_000_000, '1,000,000'),
  batchArrivals: is.finiteMillis,
  funding: words<NonNullable<SandboxOptions['funding']>>(
    'funded',
    'failed',
    'overdue',
    'reversed',
    'cancelled',
  ),
  fundAfter: is.finiteMillis,
  bookEvery: is.finiteMillis,
  approval: words<NonNullable<SandboxOptions['approval']>>(
    'none',
    'approved',
    'recalled',
    'rejected',
    'blocked',
    'undecided',
  ),
  approveAfter: is.finiteMillis,
  quoteLife: is.finiteMillis,
  repeatedItems: words<NonNullable<SandboxOptions['repeatedItems']>>('ignored', 'refused'),
  industryTree: words<NonNullable<SandboxOptions['industryTree']>>(
    'by version',
    'codes',
    'categories',
  ),
  quotaTypes: is.arrayOf(is.oneOf(...Object.keys(QuotaType.keys)), 'a list of types of quota'),
}

/** The options of a sandbox, those that were given. Throws an `InvalidOption`. */
export const checkedOptions = (given: SandboxOptions): SandboxOptions => checkOptions(given, rules)
