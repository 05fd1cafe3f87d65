/** State of a sandbox, which is plain and mutable. Handlers validate first and then write; there is no rollback. */
import type { NewWebhook } from '../codec/Webhook.js'
import { generatedBatch, generatedBatches, type SandboxBatch } from './batches/Batch.js'
import { Collection, type CollectionItem } from './Collection.js'
import type { CreatedCharge } from './data/createdCharges.js'
import { type GeneratedCharges, generatedCharges } from './data/generatedCharges.js'
import type { QuotaOrder } from './data/orders.js'
import type { Settings } from './options.js'

export interface SandboxStore {
  /** When the sandbox was created, in ms since 1970. */
  readonly began: number
  /** Number of tokens issued. Tokens are numbered from 0. */
  tokensIssued: number
  /** Tokens with a lower number are revoked. */
  tokensRevokedBelow: number
  readonly generatedCharges: GeneratedCharges
  readonly createdCharges: Collection<CreatedCharge>
  /** Number of charges created by automatic arrivals. */
  arrivedCharges: number
  readonly batches: Collection<SandboxBatch>
  /** Number of batches created by automatic arrivals. */
  arrivedBatches: number
  /** Uploaded orders, which raise limits. */
  readonly orders: Array<QuotaOrder>
  readonly webhooks: Collection<StoredWebhook>
  readonly partnerWebhooks: Collection<StoredWebhook>
}

export interface StoredWebhook extends CollectionItem {
  readonly params: NewWebhook
  readonly url: string
  /** Accounts and organizations whose events a partner's webhook receives. */
  readonly accounts: ReadonlyArray<string>
  /** Time of creation, in ms since 1970. */
  readonly createdAt: number
  readonly updatedAt: number
}

export const createStore = (settings: Settings): SandboxStore => ({
  began: settings.now(),
  tokensIssued: 0,
  tokensRevokedBelow: 0,
  generatedCharges: generatedCharges(settings),
  createdCharges: new Collection(),
  arrivedCharges: 0,
  batches: new Collection(generatedBatches(settings)),
  arrivedBatches: 0,
  orders: [],
  webhooks: new Collection(),
  partnerWebhooks: new Collection(),
})

/** Adds the charges and batches that have arrived automatically until now, so that the pages of lists shift. */
export const addArrivals = (store: SandboxStore, now: number, settings: Settings): void => {
  const { began, createdCharges, generatedCharges, batches } = store
  const { arrivals, batchArrivals } = settings
  const due = (every: number): number => (every > 0 ? Math.floor((now - began) / every) : 0)
  while (store.arrivedCharges < due(arrivals)) {
    const n = createdCharges.next
    const at = began + ++store.arrivedCharges * arrivals
    createdCharges.add({ ...generatedCharges.arrival(generatedCharges.count + n), n, at })
  }
  while (store.arrivedBatches < due(batchArrivals)) {
    const at = began + ++store.arrivedBatches * batchArrivals
    batches.add(generatedBatch(batches.next, at, settings))
  }
}

/** Returns the time of the next automatic arrival, in ms since 1970; `undefined` if there is none. */
export const nextArrival = (store: SandboxStore, settings: Settings): number | undefined => {
  const times = [
    { every: settings.arrivals, arrived: store.arrivedCharges },
    { every: settings.batchArrivals, arrived: store.arrivedBatches },
  ].flatMap(({ every, arrived }) => (every > 0 ? [store.began + (arrived + 1) * every] : []))
  return times.length === 0 ? undefined : Math.min(...times)
}
