/** A webhook as the sandbox keeps it, of the account or of a partner. */
import type { NewWebhook, WebhookWithSecret } from '../../codec/Webhook.js'
import { hash, longHexText, subSeed } from '../account/hash.js'
import type { Numbered } from '../Collection.js'
import { ids, type Kind } from '../ids.js'
import { instantAt } from '../instant.js'

// model

export interface StoredWebhook extends Numbered {
  readonly asked: NewWebhook
  readonly url: string
  /** In ms since 1970. */
  readonly createdAt: number
  readonly updatedAt: number
}

// constructors

export const newHook = (
  n: number,
  request_id: string,
  asked: NewWebhook,
  now: number,
): StoredWebhook => ({
  n,
  request_id,
  asked,
  url: asked.url,
  createdAt: now,
  updatedAt: now,
})

/** The same for the same webhook, and for no other. */
const secretOf = (kind: Kind, n: number, seed: number): string =>
  `whsec_${longHexText(hash(n ^ subSeed(seed, kind === 'webhook' ? 16 : 17)))}`

/** As the service writes it. */
export const webhookOf =
  (kind: Kind, seed: number) =>
  ({ n, request_id, asked, url, createdAt, updatedAt }: StoredWebhook): WebhookWithSecret => ({
    id: ids(kind, seed).id(n),
    url,
    events: [...asked.events],
    version: asked.version,
    request_id,
    secret: secretOf(kind, n, seed),
    created_at: instantAt(createdAt),
    updated_at: instantAt(updatedAt),
  })
