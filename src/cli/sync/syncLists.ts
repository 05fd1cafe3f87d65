/** Lists that can be synced, with the way to connect to each and to read it. */
import type { Command } from 'commander'
import type { Client } from '../../client/createClient.js'
import type { BatchItem } from '../../codec/BatchItem.js'
import {
  type ChildSource,
  type CountedSource,
  type ExplainOptions,
  type ExportSource,
  explainSync,
  itemsOfAllBatches,
  type SyncOptions,
  sync,
  type TimedSource,
} from '../../export/index.js'
import type { IO } from '../../fp.js'
import {
  addConnectionOptions,
  addPartnerOptions,
  type Connection,
  connectionFrom,
  partnerConnectionFrom,
} from '../connection.js'
import { batchTransfers, charges, type Simulated } from '../export/resources.js'
import { GROUP } from '../help.js'
import { nonEmpty } from '../optionParsers.js'
import type { Terminal } from '../Terminal.js'
import { type SyncFlags, withTimes } from './syncFlags.js'

export interface SyncedList {
  readonly name: string
  readonly description: string
  /** The default name of its table. */
  readonly table: (flags: SyncFlags) => string
  readonly withOptions: (command: Command, now: IO<number>) => Command
  readonly connection: (flags: SyncFlags, env: Terminal['env']) => Connection
  readonly simulated?: Simulated | undefined
  /** True if it is listed by time, and therefore supports options such as `--since`. */
  readonly isTimed?: boolean
  readonly start: (
    client: Client,
    flags: SyncFlags,
    options: SyncOptions,
  ) => ReturnType<typeof sync>
  readonly explain: (
    client: Client,
    flags: SyncFlags,
    options: ExplainOptions,
  ) => ReturnType<typeof explainSync>
}

/** Adapts a list for `sync` and `explainSync`. */
const synced = <A>(
  source: (
    client: Client,
    flags: SyncFlags,
  ) => (TimedSource<A> & CountedSource) | ExportSource<A> | ChildSource<A>,
  own: Pick<SyncOptions, 'untilStable'> = {},
): Pick<SyncedList, 'start' | 'explain'> => ({
  start: (client, flags, options) => sync(source(client, flags), { ...options, ...own }),
  explain: (client, flags, options) => explainSync(source(client, flags), { ...options, ...own }),
})

// lists

const account = { withOptions: addConnectionOptions, connection: connectionFrom }

export const lists: ReadonlyArray<SyncedList> = [
  {
    ...account,
    name: 'charges',
    description: 'Sync new and changed charges.',
    table: () => 'charges',
    simulated: charges.simulated,
    isTimed: true,
    withOptions: (command, now) => withTimes(addConnectionOptions(command), now),
    ...synced(({ charges }, { pageSize = 2_000 }) => ({
      snapshot: (filter) => charges.snapshot({ page_size: pageSize, ...filter }),
      ledger: charges.ledger,
    })),
  },
  {
    ...account,
    name: 'batch-transfers',
    description: 'Sync batch transfers. Each run reads all of them and replaces the previous ones.',
    table: () => 'batch_transfers',
    simulated: batchTransfers.simulated,
    ...synced(({ batchTransfers }) => batchTransfers.list()),
  },
  {
    ...account,
    name: 'batch-items',
    description:
      'Sync the items of all batches. Each run reads the batches that can still change; other batches are read once.',
    table: ({ batch }) => (batch === undefined ? 'batch_items' : 'batch_transfers_items'),
    simulated: batchTransfers.simulated,
    withOptions: (command) =>
      addConnectionOptions(command)
        .optionsGroup(GROUP.filters)
        .option(
          '--batch <id>',
          'sync only this batch: read all its items and replace the previous ones',
          nonEmpty,
        ),
    ...synced<BatchItem>((client, { batch }) =>
      batch === undefined ? itemsOfAllBatches(client) : client.batchTransfers.items({ id: batch }),
    ),
  },
  {
    ...account,
    name: 'webhooks',
    description:
      'Sync webhooks, without their secrets. Each run reads all of them and replaces the previous ones.',
    table: () => 'webhooks',
    ...synced(({ webhooks }) => webhooks.list()),
  },
  {
    withOptions: addPartnerOptions,
    connection: partnerConnectionFrom,
    name: 'partner-webhooks',
    description:
      'Sync the webhooks of a partner’s application, without their secrets. Each run reads all of them and replaces the previous ones.',
    table: () => 'partner_api_webhooks',
    ...synced(({ partnerWebhooks }) => partnerWebhooks.list(), { untilStable: true }),
  },
]
