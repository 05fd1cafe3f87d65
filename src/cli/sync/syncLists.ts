/** The lists that can be synced: how each is connected to, and read. */
import type { Command } from 'commander'
import type { ObservableInput } from 'rxjs'
import type { Client } from '../../client/createClient.js'
import { itemsOfAllBatches, type SyncOptions, sync } from '../../export/index.js'
import type { IO } from '../../fp.js'
import {
  addConnectionOptions,
  addPartnerOptions,
  type Connection,
  connectionFrom,
  partnerConnectionFrom,
} from '../connection.js'
import { batchTransfers, charges, type Simulated } from '../export/resources.js'
import { nonEmpty } from '../optionParsers.js'
import type { CommandRun, Ending } from '../runCommand.js'
import type { Terminal } from '../Terminal.js'
import { dryRunCharges, dryRunItems, dryRunList } from './syncDryRun.js'
import { type SyncFlags, withTimes } from './syncFlags.js'

// model

/** A list that can be synced. */
export interface SyncedList {
  readonly name: string
  readonly description: string
  /** The default name of its table. */
  readonly table: (flags: SyncFlags) => string
  readonly withOptions: (command: Command, now: IO<number>) => Command
  readonly connection: (flags: SyncFlags, env: Terminal['env']) => Connection
  readonly simulated?: Simulated | undefined
  /** True if it is listed by time, so that it has `--since` and the like. */
  readonly isTimed?: boolean
  readonly start: (
    client: Client,
    flags: SyncFlags,
    options: SyncOptions,
  ) => ReturnType<typeof sync>
  /** Emits what it comes to, and writes nothing. */
  readonly dryRun: (client: Client, flags: SyncFlags, run: CommandRun) => ObservableInput<Ending>
}

// lists

const account = { withOptions: addConnectionOptions, connection: connectionFrom }

export const lists: ReadonlyArray<SyncedList> = [
  {
    ...account,
    name: 'charges',
    description: 'New and changed charges.',
    table: () => 'charges',
    simulated: charges.simulated,
    isTimed: true,
    withOptions: (command, now) => withTimes(addConnectionOptions(command), now),
    start: ({ charges }, { pageSize = 2_000 }, options) =>
      sync(
        {
          snapshot: (filter) => charges.snapshot({ page_size: pageSize, ...filter }),
          ledger: charges.ledger,
        },
        options,
      ),
    dryRun: dryRunCharges,
  },
  {
    ...account,
    name: 'batch-transfers',
    description: 'Batches of transfers, replaced completely.',
    table: () => 'batch_transfers',
    simulated: batchTransfers.simulated,
    start: (client, _, options) => sync(client.batchTransfers.list(), options),
    dryRun: ({ batchTransfers }, _, run) => dryRunList(batchTransfers.list(), run),
  },
  {
    ...account,
    name: 'batch-items',
    description:
      'Items of all batches: of those that can still change each time, of the others once.',
    table: ({ batch }) => (batch === undefined ? 'batch_items' : 'batch_transfers_items'),
    simulated: batchTransfers.simulated,
    withOptions: (command) =>
      addConnectionOptions(command).option(
        '--batch <id>',
        'only the items of this batch, replaced completely',
        nonEmpty,
      ),
    start: (client, { batch }, options) =>
      batch === undefined
        ? sync(itemsOfAllBatches(client), options)
        : sync(client.batchTransfers.items({ id: batch }), options),
    dryRun: (client, { batch }, run) =>
      batch === undefined
        ? dryRunItems(client, run)
        : dryRunList(client.batchTransfers.items({ id: batch }), run),
  },
  {
    ...account,
    name: 'webhooks',
    description: 'Webhooks, without their secrets, replaced completely.',
    table: () => 'webhooks',
    start: (client, _, options) => sync(client.webhooks.list(), options),
    dryRun: ({ webhooks }, _, run) => dryRunList(webhooks.list(), run),
  },
  {
    withOptions: addPartnerOptions,
    connection: partnerConnectionFrom,
    name: 'partner-webhooks',
    description: 'Webhooks of a partner’s application, without their secrets, replaced completely.',
    table: () => 'partner_api_webhooks',
    start: (client, _, options) =>
      sync(client.partnerWebhooks.list(), { ...options, untilStable: true }),
    dryRun: ({ partnerWebhooks }, _, run) => dryRunList(partnerWebhooks.list(), run, 2), // until two readings agree
  },
]
