/** Deliveries, signed by `node:crypto`, which shares no code with what is tested. */
import { createHmac } from 'node:crypto'
import { firstValueFrom } from 'rxjs'
import { E } from '../../src/fp.js'
import {
  createVerifier,
  type Delivery,
  type VerifierOptions,
  type WebhookEvent,
  type WebhookFailure,
} from '../../src/webhooks/index.js'

export const SECRET = 'example-webhook-secret'
export const NOW = 1_700_000_000_000
export const TIMESTAMP = String(NOW)

/** A clock that stands still. */
export const at = (now: number) => ({ now: () => now })

export const SETTLED = '{"id":"evt_1","name":"charge.settled","data":{"id":"chg_1"}}'

export const sign = (
  body: string | Uint8Array,
  { secret = SECRET, timestamp = TIMESTAMP }: { secret?: string; timestamp?: string } = {},
): string => createHmac('sha256', secret).update(timestamp).update(body).digest('hex')

export const headers = (
  body: string | Uint8Array,
  options: { secret?: string; timestamp?: string } = {},
) => ({ 'x-timestamp': options.timestamp ?? TIMESTAMP, 'x-signature': sign(body, options) })

export type Verified = E.Either<WebhookFailure, WebhookEvent>

export const verified = (
  delivery: Delivery,
  options: Partial<VerifierOptions> = {},
): Promise<Verified> =>
  firstValueFrom(createVerifier({ secret: SECRET, timer: at(NOW), ...options })(delivery))

export const tagOf = (came: Verified): string => (E.isLeft(came) ? came.left._tag : came.right.id)
