/** Webhooks of the account and of the partner, with the same calls on two collections. */
import { partnerWebhooks as partnerRows } from '../../api/partnerWebhooks.js'
import { webhooks as rows } from '../../api/webhooks.js'
import {
  eventNames,
  type NewWebhook,
  Webhook,
  type WebhookWithSecret,
} from '../../codec/Webhook.js'
import type { Collection } from '../Collection.js'
import { hash, hex32, subSeed } from '../data/hash.js'
import { idOf, numberOf } from '../data/ids.js'
import { instantAt } from '../data/time.js'
import { isOfOrganization, missingIn } from '../events/eventBody.js'
import {
  type ApiError,
  apiError,
  invalid,
  jsonText,
  notFound,
  required,
  success,
  text,
} from '../Reply.js'
import type { SandboxStore, StoredWebhook } from '../Store.js'
import type { CallContext, Handle, HandlersOf } from './Handler.js'
import { pageByBookmark, pageByNumber, walkWhere } from './pages.js'

// owners

interface WebhookOwner {
  readonly kind: 'webhook' | 'partner webhook'
  readonly webhooksOf: (store: SandboxStore) => Collection<StoredWebhook>
  /** Purpose of the seed from which the webhooks' secrets are derived. */
  readonly secretPurpose: number
  /** Error for a reused `request_id`. */
  readonly duplicate: ApiError
}

const duplicate = (status: number, code: string): ApiError =>
  apiError(status, code, 'A webhook with this request_id already exists.', 'request_id')

const account: WebhookOwner = {
  kind: 'webhook',
  webhooksOf: (store) => store.webhooks,
  secretPurpose: 16,
  duplicate: duplicate(409, 'already_exists'),
}

const partner: WebhookOwner = {
  kind: 'partner webhook',
  webhooksOf: (store) => store.partnerWebhooks,
  secretPurpose: 17,
  // partner endpoints do not document 409
  duplicate: duplicate(400, 'request_id_duplicate'),
}

// calls of both kinds

interface WithId {
  readonly id: string
}

const find = (owner: WebhookOwner, store: SandboxStore, id: string, { settings }: CallContext) => {
  const n = numberOf(owner.kind, settings.seed, id)
  return n === undefined ? undefined : owner.webhooksOf(store).get(n)
}

const create =
  (owner: WebhookOwner): Handle<NewWebhook, WebhookWithSecret> =>
  (store, params, context) => {
    const { request_id } = params
    const webhooks = owner.webhooksOf(store)
    if (request_id === undefined) return required('request_id')
    if (webhooks.hasRequestId(request_id)) return owner.duplicate
    const problem = urlProblem(params.url) ?? eventProblem(params, context.scopes)
    if (problem !== undefined) return problem
    const { now } = context
    const n = webhooks.next
    const times = { createdAt: now, updatedAt: now }
    const webhook = { n, request_id, params, url: params.url, accounts: [], ...times }
    webhooks.add(webhook)
    return success(webhookOf(owner, webhook, context))
  }

const retrieve =
  (owner: WebhookOwner): Handle<WithId, Webhook> =>
  (store, { id }, context) => {
    const webhook = find(owner, store, id, context)
    return webhook === undefined ? notFound : success(webhookOf(owner, webhook, context))
  }

/** Updates the URL; other fields cannot be updated. */
const update =
  (owner: WebhookOwner): Handle<WithId & { readonly url: string }, Webhook> =>
  (store, { id, url }, context) => {
    const webhook = find(owner, store, id, context)
    if (webhook === undefined) return notFound
    const problem = urlProblem(url)
    if (problem !== undefined) return problem
    const updated = { ...webhook, url, updatedAt: context.now }
    owner.webhooksOf(store).replace(updated)
    return success(webhookOf(owner, updated, context))
  }

/** Removes a webhook. Returns false if it does not exist. */
const remove = (
  owner: WebhookOwner,
  store: SandboxStore,
  id: string,
  context: CallContext,
): boolean => {
  const webhook = find(owner, store, id, context)
  if (webhook !== undefined) owner.webhooksOf(store).delete(webhook.n)
  return webhook !== undefined
}

/** Returns the secret of the n-th webhook of a kind. */
export const secretOf = (kind: WebhookOwner['kind'], seed: number, n: number): string => {
  const { secretPurpose } = kind === 'webhook' ? account : partner
  return `whsec_${hex32(hash(n ^ subSeed(seed, secretPurpose)))}`
}

const webhookOf = (
  { kind }: WebhookOwner,
  { n, request_id, params, url, createdAt, updatedAt }: StoredWebhook,
  { settings: { seed } }: CallContext,
): WebhookWithSecret => ({
  id: idOf(kind, seed, n),
  url,
  events: [...params.events],
  version: params.version,
  request_id,
  secret: secretOf(kind, seed, n),
  created_at: instantAt(createdAt),
  updated_at: instantAt(updatedAt),
})

/** Returns true if lists show the webhook, which is the case `listDelay` after its creation. */
const isShown =
  ({ now, settings: { listDelay } }: CallContext) =>
  ({ createdAt }: StoredWebhook): boolean =>
    createdAt + listDelay <= now

// handlers

export const webhooks: HandlersOf<{ webhooks: typeof rows }>['webhooks'] = {
  create: create(account),
  retrieve: retrieve(account),
  update: update(account),

  list: (store, { page, page_size = rows.list.paging.size }, context) => {
    const { seed, order } = context.settings
    return pageByBookmark(
      { list: 'webhooks', seed, newestFirst: order === 'descending', page_size, page },
      walkWhere(store.webhooks.walk, isShown(context)),
      (found) => found.map((webhook) => Webhook.encode(webhookOf(account, webhook, context))),
    )
  },

  delete: (store, { id }, context) =>
    remove(account, store, id, context) ? success({ id, deleted: true }) : notFound,
}

/**
 * The API description has no response bodies for connect, disconnect and delete. Each of them therefore returns a different
 * form, all of which clients must accept.
 */
export const partnerWebhooks: HandlersOf<{ partner: typeof partnerRows }>['partner'] = {
  create: create(partner),
  retrieve: retrieve(partner),
  update: update(partner),

  list: (store, { page_num = 0, page_size = partnerRows.list.paging.size }, context) => {
    const all = [...store.partnerWebhooks.walk(0, 1)].filter(isShown(context))
    if (context.settings.order === 'descending') all.reverse()
    const end = (page_num + 1) * page_size
    const found = all.slice(page_num * page_size, end)
    const rows = found.map((webhook) => Webhook.encode(webhookOf(partner, webhook, context)))
    return pageByNumber((i) => rows[i], rows.length, end < all.length)
  },

  connect: (store, { id, account_id, org_id }, context) => {
    const webhook = find(partner, store, id, context)
    if (webhook === undefined) return notFound
    if (webhook.params.events.some(isOfOrganization) && org_id === undefined) {
      return required('org_id')
    }
    const connected = [account_id, org_id].filter((one) => one !== undefined)
    const accounts = [...new Set([...webhook.accounts, ...connected])]
    store.partnerWebhooks.replace({ ...webhook, accounts })
    return text('OK')
  },

  disconnect: (store, { id, account_id }, context) => {
    const webhook = find(partner, store, id, context)
    if (webhook === undefined) return notFound
    const accounts = webhook.accounts.filter((one) => one !== account_id)
    store.partnerWebhooks.replace({ ...webhook, accounts })
    return jsonText('"OK"')
  },

  delete: (store, { id }, context) => (remove(partner, store, id, context) ? text('') : notFound),
}

// events

/** Returns the error for a URL that cannot receive deliveries (our assumption: not in the API description). */
const urlProblem = (url: string): ApiError | undefined =>
  /^https?:\/\/./.test(url) && URL.canParse(url)
    ? undefined
    : invalid('The url should be an HTTP or HTTPS URL.', 'url')

const knownEvents: ReadonlySet<string> = new Set(eventNames)

/** Returns an error for the first event that cannot be subscribed to. */
const eventProblem = (
  { events, version }: NewWebhook,
  scopes: CallContext['scopes'],
): ApiError | undefined => {
  for (const event of events) {
    const problem = problemOf(event, version, scopes)
    if (problem !== undefined) return invalid(`${event} ${problem}`, 'events')
  }
  return undefined
}

const problemOf = (
  event: string,
  version: string,
  scopes: CallContext['scopes'],
): string | undefined => {
  // webhooks before version 2024-09-27 omit `payout.`
  if (!knownEvents.has(event) && !knownEvents.has(`payout.${event}`)) return 'is not an event.'
  const missing = missingIn(event, version)
  if (missing !== undefined) return `${missing}.`
  // a scope is an event, or the start of several names, such as `spend` or `spend.bill`
  const isAllowed = scopes?.some((scope) => event === scope || event.startsWith(`${scope}.`))
  return isAllowed === false ? 'is not allowed by the scopes of the credentials.' : undefined
}
