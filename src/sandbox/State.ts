/** What the account holds besides the charges that were there from the start. */
import type { MadeCharge } from './account/made.js'
import type { Batch } from './batches/Batch.js'
import { batchesThere } from './batches/there.js'
import { type Register, register } from './Register.js'
import type { Order } from './reference/Order.js'
import type { Settings } from './settings.js'
import { type Table, table } from './Table.js'
import type { Hook } from './webhooks/Hook.js'

export interface State {
  /** How many tokens were issued; their numbers count from 0. */
  readonly issued: number
  /** Tokens with a lower number were revoked. */
  readonly revokedBelow: number
  /** Charges that came later, in order of creation, by `request_id`. */
  readonly made: Table<MadeCharge>
  /** How many of them came by themselves. */
  readonly arrived: number
  readonly batches: Register<Batch>
  /** How many of them came by themselves. */
  readonly arrivedBatches: number
  /** Orders that raise limits, as they were uploaded. */
  readonly orders: ReadonlyArray<Order>
  readonly webhooks: Register<Hook>
  readonly partnerWebhooks: Register<Hook>
}

/** What it holds at first. */
export const initial = (settings: Settings): State => ({
  issued: 0,
  revokedBelow: 0,
  made: table((made) => made.request_id),
  arrived: 0,
  batches: batchesThere(settings),
  arrivedBatches: 0,
  orders: [],
  webhooks: register(),
  partnerWebhooks: register(),
})
