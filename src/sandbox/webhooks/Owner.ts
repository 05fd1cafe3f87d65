/** Whose webhooks they are: the account's, or a partner's. */

import { type ApiError, apiError } from '../ApiError.js'
import type { Collection } from '../Collection.js'
import type { Kind } from '../ids.js'
import type { Store } from '../Store.js'
import type { StoredWebhook } from './StoredWebhook.js'

// model

/** Whose webhooks they are. */
export interface Owner {
  readonly kind: Kind
  readonly of: (state: Store) => Collection<StoredWebhook>
  readonly with: (state: Store, hooks: Collection<StoredWebhook>) => Store
  /** How a `request_id` that was used before is refused. */
  readonly repeated: ApiError
}

// constructors

const repeated = (status: number, code: string): ApiError =>
  apiError(status, code, 'A webhook with this request_id was made before.', 'request_id')

export const account: Owner = {
  kind: 'webhook',
  of: ({ webhooks }) => webhooks,
  with: (state, webhooks) => ({ ...state, webhooks }),
  repeated: repeated(409, 'already_exists'),
}

export const partner: Owner = {
  kind: 'partner webhook',
  of: ({ partnerWebhooks }) => partnerWebhooks,
  with: (state, partnerWebhooks) => ({ ...state, partnerWebhooks }),
  // partners have no 409 (interface, Errors)
  repeated: repeated(400, 'request_id_duplicate'),
}
