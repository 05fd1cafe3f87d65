/** Whose webhooks they are: the account's, or a partner's. */
import type { Kind } from '../ids.js'
import { type Refusal, refusal } from '../Refusal.js'
import type { Register } from '../Register.js'
import type { State } from '../State.js'
import type { Hook } from './Hook.js'

// model

/** Whose webhooks they are. */
export interface Owner {
  readonly kind: Kind
  readonly of: (state: State) => Register<Hook>
  readonly with: (state: State, hooks: Register<Hook>) => State
  /** How a `request_id` that was used before is refused. */
  readonly repeated: Refusal
}

// constructors

const repeated = (status: number, code: string): Refusal =>
  refusal(status, code, 'A webhook with this request_id was made before.', 'request_id')

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
