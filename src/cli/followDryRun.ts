/** `follow --dry-run`: what the start, each poll and each proof cost. Nothing is written. */
import { PAGE_SIZE } from '../changes/Ledger.js'
import type { Client } from '../client/createClient.js'
import { fromDate } from '../codec/Instant.js'
import type { Sweep } from '../export/sync/SyncOptions.js'
import { E } from '../fp.js'
import { DAY, duration, number, percent, plural } from '../report/text.js'
import { failureEnding } from './export/conclusion.js'
import { printed } from './export/dryRun.js'
import type { CommandRun, Ending } from './runCommand.js'
import {
  costOf,
  costText,
  countingOf,
  listsText,
  PROOF,
  roughly,
  sum,
  sweepText,
  sweptRows,
} from './sync/syncDryRun.js'

interface FollowDryRun {
  /** From one poll to the next, in ms. */
  readonly every: number
  readonly since?: string | undefined
  readonly sweep?: Sweep | undefined
  /** True if a table is kept. */
  readonly isTable: boolean
}

/** The whole lookback that a stream begins with, in ms. */
const HOUR = 3_600_000

/** Counts charges. Resolves with what it comes to to follow them. */
export const dryRunCharges = async (
  client: Client,
  { every, since, sweep = '30d', isTable }: FollowDryRun,
  { terminal }: CommandRun,
): Promise<Ending> => {
  const counting = countingOf(client, terminal.timer)
  const begins = isTable ? since : (since ?? fromDate(new Date(terminal.timer.now() - HOUR)))
  const all = await counting.rows({ from: begins })
  if (E.isLeft(all)) return failureEnding(all.left)
  const open = await counting.open()
  if (E.isLeft(open)) return failureEnding(open.left)
  const { rows, ceiling = 0, pageSize = 1 } = all.right
  const poll = 1 + open.right.requests
  const swept = Math.ceil(sweptRows(rows, sweep) / PAGE_SIZE)
  const proof = counting.inTurn(PROOF + swept)
  return printed([
    `rows    ${roughly(all.right)}${number(rows)} (${plural(counting.probes(), 'request')} to count them)`,
    `start   ${costText(sum(costOf(all.right), counting.inTurn(open.right.requests)))}`,
    pollText(poll, every, ceiling / pageSize),
    `        the newest charges, ${listsText(open.right)}; more for those that change meanwhile`,
    ...(isTable
      ? [`proof   ${costText(proof)} a day: ${PROOF} counts, ${sweepText(rows, sweep)}`]
      : []),
  ])
}

/** Reads the list of batches once. Resolves with what it comes to to follow them. */
export const dryRunBatches = async (
  { batchTransfers }: Client,
  { every }: Pick<FollowDryRun, 'every'>,
): Promise<Ending> => {
  let pages = 0
  let rows = 0
  for await (const page of batchTransfers.list().pages) {
    if (E.isLeft(page)) return failureEnding(page.left)
    pages++
    rows += page.right.items.length
  }
  const { ceiling = 0, pageSize = 1 } = batchTransfers.list().explain()
  return printed([
    `rows    ${number(rows)} (${plural(pages, 'request')} to count them)`,
    pollText(pages, every, ceiling / pageSize),
    '        the whole list, in pages of 50',
  ])
}

/** `perSecond`: requests that the limits allow. */
const pollText = (requests: number, every: number, perSecond: number): string => {
  const share = (requests * 1_000) / every / perSecond
  const limit =
    Number.isFinite(perSecond) && perSecond > 0 ? `, ${percent(share)} of the rate limit` : ''
  return `poll    ${plural(requests, 'request')} each ${duration(every)}: ${number(Math.round((requests * DAY) / every))} a day${limit}`
}
