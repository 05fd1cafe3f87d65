import { R } from '../fp.js'
import { login } from './authentication.js'
import { batchTransfers } from './batchTransfers.js'
import { charges } from './charges.js'
import { type AnyEndpoint, untyped } from './Endpoint.js'
import { partnerWebhooks } from './partnerWebhooks.js'
import { reference } from './reference.js'
import { webhooks } from './webhooks.js'

/** The tables of the interface, under the names callers use. */
export const api = { charges, batchTransfers, reference, webhooks, partnerWebhooks }

/** The same, as a type. */
export type Api = typeof api

/** The same, for what walks all of it. */
export const tables: Readonly<Record<keyof Api, Readonly<Record<string, AnyEndpoint>>>> = {
  charges: R.map(untyped)(api.charges),
  batchTransfers: R.map(untyped)(api.batchTransfers),
  reference: R.map(untyped)(api.reference),
  webhooks: R.map(untyped)(api.webhooks),
  partnerWebhooks: R.map(untyped)(api.partnerWebhooks),
}

/** Every row, the login among them. */
export const rows: ReadonlyArray<AnyEndpoint> = [
  untyped(login),
  ...Object.values(tables).flatMap(Object.values<AnyEndpoint>),
]
