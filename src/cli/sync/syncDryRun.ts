/** `sync --dry-run`: what the first night costs, and each one after it. Nothing is written. */
import { firstValueFrom, type SchedulerLike } from 'rxjs'
import { PAGE_SIZE } from '../../changes/Ledger.js'
import { SWEPT_WHOLE } from '../../changes/proof/sweep.js'
import type { Client } from '../../client/createClient.js'
import type { SnapshotPlan } from '../../client/explainSnapshot.js'
import { finalBatchStatuses } from '../../codec/BatchTransfer.js'
import { type ChargeStatus, finalChargeStatuses } from '../../codec/Charge.js'
import { fromDate } from '../../codec/Instant.js'
import { exportTable } from '../../export/ExportOptions.js'
import { NIGHTS } from '../../export/sync/proveRows.js'
import type { Sweep } from '../../export/sync/SyncOptions.js'
import { E, withoutUndefined } from '../../fp.js'
import type { AnyFailure } from '../../http/Failure.js'
import { DAY, duration, number, plural } from '../../report/text.js'
import { failureEnding } from '../export/conclusion.js'
import { printed } from '../export/dryRun.js'
import type { CommandRun, Ending } from '../runCommand.js'
import type { SyncFlags } from './syncFlags.js'

// model

/** Requests, and how long they take, in ms. */
export interface Cost {
  readonly requests: number
  readonly ms: number
}

/** Requests of a proof of equal counts: eight stretches of all rows and of each final status, and the bounds of a filter. */
export const PROOF = 8 * (1 + finalChargeStatuses.length) + 4

/** The statuses of the interface that are listed. */
const OPEN = ['NEW', 'PENDING', 'SUSPENDED'] as const satisfies ReadonlyArray<ChargeStatus>

// charges

/** Counts the charges, and those of the last days. Resolves with what a sync of them comes to. */
export const dryRunCharges = async (
  client: Client,
  { since, lookback = exportTable.lookback.default, sweep = '30d', pageSize }: SyncFlags,
  { terminal }: CommandRun,
): Promise<Ending> => {
  const counting = countingOf(client, terminal.timer)
  const all = await counting.rows({ from: since, pageSize })
  if (E.isLeft(all)) return failureEnding(all.left)
  const from = fromDate(new Date(terminal.timer.now() - lookback))
  const recent = await counting.rows({ from, pageSize })
  if (E.isLeft(recent)) return failureEnding(recent.left)
  const open = await counting.open()
  if (E.isLeft(open)) return failureEnding(open.left)
  const upkeep = counting.inTurn(open.right.requests + PROOF)
  const swept = counting.inTurn(Math.ceil(sweptRows(all.right.rows, sweep) / PAGE_SIZE))
  const lists = `${listsText(open.right)}, ${PROOF} counts`
  return printed([
    `rows         ${roughly(all.right)}${number(all.right.rows)} (${plural(counting.probes(), 'request')} to count them)`,
    `first night  ${costText(sum(costOf(all.right), upkeep))}: all rows, ${lists}`,
    `later        ${costText(sum(costOf(recent.right), upkeep, swept))}: ${plural(recent.right.rows, 'row')} of the last ${spanText(lookback)}, ${lists}, ${sweepText(all.right.rows, sweep)}`,
    'more         where counts differ: 2 requests for each bisection step; up to 25 to find one missing row in a million',
  ])
}

/** Open charges, and the requests that list them. */
interface OpenCount {
  readonly rows: number
  readonly requests: number
}

/** Counts rows at the service, by few requests each. */
export const countingOf = ({ charges }: Client, timer: Pick<SchedulerLike, 'now'>) => {
  const began = timer.now()
  let probes = 0
  const rows = async ({
    from,
    status,
    pageSize = PAGE_SIZE,
  }: {
    readonly from?: string | undefined
    readonly status?: ChargeStatus
    readonly pageSize?: number | undefined
  }): Promise<E.Either<AnyFailure, SnapshotPlan>> => {
    const filter = { page_size: pageSize, ...withoutUndefined({ from_created_at: from, status }) }
    const plan = await firstValueFrom(charges.snapshot(filter).explain())
    if (E.isRight(plan)) probes += plan.right.probes
    return plan
  }
  return {
    rows,
    open: async (): Promise<E.Either<AnyFailure, OpenCount>> => {
      let all: OpenCount = { rows: 0, requests: 0 }
      for (const status of OPEN) {
        const plan = await rows({ status })
        if (E.isLeft(plan)) return plan
        const pages = Math.max(1, Math.ceil(plan.right.rows / PAGE_SIZE))
        all = { rows: all.rows + plan.right.rows, requests: all.requests + pages }
      }
      return E.right(all)
    },
    probes: () => probes,
    /** Requests one after the other, each as long as those that have counted. */
    inTurn: (requests: number): Cost => ({
      requests,
      ms: (requests * (timer.now() - began)) / Math.max(1, probes),
    }),
  }
}

export const listsText = ({ rows, requests }: OpenCount): string =>
  `${plural(requests, 'list')} of ${plural(rows, 'open charge')}`

/** Returns how many rows a sweep reads a night. */
export const sweptRows = (rows: number, sweep: Sweep): number => {
  if (sweep === 'off') return 0
  return sweep === 'now' || rows <= SWEPT_WHOLE ? rows : Math.ceil(rows / NIGHTS)
}

export const sweepText = (rows: number, sweep: Sweep): string =>
  sweep === 'off' ? 'no sweep' : `a sweep of ${plural(sweptRows(rows, sweep), 'row')}`

export const costOf = ({ requests = 0, seconds = 0 }: SnapshotPlan): Cost => ({
  requests,
  ms: seconds * 1_000,
})

// batches

/** Reads the list of batches. Resolves with what a sync of their items comes to. */
export const dryRunItems = async (
  { batchTransfers }: Client,
  { terminal }: CommandRun,
): Promise<Ending> => {
  const began = terminal.timer.now()
  let pages = 0
  let [batches, rows, items, open, openItems] = [0, 0, 0, 0, 0]
  for await (const page of batchTransfers.list().pages) {
    if (E.isLeft(page)) return failureEnding(page.left)
    pages++
    for (const batch of page.right.items) {
      if (E.isLeft(batch)) continue
      const { total_item_count, status } = batch.right
      const requests = Math.ceil(total_item_count / ITEMS)
      batches++
      rows += total_item_count
      items += requests
      if (finalBatchStatuses.some((final) => final === status)) continue
      open++
      openItems += Math.max(1, requests)
    }
  }
  const roundTrip = (terminal.timer.now() - began) / Math.max(1, pages)
  const cost = (requests: number) => costText({ requests, ms: requests * roundTrip })
  return printed([
    `rows         ${number(rows)} of ${number(batches)} ${batches === 1 ? 'batch' : 'batches'} (${plural(pages, 'request')} to count them)`,
    `first night  at most ${cost(pages + items + open)}: the list of batches, and the items of each`,
    `later        ${cost(pages + openItems)}: the list of batches, and the items of ${number(open)} that can still change`,
  ])
}

/** Items a page (interface, Limits). */
const ITEMS = 1_000

// lists that are replaced

/** A list by its pages, one after the other. */
interface PagedRows {
  readonly pages: AsyncIterable<E.Either<AnyFailure, { readonly items: ReadonlyArray<unknown> }>>
}

/** Reads a list, since none but charges can be counted. Resolves with what a sync that reads it `readings` times comes to. */
export const dryRunList = async (
  { pages }: PagedRows,
  { terminal }: CommandRun,
  readings = 1,
): Promise<Ending> => {
  const began = terminal.timer.now()
  let [requests, rows] = [0, 0]
  for await (const page of pages) {
    if (E.isLeft(page)) return failureEnding(page.left)
    requests++
    rows += page.right.items.length
  }
  const ms = terminal.timer.now() - began
  const cost = { requests: readings * requests, ms: readings * ms }
  return printed([
    `rows         ${number(rows)} (${plural(requests, 'request')} to count them)`,
    `each night   ${costText(cost)}: the whole list${readings === 1 ? '' : `, ${readings} times`}`,
  ])
}

// text

export const sum = (...costs: ReadonlyArray<Cost>): Cost => ({
  requests: costs.reduce((all, { requests }) => all + requests, 0),
  ms: costs.reduce((all, { ms }) => all + ms, 0),
})

const spanText = (ms: number): string =>
  ms >= DAY && ms % DAY === 0 ? plural(ms / DAY, 'day') : duration(ms)

export const costText = ({ requests, ms }: Cost): string =>
  `about ${plural(requests, 'request')}, ${duration(ms)}`

export const roughly = ({ precision }: SnapshotPlan): string =>
  precision === 'exact' || precision === 'given' ? '' : `${precision} `
