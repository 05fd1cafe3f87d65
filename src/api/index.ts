import { R } from '../fp.js'
import { authentication } from './authentication.js'
import { batchTransfers } from './batchTransfers.js'
import { charges } from './charges.js'
import { type AnyEndpoint, untyped } from './Endpoint.js'
import { partnerWebhooks } from './partnerWebhooks.js'
import { reference } from './reference.js'
import { webhooks } from './webhooks.js'

// typed by name, because endpoints lose their comments in declarations that the compiler infers
/** All endpoints, by resource and the names that callers use. */
export const api: {
  /** Sessions. A client opens its own. */
  readonly authentication: typeof authentication
  /** Charges on connected accounts, credited to the platform's wallet. */
  readonly charges: typeof charges
  /** Batches of transfers that are paid with one deduction. */
  readonly batchTransfers: typeof batchTransfers
  /** Industries, currencies, limits and card ranges. */
  readonly reference: typeof reference
  /** Subscriptions to the events of this account. */
  readonly webhooks: typeof webhooks
  /** Subscriptions of an OAuth application to the events of accounts that authorized it. */
  readonly partnerWebhooks: typeof partnerWebhooks
} = { authentication, charges, batchTransfers, reference, webhooks, partnerWebhooks }

/** The type of `api`. */
export type Api = typeof api

/** All endpoints without their types, for code that iterates over them. */
export const tables: Readonly<Record<keyof Api, Readonly<Record<string, AnyEndpoint>>>> = {
  authentication: R.map(untyped)(api.authentication),
  charges: R.map(untyped)(api.charges),
  batchTransfers: R.map(untyped)(api.batchTransfers),
  reference: R.map(untyped)(api.reference),
  webhooks: R.map(untyped)(api.webhooks),
  partnerWebhooks: R.map(untyped)(api.partnerWebhooks),
}

/** Every endpoint. */
export const rows: ReadonlyArray<AnyEndpoint> = Object.values(tables).flatMap(
  Object.values<AnyEndpoint>,
)
