/** The options of a sandbox: each row has the rule, default and doc comment of one option. */
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

/** Credentials of every sandbox without its own `credentials`. */
export const sandboxCredentials: SandboxCredentials = Object.freeze({
  /** Sent as the header `x-client-id` of a login. */
  clientId: 'sandbox',
  /** Sent as the header `x-api-key` of a login. */
  apiKey: 'sandbox-key',
})

/** Partner of every sandbox without its own `partner`. */
export const sandboxPartner: SandboxPartner = Object.freeze({
  /** The user name of Basic authentication. */
  clientId: 'sandbox-partner',
  /** The password of Basic authentication. */
  clientSecret: 'sandbox-secret',
})

// rules

const scopes = is.arrayOf(is.string, 'a list of events or event groups')

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
  expected: 'probabilities by fault name, or a function',
}

const deliveryProbabilities = is.group(
  Object.fromEntries(deliveryFaultNames.map((name) => [name, is.probability])),
)

const deliveryFaultsRule: OptionRule<DeliveryFaults> = {
  ...deliveryProbabilities,
  accepts: (u) => typeof u === 'function' || deliveryProbabilities.accepts(u),
  expected: 'probabilities by fault name, or a function',
}

/** Rule for a host name or address as in a URL. With a port, or as a whole URL, it would not match any host. */
const hostName = is.stringThat((text) => {
  const url = `http://${text}/`
  return URL.canParse(url) && new URL(url).hostname === text.toLowerCase()
}, 'a host without port, such as hooks.test')

// options

const optionsTable = {
  /** Selects the rate limits. Default `'production'`. */
  environment: withDefault(is.oneOf<Environment>('production', 'test'), 'production'),
  /** Limits to use instead of the environment's; `false` for none. Default: the environment's. */
  limits: limitsOrFalse,
  /** Number of charges at the start, up to 2^31. Default 100,000. */
  charges: withDefault(is.int(0, 2 ** 31, '2^31'), 100_000),
  /** Determines all values, delays and faults, so equal seeds give equal sandboxes. An integer up to 2^32 - 1. Default 1. */
  seed: withDefault(is.int(0, 2 ** 32 - 1, '2^32 - 1'), 1),
  /**
   * Time of creation of the first charge. Default 2024-01-01T00:00:00Z; with `until`, it is `charges` × `every` before that.
   */
  since: is.date,
  /**
   * Time of creation of the last charge. No charge is updated later. Replaces `every` if `since` is also given. Default:
   * determined by `every`.
   */
  until: is.date,
  /** Average time between charges, in ms. Default 3,000. */
  every: withDefault(is.finiteMillis, 3_000),
  /** Order of lists, which the API description does not specify. Default `'ascending'`, oldest first. */
  order: withDefault(is.oneOf('ascending', 'descending'), 'ascending'),
  /** Interval at which new charges arrive, in ms. They make numbered pages shift. Default 0: none arrive. */
  arrivals: withDefault(is.finiteMillis, 0),
  /** Delay until a created resource appears in lists, in ms. Lists then lag behind calls by id. Default 0. */
  listDelay: withDefault(is.finiteMillis, 0),
  /** Time until all items of a call have appeared in the list of their batch, one after the other, in ms. Default 0. */
  itemsDelay: withDefault(is.finiteMillis, 0),
  /** Time until a created charge reaches its next status, in ms. Default 2,000. */
  settleAfter: withDefault(is.finiteMillis, 2_000),
  /** Number of batches at the start, up to a million. Only changed batches are stored. Default 0. */
  batches: withDefault(is.int(0, 1_000_000, '1,000,000'), 0),
  /** Interval at which new batches arrive, in ms. They make numbered pages shift. Default 0: none arrive. */
  batchArrivals: withDefault(is.finiteMillis, 0),
  /**
   * Outcome of the funding of a batch. If its funding source ends in `_failed`, `_overdue`, `_reversed` or `_cancelled`, that
   * decides instead. Default `'funded'`.
   */
  funding: withDefault(is.oneOf('funded', 'failed', 'overdue', 'reversed', 'cancelled'), 'funded'),
  /** Time until the funding of a batch takes its next step, in ms. Default 1,000. */
  fundAfter: withDefault(is.finiteMillis, 1_000),
  /** Interval at which items of a batch are booked, in ms. Default 20. */
  bookEvery: withDefault(is.finiteMillis, 20),
  /** How submitted batches are approved. Default `'none'`: no approval is required. */
  approval: withDefault(
    is.oneOf('none', 'approved', 'recalled', 'rejected', 'blocked', 'undecided'),
    'none',
  ),
  /** Time from submitting a batch to the decision, in ms. Default 2,000. */
  approveAfter: withDefault(is.finiteMillis, 2_000),
  /** Validity of a quote, in ms. Default 0: the validity that the quote states. */
  quoteLife: withDefault(is.finiteMillis, 0),
  /** How items are treated whose `request_id` the batch already has. Default `'ignored'`, as documented. */
  repeatedItems: withDefault(is.oneOf('ignored', 'refused'), 'ignored'),
  /**
   * Shape of the industry tree: `LIST`, `CODE` and `QUESTION` nodes, or categories. Default `'by version'`: codes from API
   * version 2025-06-30 on.
   */
  industryTree: withDefault(is.oneOf('by version', 'codes', 'categories'), 'by version'),
  /** Order-based limits of this account. Default: all three. */
  quotaTypes: withDefault(
    is.arrayOf(
      is.oneOf<QuotaType>('CN_INBOUND', 'ID_OUTBOUND', 'VN_OUTBOUND'),
      'a list of quota types',
    ),
    ['CN_INBOUND', 'ID_OUTBOUND', 'VN_OUTBOUND'],
  ),
  /** API version of calls that do not specify one, as YYYY-MM-DD. Default 2026-08-21. */
  apiVersion: withDefault(is.isoDay, '2026-08-21'),
  /** Credentials that may log in. Default: `sandboxCredentials`. */
  credentials: withDefault(
    is.arrayOf(is.group<SandboxCredentials>(credentialsTable), 'a list of credentials'),
    [sandboxCredentials],
  ),
  /** Credentials for endpoints with Basic authentication. Default: `sandboxPartner`. */
  partner: withDefault(is.group<SandboxPartner>(partnerTable), sandboxPartner),
  /** Validity of a token, in ms. Default 30 minutes, as documented. */
  tokenLife: withDefault(is.finiteMillis, 30 * 60_000),
  /** Time from a request to its response, in ms, half of it on each way. Default 0. */
  latency: withDefault(is.finiteMillis, 0),
  /**
   * Varies the latency between `latency - jitter` and `latency + jitter`, in ms. Each way gets half of it, drawn independently
   * and never below 0. Default 0.
   */
  jitter: withDefault(is.finiteMillis, 0),
  /** Faults to inject. Default: none. The header `x-sandbox-fault` always works. */
  faults: withDefault(faultsRule, {}),
  /** Faults of deliveries to webhooks. Default: none. */
  deliveryFaults: withDefault(deliveryFaultsRule, {}),
  /**
   * Sends deliveries, for example the `fetch` of a receiver in this process. Default: over HTTP, to addresses of this machine
   * and the hosts in `deliverTo`.
   */
  deliver: is.fn<Deliver>(),
  /** Hosts that may receive deliveries, in addition to this machine. Default: none. */
  deliverTo: withDefault(
    is.arrayOf(hostName, 'a list of host names without ports, such as hooks.test'),
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
  /** Returns the time of the timer in whole ms since 1970. */
  readonly now: IO<number>
}

const FIRST_CHARGE = new Date('2024-01-01T00:00:00Z')

/** Returns the time of the first charge, and the interval between charges, in ms. */
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

/** Tolerance for probabilities that are sums, such as ten times 0.1. */
const ROUNDING = 1e-9

/** Fills in the defaults. Throws an `InvalidOption` for an invalid option. */
export const settingsOf = (options: SandboxOptions): Settings => {
  const { limits: given, since, until, ...rest } = resolveOptions(options, optionsTable)
  const all = { ...rest, until, ...chargeTimes(since, until, rest) }
  const end = all.since.getTime() + all.charges * all.every
  if (!(all.since.getTime() >= 0 && end < Date.UTC(9999, 0))) {
    throw new InvalidOption(
      'since',
      'after 1969, and early enough that the last charge (one is created every `every` ms) is before 9999',
    )
  }
  if (totalProbability(all.faults) > 1 + ROUNDING) {
    throw new InvalidOption('faults', 'probabilities that add up to at most 1')
  }
  if (totalDeliveryProbability(all.deliveryFaults) > 1 + ROUNDING) {
    throw new InvalidOption('deliveryFaults', 'probabilities that add up to at most 1')
  }
  return {
    ...all,
    now: () => Math.floor(all.timer.now()),
    limits: given === false ? unlimited : { ...limits[all.environment], ...given },
  }
}

/** Returns true if deliveries may go to a URL, which must be on this machine or on a host in the options. */
export const mayDeliver = (url: string, hosts: ReadonlyArray<string>): boolean => {
  if (!URL.canParse(url)) return false
  const { hostname } = new URL(url)
  return (
    /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname) ||
    hosts.some((host) => host.toLowerCase() === hostname)
  )
}
