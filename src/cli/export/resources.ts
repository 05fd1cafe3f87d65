/** Lists that can be exported, with their filters and the way they are read. */
import { type Command, Option } from 'commander'
import type { Client } from '../../client/createClient.js'
import type { SnapshotFilter } from '../../client/snapshot.js'
import type { BatchItem, BatchItemFilter } from '../../codec/BatchItem.js'
import { type BatchFilter, BatchStatus, type BatchTransfer } from '../../codec/BatchTransfer.js'
import { type Charge, ChargeStatus } from '../../codec/Charge.js'
import { toMillis } from '../../codec/times.js'
import type { Webhook } from '../../codec/Webhook.js'
import type { ExportSource, PlannedSource } from '../../export/index.js'
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
import { GROUP } from '../help.js'
import { currencyCode, integer, nonEmpty, timestamp } from '../optionParsers.js'
import { UsageError } from '../output.js'
import type { Terminal } from '../Terminal.js'

/** Data that a sandbox has from the start. */
export interface Simulated {
  /** The sandbox option that sets the number. */
  readonly noun: 'charges' | 'batches'
  /** The default number. */
  readonly count: number
  readonly most: number
}

/** Returns the sandbox options for its initial data. */
export const sandboxData = (simulated: Simulated | undefined, rows?: number): SandboxOptions =>
  simulated === undefined ? {} : { [simulated.noun]: rows ?? simulated.count }

export interface ExportableList<A, Flags, Filter> {
  /** Its name on the command line, such as `batch-transfers`. */
  readonly name: string
  readonly description: string
  readonly withFilters: (command: Command, now: IO<number>) => Command
  readonly withConnection: (command: Command) => Command
  /** The data in the command's own sandbox, if any. */
  readonly simulated?: Simulated
  /** The settings that `connection` requires. */
  readonly needed: ReadonlyArray<SettingName>
  /** Returns the address and the credentials with which the list is read. */
  readonly connection: (flags: Flags, env: Terminal['env']) => Connection
  /** Returns the parameters of the list. Throws a `UsageError` for contradictory flags. */
  readonly filter: (flags: Flags) => Filter
  /** True if it is listed by time of creation, and therefore supports `--parallel`. */
  readonly isTimed?: boolean
  /** True if it is small and its pages shift when a row is deleted. */
  readonly untilStable?: boolean
  /** `parallel`: number of concurrent requests, where supported. Default: enough to use the full rate limit. */
  readonly source: (
    client: Client,
    filter: Filter,
    parallel?: number,
  ) => ExportSource<A> & PlannedSource
}

const statuses = (command: Command, keys: object): Command =>
  command.addOption(new Option('--status <status>', 'with this status').choices(Object.keys(keys)))

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
  description: 'Export all matching charges that were created before the export starts.',
  simulated: { noun: 'charges', count: 100_000, most: 2 ** 31 },
  isTimed: true,
  withFilters: (command, now) =>
    statuses(
      command
        .option(
          '--from <time>',
          'created at or after: 2026-01-31, yesterday, 24h (ago)',
          timestamp('00:00:00', now),
        )
        .option('--to <time>', 'created at or before this time [now]', timestamp('23:59:59', now)),
      ChargeStatus.keys,
    )
      .option('--currency <code>', 'in this currency, such as USD', currencyCode)
      .option('--source <id>', 'from this connected account', nonEmpty)
      .option('--request-id <id>', 'with this request_id', nonEmpty)
      .addOption(
        new Option('--page-size <n>', 'rows per request, 10 to 2000')
          .helpGroup(GROUP.speed)
          .argParser(integer(10, 2_000))
          .default(2_000),
      ),
  withConnection: addConnectionOptions,
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

/** Shared by both lists, because ids of one list are used with the other. */
const batches: Simulated = { noun: 'batches', count: 100, most: 1_000_000 }

interface BatchFlags extends ConnectionFlags {
  readonly status?: BatchStatus
  readonly requestId?: string
  readonly shortReferenceId?: string
}

export const batchTransfers: ExportableList<BatchTransfer, BatchFlags, BatchFilter> = {
  name: 'batch-transfers',
  description: 'Export batch transfers.',
  simulated: batches,
  withFilters: (command) =>
    statuses(command, BatchStatus.keys)
      .option('--request-id <id>', 'with this request_id', nonEmpty)
      .option('--short-reference-id <id>', 'with this short_reference_id', nonEmpty),
  withConnection: addConnectionOptions,
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
  description: 'Export the items of one batch transfer.',
  simulated: batches,
  withFilters: (command) =>
    command.requiredOption('--batch <id>', 'id of the batch (required)', nonEmpty),
  withConnection: addConnectionOptions,
  needed: REQUIRED_SETTINGS,
  connection: connectionFrom,
  filter: ({ batch }) => ({ id: batch }),
  source: ({ batchTransfers }, filter) => batchTransfers.items(filter),
}

// webhooks

export const webhooks: ExportableList<Webhook, ConnectionFlags, object> = {
  name: 'webhooks',
  description: 'Export webhooks, without their secrets.',
  withFilters: (command) => command,
  withConnection: addConnectionOptions,
  needed: REQUIRED_SETTINGS,
  connection: connectionFrom,
  filter: () => ({}),
  source: ({ webhooks }) => webhooks.list(),
}

export const partnerWebhooks: ExportableList<Webhook, PartnerFlags, object> = {
  name: 'partner-webhooks',
  description: 'Export the webhooks of a partner’s application, without their secrets.',
  withFilters: (command) => command,
  withConnection: addPartnerOptions,
  needed: REQUIRED_PARTNER_SETTINGS,
  connection: partnerConnectionFrom,
  filter: () => ({}),
  untilStable: true,
  source: ({ partnerWebhooks }) => partnerWebhooks.list(),
}
