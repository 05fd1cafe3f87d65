/** What the account holds besides the charges that were there from the start. */
import type { MadeCharge } from './account/CreatedCharge.js'
import type { Batch } from './batches/Batch.js'
import { batchesThere } from './batches/generatedBatches.js'
import { type Collection, collection } from './Collection.js'
import type { Order } from './reference/Order.js'
import type { Settings } from './settings.js'
import { type Table, table } from './Table.js'
import type { StoredWebhook } from './webhooks/StoredWebhook.js'

export interface Store {
  /** How many tokens were issued; their numbers count from 0. */
  readonly issued: number
  /** Tokens with a lower number were revoked. */
  readonly revokedBelow: number
  /** Charges that came later, in order of creation, by `request_id`. */
  readonly made: Table<MadeCharge>
  /** How many of them came by themselves. */
  readonly arrived: number
  readonly batches: Collection<Batch>
  /** How many of them came by themselves. */
  readonly arrivedBatches: number
  /** Orders that raise limits, as they were uploaded. */
  readonly orders: ReadonlyArray<Order>
  readonly webhooks: Collection<StoredWebhook>
  readonly partnerWebhooks: Collection<StoredWebhook>
}

/** What it holds at first. */
export const initial = (settings: Settings): Store => ({
  issued: 0,
  revokedBelow: 0,
  made: table((made) => made.request_id),
  arrived: 0,
  batches: batchesThere(settings),
  arrivedBatches: 0,
  orders: [],
  webhooks: collection(),
  partnerWebhooks: collection(),
})
