/** What can be exported. */

import { type Command, Option } from 'commander'
import { api } from '../../api/index.js'
import type { Position } from '../../api/Paging.js'
import type { SnapshotFilter } from '../../client/snapshot.js'
import { BatchItem, type BatchItemFilter } from '../../codec/BatchItem.js'
import { type BatchFilter, BatchStatus, BatchTransfer } from '../../codec/BatchTransfer.js'
import { Charge, ChargeStatus } from '../../codec/Charge.js'
import { toMillis } from '../../codec/times.js'
import { Webhook } from '../../codec/Webhook.js'
import { fromList, fromSnapshot } from '../../export/index.js'
import { defined } from '../../fp.js'
import type { AnyFailure } from '../../http/Failure.js'
import type { Page, SnapshotPage, SnapshotPosition } from '../../stream/index.js'
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
import type { Resource, Simulated } from './Resource.js'
import { settled } from './settled.js'
import { withoutSecret } from './withoutSecret.js'

// model

interface ListResource<A, Flags, Filter>
  extends Resource<A, Position, Page<AnyFailure, A, Position>, Flags, Filter> {}

const statuses = (command: Command, what: string, keys: object): Command =>
  command.addOption(
    new Option('--status <status>', `only ${what} in it`).choices(Object.keys(keys)),
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

export const charges: Resource<
  Charge,
  SnapshotPosition,
  SnapshotPage<AnyFailure, Charge>,
  ChargeFlags,
  SnapshotFilter
> = {
  name: 'charges',
  description: 'Charges, as they stand when the export begins: every one that passes the filters.',
  codec: Charge,
  simulated: { what: 'charges', count: 100_000, most: 2 ** 31 },
  since: (from, filter) => ({ ...filter, from_created_at: from }),
  withOptions: (command) =>
    statuses(
      addConnectionOptions(command)
        .option('--from <time>', 'created at this time or later', timestamp('00:00:00'))
        .option('--to <time>', 'created at this time or earlier [now]', timestamp('23:59:59')),
      'charges',
      ChargeStatus.keys,
    )
      .option('--currency <code>', 'only charges in it, such as USD', currencyCode)
      .option('--source <id>', 'only charges of this account', nonEmpty)
      .option('--request-id <id>', 'only the charge that was made with it', nonEmpty)
      .option('--page-size <n>', 'rows a request, 10 to 2000', integer(10, 2_000), 2_000),
  needed: REQUIRED_SETTINGS,
  connection: connectionFrom,
  filter: ({ from, to, status, currency, source, requestId, pageSize }) => {
    if (from !== undefined && to !== undefined && toMillis(from) > toMillis(to)) {
      throw new UsageError('--from should not be later than --to')
    }
    return {
      page_size: pageSize,
      ...defined({
        from_created_at: from,
        to_created_at: to,
        status,
        currency,
        source,
        request_id: requestId,
      }),
    }
  },
  source: ({ charges }, filter, requests) =>
    fromSnapshot(charges.snapshot(filter).parallel(requests)),
}

// batches and their items

/** The same for both: an id of the one is asked for in the other. */
const batches: Simulated = { what: 'batches', count: 100, most: 1_000_000 }

interface BatchFlags extends ConnectionFlags {
  readonly status?: BatchStatus
  readonly requestId?: string
  readonly shortReferenceId?: string
}

export const batchTransfers: ListResource<BatchTransfer, BatchFlags, BatchFilter> = {
  name: 'batch-transfers',
  description: 'Batches of transfers.',
  codec: BatchTransfer,
  simulated: batches,
  withOptions: (command) =>
    statuses(addConnectionOptions(command), 'batches', BatchStatus.keys)
      .option('--request-id <id>', 'only the batch that was made with it', nonEmpty)
      .option('--short-reference-id <id>', 'only the batch that has it', nonEmpty),
  needed: REQUIRED_SETTINGS,
  connection: connectionFrom,
  filter: ({ status, requestId, shortReferenceId }) =>
    defined({ status, request_id: requestId, short_reference_id: shortReferenceId }),
  source: ({ batchTransfers }, filter) => fromList(batchTransfers.list(filter)),
}

interface ItemFlags extends ConnectionFlags {
  readonly batch: string
}

export const batchItems: ListResource<BatchItem, ItemFlags, BatchItemFilter> = {
  name: 'batch-items',
  description: 'The items of one batch of transfers.',
  codec: BatchItem,
  simulated: batches,
  withOptions: (command) =>
    addConnectionOptions(command).requiredOption('--batch <id>', 'the batch', nonEmpty),
  needed: REQUIRED_SETTINGS,
  connection: connectionFrom,
  filter: ({ batch }) => ({ id: batch }),
  source: ({ batchTransfers }, filter) => fromList(batchTransfers.items(filter)),
}

// webhooks

export const webhooks: ListResource<Webhook, ConnectionFlags, object> = {
  name: 'webhooks',
  description: 'Webhooks, without their secrets.',
  codec: Webhook,
  hasSecret: true,
  withOptions: addConnectionOptions,
  needed: REQUIRED_SETTINGS,
  connection: connectionFrom,
  filter: () => ({}),
  source: ({ webhooks }) => fromList(withoutSecret(webhooks.list())),
}

export const partnerWebhooks: ListResource<Webhook, PartnerFlags, object> = {
  name: 'partner-webhooks',
  description: 'Webhooks of a partner’s application, without their secrets.',
  codec: Webhook,
  hasSecret: true,
  withOptions: addPartnerOptions,
  needed: REQUIRED_PARTNER_SETTINGS,
  connection: partnerConnectionFrom,
  filter: () => ({}),
  source: ({ partnerWebhooks }) =>
    fromList(withoutSecret(settled(api.partnerWebhooks.list.route, partnerWebhooks.list()))),
}
