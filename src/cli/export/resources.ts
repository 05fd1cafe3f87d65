/** The lists that can be exported: how each is narrowed, and how it is read. */
import { type Command, Option } from 'commander'
import type { Client } from '../../client/createClient.js'
import type { SnapshotFilter } from '../../client/snapshot.js'
import type { BatchItem, BatchItemFilter } from '../../codec/BatchItem.js'
import { type BatchFilter, BatchStatus, type BatchTransfer } from '../../codec/BatchTransfer.js'
import { type Charge, ChargeStatus } from '../../codec/Charge.js'
import { toMillis } from '../../codec/times.js'
import type { Webhook } from '../../codec/Webhook.js'
import type { ExportSource } from '../../export/index.js'
import { type IO, withoutUndefined } from '../../fp.js'
import type { SandboxOptions } from '../../sandbox/index.js'
import type { Connection, SettingName } from '../connection.js'
import {
  addConnectionOptions,
  addPartnerOptions,
  type ConnectionFlags,
  connectionFrom,
  type PartnerFlags,
  partnerConnectionFrom,
  REQUIRED_PARTNER_SETTINGS,
  REQUIRED_SETTINGS,
} from '../connection.js'
import { currencyCode, integer, nonEmpty, timestamp } from '../optionParsers.js'
import { UsageError } from '../output.js'
import type { Terminal } from '../Terminal.js'
import type { Explained } from './dryRun.js'

// model

/** Data that a sandbox has from the start. */
export interface Simulated {
  /** The option of the sandbox that says how many. */
  readonly noun: 'charges' | 'batches'
  /** The default. */
  readonly count: number
  readonly most: number
}

/** Returns what a sandbox has from the start. */
export const sandboxData = (simulated: Simulated | undefined, rows?: number): SandboxOptions =>
  simulated === undefined ? {} : { [simulated.noun]: rows ?? simulated.count }

/** A list that can be exported. */
export interface ExportableList<A, Flags, Filter> {
  /** Its name on the command line: `batch-transfers`. */
  readonly name: string
  readonly description: string
  readonly withOptions: (command: Command, now: IO<number>) => Command
  /** How many a sandbox of the command's own has, where it has any. */
  readonly simulated?: Simulated
  /** The settings that `connection` requires. */
  readonly needed: ReadonlyArray<SettingName>
  /** The address and the credentials to read it with. */
  readonly connection: (flags: Flags, env: Terminal['env']) => Connection
  /** The parameters of the list. Throws a `UsageError` where flags contradict each other. */
  readonly filter: (flags: Flags) => Filter
  /** True if it is listed by times of creation, so that it has `--since-last` and `--parallel`. */
  readonly isTimed?: boolean
  /** True if it is small, and its pages move when a row is deleted. */
  readonly untilStable?: boolean
  /** `parallel`: concurrent requests, where supported. Default: enough to use the full rate limit. */
  readonly source: (
    client: Client,
    filter: Filter,
    parallel?: number,
  ) => ExportSource<A> & Explained
}

const statuses = (command: Command, noun: string, keys: object): Command =>
  command.addOption(
    new Option('--status <status>', `only ${noun} in this status`).choices(Object.keys(keys)),
  )

// charges

export interface ChargeFlags extends ConnectionFlags {
  readonly from?: string
  readonly to?: string
  readonly status?: ChargeStatus
  readonly currency?: string
  readonly source?: string
  readonly requestId?: string
  readonly pageSize: number
}

export const charges: ExportableList<Charge, ChargeFlags, SnapshotFilter> = {
  name: 'charges',
  description:
    'Charges as they were when the export began: a snapshot of all that pass the filters.',
  simulated: { noun: 'charges', count: 100_000, most: 2 ** 31 },
  isTimed: true,
  withOptions: (command, now) =>
    statuses(
      addConnectionOptions(command)
        .option(
          '--from <time>',
          'created at or after this time, such as 2026-01-31, yesterday or 24h (ago)',
          timestamp('00:00:00', now),
        )
        .option('--to <time>', 'created at or before this time [now]', timestamp('23:59:59', now)),
      'charges',
      ChargeStatus.keys,
    )
      .option('--currency <code>', 'only charges in this currency, such as USD', currencyCode)
      .option('--source <id>', 'only charges of this account', nonEmpty)
      .option('--request-id <id>', 'only the charge with this request_id', nonEmpty)
      .option('--page-size <n>', 'rows per request, 10 to 2000', integer(10, 2_000), 2_000),
  needed: REQUIRED_SETTINGS,
  connection: connectionFrom,
  filter: ({ from, to, status, currency, source, requestId, pageSize }) => {
    if (from !== undefined && to !== undefined && toMillis(from) > toMillis(to)) {
      throw new UsageError('--from should not be later than --to')
    }
    return {
      page_size: pageSize,
      ...withoutUndefined({
        from_created_at: from,
        to_created_at: to,
        status,
        currency,
        source,
        request_id: requestId,
      }),
    }
  },
  source: ({ charges }, filter, parallel) => charges.snapshot(filter).parallel(parallel),
}

// batches and their items

/** Shared by both lists: an id of the one is asked for in the other. */
const batches: Simulated = { noun: 'batches', count: 100, most: 1_000_000 }

interface BatchFlags extends ConnectionFlags {
  readonly status?: BatchStatus
  readonly requestId?: string
  readonly shortReferenceId?: string
}

export const batchTransfers: ExportableList<BatchTransfer, BatchFlags, BatchFilter> = {
  name: 'batch-transfers',
  description: 'Batches of transfers.',
  simulated: batches,
  withOptions: (command) =>
    statuses(addConnectionOptions(command), 'batches', BatchStatus.keys)
      .option('--request-id <id>', 'only the batch with this request_id', nonEmpty)
      .option('--short-reference-id <id>', 'only the batch with this short_reference_id', nonEmpty),
  needed: REQUIRED_SETTINGS,
  connection: connectionFrom,
  filter: ({ status, requestId, shortReferenceId }) =>
    withoutUndefined({ status, request_id: requestId, short_reference_id: shortReferenceId }),
  source: ({ batchTransfers }, filter) => batchTransfers.list(filter),
}

interface ItemFlags extends ConnectionFlags {
  readonly batch: string
}

export const batchItems: ExportableList<BatchItem, ItemFlags, BatchItemFilter> = {
  name: 'batch-items',
  description: 'Items of one batch of transfers.',
  simulated: batches,
  withOptions: (command) =>
    addConnectionOptions(command).requiredOption('--batch <id>', 'id of the batch', nonEmpty),
  needed: REQUIRED_SETTINGS,
  connection: connectionFrom,
  filter: ({ batch }) => ({ id: batch }),
  source: ({ batchTransfers }, filter) => batchTransfers.items(filter),
}

// webhooks

export const webhooks: ExportableList<Webhook, ConnectionFlags, object> = {
  name: 'webhooks',
  description: 'Webhooks, without their secrets.',
  withOptions: addConnectionOptions,
  needed: REQUIRED_SETTINGS,
  connection: connectionFrom,
  filter: () => ({}),
  source: ({ webhooks }) => webhooks.list(),
}

export const partnerWebhooks: ExportableList<Webhook, PartnerFlags, object> = {
  name: 'partner-webhooks',
  description: 'Webhooks of a partner’s application, without their secrets.',
  withOptions: addPartnerOptions,
  needed: REQUIRED_PARTNER_SETTINGS,
  connection: partnerConnectionFrom,
  filter: () => ({}),
  untilStable: true,
  source: ({ partnerWebhooks }) => partnerWebhooks.list(),
}
