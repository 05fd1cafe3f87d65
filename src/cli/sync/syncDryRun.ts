/** `sync --dry-run`: what the first night costs, and each one after it. Nothing is written. */
import { firstValueFrom } from 'rxjs'
import { openStatuses } from '../../changes/ChangeState.js'
import { PAGE_SIZE } from '../../changes/Ledger.js'
import { SWEPT_WHOLE } from '../../changes/proof/sweep.js'
import type { Client } from '../../client/createClient.js'
import type { SnapshotPlan } from '../../client/explainSnapshot.js'
import { finalBatchStatuses } from '../../codec/BatchTransfer.js'
import { finalChargeStatuses } from '../../codec/Charge.js'
import { fromDate } from '../../codec/Instant.js'
import { exportTable } from '../../export/ExportOptions.js'
import { NIGHTS } from '../../export/sync/proveRows.js'
import { E } from '../../fp.js'
import type { AnyFailure } from '../../http/Failure.js'
import { DAY, duration, number, plural } from '../../report/text.js'
import { isFinal, withAdvice } from '../export/conclusion.js'
import { EXIT_COMPLETE, EXIT_INCOMPLETE, EXIT_USAGE } from '../output.js'
import type { CommandRun, Ending } from '../runCommand.js'
import type { SyncFlags } from './syncFlags.js'

// model

/** Requests, and how long they take, in ms. */
interface Cost {
  readonly requests: number
  readonly ms: number
}

/** Requests of a proof of equal counts: eight stretches of all rows and of each final status, and the bounds of a filter. */
const PROOF = 8 * (1 + finalChargeStatuses.length) + 4

const NOTHING_WRITTEN = 'nothing was written'

// charges

/** Counts the charges, and those of the last days. Resolves with what a sync of them comes to. */
export const dryRunCharges = async (
  { charges }: Client,
  {
    since,
    lookback = exportTable.lookback.default,
    sweep = '30d',
    pageSize = PAGE_SIZE,
  }: SyncFlags,
  { terminal }: CommandRun,
): Promise<Ending> => {
  const counted = (from: string | undefined) =>
    firstValueFrom(
      charges
        .snapshot({ page_size: pageSize, ...(from === undefined ? {} : { from_created_at: from }) })
        .explain(),
    )
  const began = terminal.timer.now()
  const all = await counted(since)
  if (E.isLeft(all)) return refused(all.left)
  const recent = await counted(fromDate(new Date(began - lookback)))
  if (E.isLeft(recent)) return refused(recent.left)
  const probes = all.right.probes + recent.right.probes
  const roundTrip = (terminal.timer.now() - began) / Math.max(1, probes)
  /** One request after the other. */
  const inTurn = (requests: number): Cost => ({ requests, ms: requests * roundTrip })
  const upkeep = inTurn(openStatuses.length + PROOF)
  const { rows } = all.right
  const sweptRows =
    sweep === 'off' ? 0 : sweep === 'now' || rows <= SWEPT_WHOLE ? rows : Math.ceil(rows / NIGHTS)
  const swept = inTurn(Math.ceil(sweptRows / PAGE_SIZE))
  const first = sum(costOf(all.right), upkeep)
  const later = sum(costOf(recent.right), upkeep, swept)
  return printed([
    `rows         ${roughly(all.right)}${number(rows)} (${plural(probes, 'request')} to count them)`,
    `first night  ${costText(first)}: all rows, ${upkeepText}`,
    `later        ${costText(later)}: ${number(recent.right.rows)} rows of the last ${spanText(lookback)}, ${upkeepText}, ${
      sweptRows === 0 ? 'no sweep' : `a sweep of ${plural(sweptRows, 'row')}`
    }`,
    'more         where counts differ: 2 requests for each halving, up to 25 for a row that is missing of a million',
  ])
}

const upkeepText = `${openStatuses.length} lists of open charges, ${PROOF} counts`

const costOf = ({ requests = 0, seconds = 0 }: SnapshotPlan): Cost => ({
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
    if (E.isLeft(page)) return refused(page.left)
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

// text

const printed = (lines: ReadonlyArray<string>): Ending => ({
  status: EXIT_COMPLETE,
  summary: [...lines, NOTHING_WRITTEN].join('\n'),
})

const refused = (failure: AnyFailure): Ending => ({
  status: isFinal(failure) ? EXIT_USAGE : EXIT_INCOMPLETE,
  reason: withAdvice(failure),
})

const sum = (...costs: ReadonlyArray<Cost>): Cost => ({
  requests: costs.reduce((all, { requests }) => all + requests, 0),
  ms: costs.reduce((all, { ms }) => all + ms, 0),
})

const spanText = (ms: number): string =>
  ms >= DAY && ms % DAY === 0 ? plural(ms / DAY, 'day') : duration(ms)

const costText = ({ requests, ms }: Cost): string =>
  `about ${plural(requests, 'request')}, ${duration(ms)}`

const roughly = ({ precision }: SnapshotPlan): string =>
  precision === 'exact' || precision === 'given' ? '' : `${precision} `
