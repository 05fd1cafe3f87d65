import { authentication } from './authentication.js'
import { batchTransfers } from './batchTransfers.js'
import { charges } from './charges.js'
import type { Example } from './Example.js'
import { reference } from './reference.js'
import { partnerWebhooks, webhooks } from './webhooks.js'

/** One for each call of the interface. */
export const examples: ReadonlyArray<Example> = [
  ...authentication,
  ...charges,
  ...batchTransfers,
  ...reference,
  ...webhooks,
  ...partnerWebhooks,
]
