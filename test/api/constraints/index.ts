import { batchTransfers } from './batchTransfers.js'
import type { Constraint } from './Constraint.js'
import { charges } from './charges.js'
import { batchItems } from './items.js'
import { reference } from './reference.js'
import { webhooks } from './webhooks.js'

export type { Constraint }

export const constraints: ReadonlyArray<Constraint> = [
  ...charges,
  ...batchTransfers,
  ...batchItems,
  ...reference,
  ...webhooks,
]
