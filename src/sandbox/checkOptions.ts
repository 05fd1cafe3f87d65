/** Holds what a sandbox is told against what makes one. */
import { limits } from '../api/limits.js'
import { QuotaType } from '../codec/Quota.js'
import { limitsRule } from '../http/limitsRule.js'
import { checked, is, type Rule, type Rules } from '../options/index.js'
import { faultNames } from './faults.js'
import type { SandboxCredentials, SandboxOptions, SandboxPartner } from './SandboxOptions.js'

const scopes = is.listOf(is.text, 'a list of events, or groups of them')

const ofCredentials: Rules<SandboxCredentials> = {
  clientId: is.needed(is.filled),
  apiKey: is.needed(is.filled),
  scopes,
}

const ofPartner: Rules<SandboxPartner> = {
  clientId: is.needed(is.filled),
  clientSecret: is.needed(is.filled),
  scopes,
}

const chances = is.groupOf(Object.fromEntries(faultNames.map((name) => [name, is.chance])))

const words = <W extends string>(...some: ReadonlyArray<W>): Rule => is.oneOf(...some)

const rules: Rules<SandboxOptions> = {
  environment: is.oneOf(...Object.keys(limits)),
  limits: {
    ...limitsRule,
    fits: (u) => u === false || limitsRule.fits(u),
    expected: 'an object of limits, or false',
  },
  charges: is.whole(0, 2 ** 31, '2^31'),
  seed: is.whole(0, 2 ** 32 - 1, '2^32 - 1'),
  since: is.time,
  every: is.span,
  order: words<NonNullable<SandboxOptions['order']>>('ascending', 'descending'),
  arrivals: is.span,
  settleAfter: is.span,
  apiVersion: is.date,
  credentials: is.listOf(is.group(ofCredentials), 'a list of credentials'),
  partner: is.group(ofPartner),
  tokenLife: is.span,
  latency: is.span,
  jitter: is.span,
  faults: {
    ...chances,
    fits: (u) => chances.fits(u) || is.work.fits(u),
    expected: 'chances by the names of faults, or a function',
  },
  timer: is.timer,
  batches: is.whole(0, 1_000_000, '1,000,000'),
  batchArrivals: is.span,
  funding: words<NonNullable<SandboxOptions['funding']>>(
    'funded',
    'failed',
    'overdue',
    'reversed',
    'cancelled',
  ),
  fundAfter: is.span,
  bookEvery: is.span,
  approval: words<NonNullable<SandboxOptions['approval']>>(
    'none',
    'approved',
    'recalled',
    'rejected',
    'blocked',
    'undecided',
  ),
  approveAfter: is.span,
  quoteLife: is.span,
  repeatedItems: words<NonNullable<SandboxOptions['repeatedItems']>>('ignored', 'refused'),
  industryTree: words<NonNullable<SandboxOptions['industryTree']>>(
    'by version',
    'codes',
    'categories',
  ),
  quotaTypes: is.listOf(is.oneOf(...Object.keys(QuotaType.keys)), 'a list of types of quota'),
}

/** The options of a sandbox, those that were given. Throws an `InvalidOption`. */
export const checkedOptions = (given: SandboxOptions): SandboxOptions => checked(given, rules)
