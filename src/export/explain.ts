/** Dry runs: estimates of an export, a sync or a follow, with a few requests. Nothing is written. */
import {
  asyncScheduler,
  defer,
  firstValueFrom,
  from,
  isObservable,
  of as just,
  lastValueFrom,
  map,
  toArray,
} from 'rxjs'
import { PAGE_SIZE } from '../changes/Ledger.js'
import { SWEPT_WHOLE } from '../changes/proof/sweep.js'
import { finalChargeStatuses } from '../codec/Charge.js'
import { fromDate } from '../codec/Instant.js'
import { E, withoutUndefined } from '../fp.js'
import type { AnyFailure } from '../http/Failure.js'
import type { ListPlan, SnapshotPlan } from '../http/list/List.js'
import { checkOptions, is, type OptionsTable } from '../options/index.js'
import { DAY, duration, HOUR, number, percent, plural } from '../report/text.js'
import type { ObservableEither } from '../stream/either/ObservableEither.js'
import type { Millis } from '../stream/index.js'
import type { ExportSource } from './source/ExportSource.js'
import type { ChildSource, Parent } from './sync/itemsOfAllBatches.js'
import { NIGHTS } from './sync/proveRows.js'
import { LOOKBACK, type SyncOptions, syncRules } from './sync/SyncOptions.js'

/** Estimate of a run. */
export interface RunPlan {
  /** Number of rows in the list. Absent if the list only shows that there are more rows. */
  readonly rows?: number
  /** Number of requests sent to count them. */
  readonly probes: number
  /**
   * The cost of each part. For an export: `export`. For a sync: `first night` and `later`, or `each night`. With `every`:
   * `start`, `poll`, and a daily `proof` (a comparison of counts).
   */
  readonly costs: ReadonlyArray<RunCost>
  /** The plan as text, one line each. */
  readonly lines: ReadonlyArray<string>
}

/** The cost of a part of a run. */
export interface RunCost {
  /** See `RunPlan.costs`. */
  readonly part: 'export' | 'first night' | 'later' | 'each night' | 'start' | 'poll' | 'proof'
  /** Number of requests. */
  readonly requests: number
  /** Duration of these requests, in ms. */
  readonly ms: Millis
}

/** A list or a snapshot that can be estimated. */
export interface PlannedSource {
  /** Estimates rows and requests: immediately, or with a few requests. */
  readonly explain: () => ListPlan | ObservableEither<AnyFailure, SnapshotPlan>
}

/** Rows that can be counted by time and status: `payments.charges`. */
export interface CountedSource {
  /** Lists the rows of a status, created at or after a time. */
  readonly snapshot: (filter: {
    readonly from_created_at?: string
    readonly status?: (typeof OPEN)[number]
  }) => { readonly explain: () => ObservableEither<AnyFailure, SnapshotPlan> }
}

/** The run to estimate. The other options are those of `sync` and `follow`. */
export interface ExplainOptions
  extends Pick<SyncOptions, 'since' | 'lookback' | 'sweep' | 'untilStable' | 'timer'> {
  /** A `sync`, a `follow` into a table, or a stream of `changes`. Default `sync`. */
  readonly of?: 'sync' | 'follow' | 'changes' | undefined
  /** Interval between polls, in ms. Default 10,000. */
  readonly every?: Millis | undefined
}

const { since, lookback, sweep, untilStable, timer } = syncRules
const explainRules: OptionsTable<ExplainOptions> = {
  ...{ since, lookback, sweep, untilStable, timer },
  of: is.oneOf('sync', 'follow', 'changes'),
  every: is.positiveFinite,
}

/** Documented statuses that are not final. */
const OPEN = ['NEW', 'PENDING', 'SUSPENDED'] as const

/**
 * Number of requests of a proof if all counts are equal: eight ranges for all rows and for each final status, and four requests
 * to detect the bounds of filters.
 */
const PROOF = 8 * (1 + finalChargeStatuses.length) + 4

/**
 * Estimates an export of a list or a snapshot: rows, requests and time.
 *
 *     const plan = explainExport(payments.charges.snapshot({ status: 'SETTLED' }).parallel())
 *
 * Counts a snapshot with about ten requests; sends none for a plain list, which cannot be counted. Cold: each subscription
 * counts again.
 */
export const explainExport = (source: PlannedSource): ObservableEither<AnyFailure, RunPlan> =>
  defer(() => {
    const explained = source.explain()
    return isObservable(explained) ? explained : just(E.right(explained))
  }).pipe(map(E.map(exportPlan)))

/**
 * Estimates a sync, a follow into a table, or a stream of changes: the rows, and the requests and time per nightly run, poll
 * and proof.
 *
 *     const plan = explainSync(payments.charges, { since: '2026-01-01T00:00:00Z' })
 *
 * Counts charges with about 30 requests, and reads other lists in full; nothing is written. Cold: each subscription counts
 * again. Throws an `InvalidOption` immediately for an invalid option.
 */
export const explainSync = <A>(
  source: CountedSource | ExportSource<A> | ChildSource<A>,
  given: ExplainOptions = {},
): ObservableEither<AnyFailure, RunPlan> => {
  const options = checkOptions(given, explainRules)
  return defer(() =>
    'snapshot' in source
      ? chargesPlan(source, options)
      : 'children' in source
        ? itemsPlan(source, options)
        : listPlan(source, options),
  )
}

// exports

const exportPlan = (plan: ListPlan | SnapshotPlan): RunPlan => {
  const { ceiling = 0, limit, pageSize = 0, requests = 0, seconds = 0 } = plan
  const perSecond = number(ceiling / pageSize)
  const most = Number.isFinite(ceiling)
    ? `${number(ceiling)} rows/s, at ${perSecond} requests per second`
    : 'none'
  const bound: ReadonlyArray<Line> =
    limit === undefined ? [] : [['ceiling', `${most}; limited by ${BOTTLENECKS[limit]}`]]
  if (!('rows' in plan)) {
    const pages: ReadonlyArray<Line> =
      pageSize === 0 ? [] : [['requests', `one per ${number(pageSize)} rows`]]
    return planned({ probes: 0 }, 10, [['rows', UNCOUNTED], ...pages, ...bound])
  }
  const { rows, precision, probes } = plan
  const ms = seconds * 1_000
  return planned({ rows, probes }, 10, [
    ['rows', countText(plan, probes)],
    ['requests', `${roughly(plan)}${number(requests)} of ${number(pageSize)} rows each`],
    [
      'time',
      `${precision === 'at least' ? precision : 'about'} ${duration(ms)}`,
      { part: 'export', requests, ms },
    ],
    ...bound,
  ])
}

const UNCOUNTED = 'unknown: the list only says whether there is another page'

const BOTTLENECKS: Readonly<Record<Required<ListPlan>['limit'], string>> = {
  endpoint: 'the rate limit of this endpoint',
  global: 'the global rate limit',
  concurrency: 'the concurrency limit',
  parallel: 'the number of concurrent requests and the response time',
}

// charges

const chargesPlan = async (
  source: CountedSource,
  { of = 'sync', sweep = '30d', lookback = LOOKBACK, every, ...options }: ExplainOptions,
): Promise<E.Either<AnyFailure, RunPlan>> => {
  const { timer = asyncScheduler } = options
  const began = timer.now()
  const ago = (ms: Millis): string => fromDate(new Date(began - ms))
  const { since = of === 'changes' ? ago(HOUR) : undefined } = options
  const plans: Array<SnapshotPlan> = []
  for (const filter of [
    withoutUndefined({ from_created_at: since }),
    ...(of === 'sync' ? [{ from_created_at: ago(lookback) }] : []),
    ...OPEN.map((status) => ({ status })),
  ]) {
    const plan = await firstValueFrom(source.snapshot(filter).explain())
    if (E.isLeft(plan)) return plan
    plans.push(plan.right)
  }
  const open = plans.slice(-OPEN.length).map(({ rows }) => rows)
  const [all = NO_ROWS, recent = NO_ROWS] = plans
  const probes = total(plans.map((plan) => plan.probes))
  const inTurn = inTurnAfter(probes, timer.now() - began)
  const lists = total(open.map((rows) => Math.max(1, Math.ceil(rows / PAGE_SIZE))))
  const listed = `${plural(lists, 'list')} of ${plural(total(open), 'open charge')}`
  const nights = sweep === 'now' || all.rows <= SWEPT_WHOLE ? 1 : NIGHTS
  const swept = sweep === 'off' ? 0 : Math.ceil(all.rows / nights)
  const sweeping =
    sweep === 'off' ? 'nothing else re-read' : `${plural(swept, 'other row')} re-read`
  const proof = PROOF + Math.ceil(swept / PAGE_SIZE)
  const count = countText(all, probes)
  const counted = { rows: all.rows, probes }
  if (of === 'sync') {
    const upkeep = `${listed}, ${PROOF} requests for counts`
    const span = lookback % DAY === 0 ? plural(lookback / DAY, 'day') : duration(lookback)
    return E.right(
      planned(counted, 13, [
        ['rows', count],
        line('first night', sum(costOf(all), inTurn(lists + PROOF)), `: all rows, ${upkeep}`),
        line(
          'later',
          sum(costOf(recent), inTurn(lists + proof)),
          `: ${plural(recent.rows, 'row')} of the last ${span}, ${upkeep}, ${sweeping}`,
        ),
        ['more', SEARCH],
      ]),
    )
  }
  return E.right(
    planned(counted, 8, [
      ['rows', count],
      line('start', sum(costOf(all), inTurn(lists))),
      pollLine(inTurn(1 + lists), all, every),
      ['', `the newest charges, ${listed}; more for those that change meanwhile`],
      ...(of === 'follow'
        ? [line('proof', inTurn(proof), ` per day: ${PROOF} requests for counts, ${sweeping}`)]
        : []),
    ]),
  )
}

const SEARCH =
  'where counts differ: 2 requests per bisection step; up to 25 to find one missing row in a million'

const NO_ROWS: SnapshotPlan = { rows: 0, precision: 'exact', probes: 0 }

// other lists

/** Reads the list of batches. */
const itemsPlan = async (
  source: Pick<ChildSource<unknown>, 'parents'>,
  { timer = asyncScheduler }: ExplainOptions,
): Promise<E.Either<AnyFailure, RunPlan>> => {
  const began = timer.now()
  const parents: Array<Parent> = []
  let probes = 0
  for await (const page of source.parents()) {
    if (E.isLeft(page)) return page
    probes++
    parents.push(...page.right)
  }
  const inTurn = inTurnAfter(probes, timer.now() - began)
  const sizes = parents.map(({ rows }) => (Number.isNaN(rows) ? 0 : rows))
  const pages = sizes.map((rows) => Math.ceil(rows / ITEMS))
  const open = pages.filter((_, i) => parents[i]?.isFinal === false)
  const first = inTurn(probes + total(pages) + open.length)
  const later = inTurn(probes + total(open.map((n) => Math.max(1, n))))
  const batches = `${number(sizes.length)} ${sizes.length === 1 ? 'batch' : 'batches'}`
  const changing = `${number(open.length)} that can still change`
  const rows = total(sizes)
  return E.right(
    planned({ rows, probes }, 13, [
      ['rows', `${number(rows)} of ${batches} (${plural(probes, 'request')} to count them)`],
      line('first night', first, ': the list of batches, and the items of each', 'at most '),
      line('later', later, `: the list of batches, and the items of ${changing}`),
    ]),
  )
}

/** Maximum items per page (API limit). */
const ITEMS = 1_000

/** Reads the whole list, because it cannot be counted. */
const listPlan = async <A>(
  source: ExportSource<A> & Partial<PlannedSource>,
  { of = 'sync', every, untilStable = false, timer = asyncScheduler }: ExplainOptions,
): Promise<E.Either<AnyFailure, RunPlan>> => {
  const began = timer.now()
  const pages = await lastValueFrom(source.drain((page) => from([page])).pipe(toArray()))
  const failed = pages.find(E.isLeft)
  if (failed !== undefined) return failed
  const probes = pages.length
  const rows = total(pages.map((page) => (E.isRight(page) ? page.right.items.length : 0)))
  const count = countText({ rows, precision: 'exact' }, probes)
  const times = untilStable ? 2 : 1 // until two readings agree
  const cost = { requests: times * probes, ms: times * (timer.now() - began) }
  if (of !== 'sync') {
    const limits = source.explain?.()
    return E.right(
      planned({ rows, probes }, 8, [
        ['rows', count],
        pollLine(cost, isObservable(limits) ? {} : { ...limits }, every),
        ['', 'the whole list'],
      ]),
    )
  }
  const whole = `: the whole list${times === 1 ? '' : `, ${times} times`}`
  return E.right(planned({ rows, probes }, 13, [['rows', count], line('each night', cost, whole)]))
}

// lines

type Line = readonly [name: string, text: string, cost?: RunCost]

const planned = (
  counts: Pick<RunPlan, 'rows' | 'probes'>,
  width: number,
  lines: ReadonlyArray<Line>,
): RunPlan => ({
  ...counts,
  costs: lines.flatMap(([, , cost]) => cost ?? []),
  lines: lines.map(([name, text]) => `${name.padEnd(width)}${text}`),
})

type Cost = Omit<RunCost, 'part'>

const line = (part: RunCost['part'], cost: Cost, rest = '', most = ''): Line => [
  part,
  `${most}about ${plural(cost.requests, 'request')}, ${duration(cost.ms)}${rest}`,
  { part, ...cost },
]

const pollLine = (
  cost: Cost,
  { ceiling = 0, pageSize = 1 }: ListPlan,
  every: Millis = 10_000,
): Line => {
  const { requests } = cost
  const share = (requests * 1_000 * pageSize) / every / ceiling
  const ofLimit =
    Number.isFinite(ceiling) && ceiling > 0 ? `, ${percent(share)} of the rate limit` : ''
  const daily = number(Math.round((requests * DAY) / every))
  const text = `${plural(requests, 'request')} every ${duration(every)}: ${daily} per day${ofLimit}`
  return ['poll', text, { part: 'poll', ...cost }]
}

const roughly = ({ precision }: Pick<SnapshotPlan, 'precision'>): string =>
  precision === 'exact' || precision === 'given' ? '' : `${precision} `

const countText = (plan: Pick<SnapshotPlan, 'rows' | 'precision'>, probes: number): string =>
  `${roughly(plan)}${number(plan.rows)} (${plural(probes, 'request')} to count them)`

// costs

const total = (numbers: ReadonlyArray<number>): number => numbers.reduce((sum, n) => sum + n, 0)

const costOf = ({ requests = 0, seconds = 0 }: SnapshotPlan): Cost => ({
  requests,
  ms: seconds * 1_000,
})

const sum = (one: Cost, other: Cost): Cost => ({
  requests: one.requests + other.requests,
  ms: one.ms + other.ms,
})

/** Returns the cost of consecutive requests, each as long as the requests that were used for counting. */
const inTurnAfter =
  (probes: number, ms: Millis) =>
  (requests: number): Cost => ({ requests, ms: (requests * ms) / Math.max(1, probes) })
