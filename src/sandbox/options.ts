/** The options of a sandbox: rule, default and doc comment of each in one row. */
import { asyncScheduler, type SchedulerLike } from 'rxjs'
import { type Environment, type Limits, limits, unlimited } from '../api/limits.js'
import type { QuotaType } from '../codec/reference.js'
import type { IO } from '../fp.js'
import { limitsRule } from '../http/limits.js'
import {
  defaultsOf,
  InvalidOption,
  is,
  type MayBeUndefined,
  type OptionRule,
  type OptionsOf,
  type OptionsTable,
  type Resolved,
  required,
  resolveOptions,
  withDefault,
} from '../options/index.js'
import { lastStep } from './data/generatedCharges.js'
import {
  type DeliveryFaults,
  deliveryFaultNames,
  totalDeliveryProbability,
} from './events/deliveryFaults.js'
import type { Deliver } from './events/send.js'
import { type Faults, faultNames, totalProbability } from './faults.js'

// credentials

/** Credentials that may log in. */
export interface SandboxCredentials {
  /** Sent as the header `x-client-id` of a login. */
  readonly clientId: string
  /** Sent as the header `x-api-key` of a login. */
  readonly apiKey: string
  /** Events that a webhook may subscribe to: names, or groups such as `account`. Default: all. */
  readonly scopes?: ReadonlyArray<string>
}

/** Credentials for the partner endpoints. */
export interface SandboxPartner {
  /** The user name of Basic authentication. */
  readonly clientId: string
  /** The password of Basic authentication. */
  readonly clientSecret: string
  /** Events that a webhook may subscribe to: names, or groups such as `account`. Default: all. */
  readonly scopes?: ReadonlyArray<string>
}

/** Log in to every sandbox without `credentials` of its own. */
export const sandboxCredentials: SandboxCredentials = Object.freeze({
  /** Sent as the header `x-client-id` of a login. */
  clientId: 'sandbox',
  /** Sent as the header `x-api-key` of a login. */
  apiKey: 'sandbox-key',
})

/** The partner of every sandbox without a `partner` of its own. */
export const sandboxPartner: SandboxPartner = Object.freeze({
  /** The user name of Basic authentication. */
  clientId: 'sandbox-partner',
  /** The password of Basic authentication. */
  clientSecret: 'sandbox-secret',
})

// rules

const scopes = is.arrayOf(is.string, 'a list of events, or groups of them')

const credentialsTable: OptionsTable<SandboxCredentials> = {
  clientId: required(is.nonEmptyString),
  apiKey: required(is.nonEmptyString),
  scopes,
}

const partnerTable: OptionsTable<SandboxPartner> = {
  clientId: required(is.nonEmptyString),
  clientSecret: required(is.nonEmptyString),
  scopes,
}

const limitsOrFalse: OptionRule<Partial<Limits> | false, MayBeUndefined<Partial<Limits>> | false> =
  {
    ...limitsRule,
    accepts: (u) => u === false || limitsRule.accepts(u),
    expected: 'an object of limits, or false',
  }

const probabilities = is.group(Object.fromEntries(faultNames.map((name) => [name, is.probability])))

const faultsRule: OptionRule<Faults> = {
  ...probabilities,
  accepts: (u) => typeof u === 'function' || probabilities.accepts(u),
  expected: 'chances by the names of faults, or a function',
}

const deliveryProbabilities = is.group(
  Object.fromEntries(deliveryFaultNames.map((name) => [name, is.probability])),
)

const deliveryFaultsRule: OptionRule<DeliveryFaults> = {
  ...deliveryProbabilities,
  accepts: (u) => typeof u === 'function' || deliveryProbabilities.accepts(u),
  expected: 'chances by the names of faults, or a function',
}

/** A name or an address, as a URL has it: neither a port nor a whole URL, which no host would equal. */
const hostName = is.stringThat((text) => {
  const url = `http://${text}/`
  return URL.canParse(url) && new URL(url).hostname === text.toLowerCase()
}, 'a host without port, such as hooks.test')

// options

const optionsTable = {
  /** Selects the limits (interface, Limits). Default `'production'`. */
  environment: withDefault(is.oneOf<Environment>('production', 'sandbox'), 'production'),
  /** Other limits than the environment's, or `false` for none. Default: the environment's. */
  limits: limitsOrFalse,
  /** How many charges exist from the start, up to 2^31. Default 100,000. */
  charges: withDefault(is.int(0, 2 ** 31, '2^31'), 100_000),
  /**
   * Decides every value, delay and fault: the same seed makes the same sandbox. An integer up to 2^32 - 1.
   * Default 1.
   */
  seed: withDefault(is.int(0, 2 ** 32 - 1, '2^32 - 1'), 1),
  /** When the first charge was created. Default 2024-01-01T00:00:00Z; with `until`, `charges` × `every` before that. */
  since: is.date,
  /**
   * When the last of the charges was created, in place of `every` if `since` is given too; none is updated later. Default: as
   * `every` says.
   */
  until: is.date,
  /** Time from one charge to the next on average, in ms. Default 3,000. */
  every: withDefault(is.finiteMillis, 3_000),
  /** The order of lists; the interface names none. Default `'ascending'`, oldest first. */
  order: withDefault(is.oneOf('ascending', 'descending'), 'ascending'),
  /** A charge arrives by itself this often, in ms, so that lists drift. Default 0: none does. */
  arrivals: withDefault(is.finiteMillis, 0),
  /** Delay until a created resource shows in lists, in ms: lists lag behind calls by id. Default 0. */
  listDelay: withDefault(is.finiteMillis, 0),
  /** The items of a call show in the list of their batch one by one: the last after this time, in ms. Default 0. */
  itemsDelay: withDefault(is.finiteMillis, 0),
  /** A created charge takes its next status after this time, in ms. Default 2,000. */
  settleAfter: withDefault(is.finiteMillis, 2_000),
  /** How many batches exist from the start, up to a million; only changed ones are stored. Default 0. */
  batches: withDefault(is.int(0, 1_000_000, '1,000,000'), 0),
  /** A batch arrives by itself this often, in ms, so that lists drift. Default 0: none does. */
  batchArrivals: withDefault(is.finiteMillis, 0),
  /**
   * How the funding of a batch ends, unless its funding source decides: one that ends in `_failed`, `_overdue`,
   * `_reversed` or `_cancelled` does. Default `'funded'`.
   */
  funding: withDefault(is.oneOf('funded', 'failed', 'overdue', 'reversed', 'cancelled'), 'funded'),
  /** The funding of a batch takes its next step after this time, in ms. Default 1,000. */
  fundAfter: withDefault(is.finiteMillis, 1_000),
  /** An item of a batch is booked this often, in ms. Default 20. */
  bookEvery: withDefault(is.finiteMillis, 20),
  /** Decision on the approval of submitted batches. Default `'none'`: they need no approval. */
  approval: withDefault(
    is.oneOf('none', 'approved', 'recalled', 'rejected', 'blocked', 'undecided'),
    'none',
  ),
  /** When the approval is decided, in ms after the batch was submitted. Default 2,000. */
  approveAfter: withDefault(is.finiteMillis, 2_000),
  /** How long a quote holds, in ms. Default 0: as long as its validity says. */
  quoteLife: withDefault(is.finiteMillis, 0),
  /** Treatment of items whose `request_id` their batch already has. Default `'ignored'` (interface). */
  repeatedItems: withDefault(is.oneOf('ignored', 'refused'), 'ignored'),
  /**
   * The tree of industries: `LIST`, `CODE` and `QUESTION` nodes, or categories. Default `'by version'`: codes from
   * API version 2025-06-30 on.
   */
  industryTree: withDefault(is.oneOf('by version', 'codes', 'categories'), 'by version'),
  /** The limits by orders that this account has. Default: all three. */
  quotaTypes: withDefault(
    is.arrayOf(
      is.oneOf<QuotaType>('CN_INBOUND', 'ID_OUTBOUND', 'VN_OUTBOUND'),
      'a list of types of quota',
    ),
    ['CN_INBOUND', 'ID_OUTBOUND', 'VN_OUTBOUND'],
  ),
  /** The API version of calls that name none, as YYYY-MM-DD. Default 2026-08-21. */
  apiVersion: withDefault(is.isoDay, '2026-08-21'),
  /** Credentials that may log in. Default: `sandboxCredentials`. */
  credentials: withDefault(
    is.arrayOf(is.group<SandboxCredentials>(credentialsTable), 'a list of credentials'),
    [sandboxCredentials],
  ),
  /** Credentials for endpoints with Basic authentication. Default: `sandboxPartner`. */
  partner: withDefault(is.group<SandboxPartner>(partnerTable), sandboxPartner),
  /** How long a token is valid, in ms. Default 30 minutes (interface, Authentication). */
  tokenLife: withDefault(is.finiteMillis, 30 * 60_000),
  /** From a request to its response, in ms: half on the way in, half on the way back. Default 0. */
  latency: withDefault(is.finiteMillis, 0),
  /**
   * Spreads the latency from `latency - jitter` to `latency + jitter`, in ms: half of it on the way in and half on
   * the way back, drawn independently, never below 0. Default 0.
   */
  jitter: withDefault(is.finiteMillis, 0),
  /** Faults to inject. Default: none. The header `x-sandbox-fault` works in either case. */
  faults: withDefault(faultsRule, {}),
  /** Faults of deliveries to webhooks. Default: none. */
  deliveryFaults: withDefault(deliveryFaultsRule, {}),
  /**
   * Sends deliveries, such as the `fetch` of a receiver in this process. Default: over HTTP, to addresses of this
   * machine and the hosts of `deliverTo`.
   */
  deliver: is.fn<Deliver>(),
  /** Hosts that deliveries are sent to, beside addresses of this machine. Default: none. */
  deliverTo: withDefault(
    is.arrayOf(hostName, 'a list of hosts without port, such as hooks.test'),
    [],
  ),
  /** Clock and timers. Default: RxJS's `asyncScheduler`. */
  timer: withDefault(is.rxScheduler<SchedulerLike>(), asyncScheduler),
}

/** Options of `createSandbox` and `listen`. */
export interface SandboxOptions extends OptionsOf<typeof optionsTable> {}

export const sandboxDefaults = defaultsOf(optionsTable)

/** The options with defaults filled in. */
export interface Settings
  extends Resolved<Omit<typeof optionsTable, 'limits' | 'since' | 'until'>> {
  readonly since: Date
  readonly until: Date | undefined
  readonly limits: Limits
  /** The time of the timer in whole ms since 1970. */
  readonly now: IO<number>
}

const FIRST_CHARGE = new Date('2024-01-01T00:00:00Z')

/** Returns when charges begin, and the time from one to the next, in ms. */
const chargeTimes = (
  since: Date | undefined,
  until: Date | undefined,
  { charges, every }: { readonly charges: number; readonly every: number },
): { readonly since: Date; readonly every: number } => {
  if (until === undefined) return { since: since ?? FIRST_CHARGE, every }
  const steps = Math.max(1, lastStep(charges))
  if (since === undefined) return { since: new Date(until.getTime() - steps * every), every }
  const span = until.getTime() - since.getTime()
  if (span < 0) throw new InvalidOption('until', 'later than since')
  return { since, every: span / steps }
}

/** Tolerance for probabilities such as ten times 0.1. */
const ROUNDING = 1e-9

/** Fills in the defaults. Throws an `InvalidOption`. */
export const settingsOf = (options: SandboxOptions): Settings => {
  const { limits: given, since, until, ...rest } = resolveOptions(options, optionsTable)
  const all = { ...rest, until, ...chargeTimes(since, until, rest) }
  const end = all.since.getTime() + all.charges * all.every
  if (!(all.since.getTime() >= 0 && end < Date.UTC(9999, 0))) {
    throw new InvalidOption(
      'since',
      'after 1969, and so that the last of the charges, one each `every` ms, is created before 9999',
    )
  }
  if (totalProbability(all.faults) > 1 + ROUNDING) {
    throw new InvalidOption('faults', 'chances that add up to 1 at most')
  }
  if (totalDeliveryProbability(all.deliveryFaults) > 1 + ROUNDING) {
    throw new InvalidOption('deliveryFaults', 'chances that add up to 1 at most')
  }
  return {
    ...all,
    now: () => Math.floor(all.timer.now()),
    limits: given === false ? unlimited : { ...limits[all.environment], ...given },
  }
}

/** Tests whether deliveries go to a URL: one of this machine, or of a host that the options name. */
export const mayDeliver = (url: string, hosts: ReadonlyArray<string>): boolean => {
  if (!URL.canParse(url)) return false
  const { hostname } = new URL(url)
  return (
    /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname) ||
    hosts.some((host) => host.toLowerCase() === hostname)
  )
}
