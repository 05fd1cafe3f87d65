import { Acknowledgement, ById } from '../codec/common.js'
import {
  NewWebhook,
  PartnerWebhookFilter,
  Webhook,
  WebhookConnection,
  WebhookDisconnection,
  WebhookUpdate,
  WebhookWithSecret,
} from '../codec/Webhook.js'
import { endpoint } from './Endpoint.js'
import { byNumber } from './Paging.js'

/** The statuses that the interface lists; it shows no codes. */
const errors = { 400: [], 401: [] } as const

const ofOne = { ...errors, 404: [] } as const

/** The codes of all partner calls (default, not specified by the interface document). */
const otherErrors = ['field_required', 'invalid_argument'] as const

export const partnerWebhooks = {
  /** Subscribes a URL to the events of accounts that authorized the application. */
  create: endpoint('POST /partner-api/v1/webhooks/create', {
    params: NewWebhook,
    success: WebhookWithSecret,
    status: 201,
    errors,
    otherErrors,
    repeatable: 'by request_id',
    auth: 'basic',
  }),

  /** One webhook of the application. */
  retrieve: endpoint('GET /partner-api/v1/webhooks/{id}', {
    params: ById,
    success: Webhook,
    errors: ofOne,
    otherErrors,
    auth: 'basic',
  }),

  /** Every webhook of the application. */
  list: endpoint('GET /partner-api/v1/webhooks', {
    params: PartnerWebhookFilter,
    success: Webhook,
    errors,
    otherErrors,
    paging: byNumber(20),
    auth: 'basic',
  }),

  /** Sends the events of a webhook to another URL; nothing else can be changed. */
  update: endpoint('POST /partner-api/v1/webhooks/{id}/update', {
    params: WebhookUpdate,
    success: Webhook,
    errors: ofOne,
    otherErrors,
    auth: 'basic',
  }),

  /** Lets a webhook receive the events of an account or organization that authorized the application. */
  connect: endpoint('POST /partner-api/v1/webhooks/{id}/connect', {
    params: WebhookConnection,
    success: Acknowledgement,
    answer: 'anything',
    errors: ofOne,
    otherErrors,
    auth: 'basic',
    unspecified: ['success'],
  }),

  /** Stops the events of an account that was connected. */
  disconnect: endpoint('POST /partner-api/v1/webhooks/{id}/disconnect', {
    params: WebhookDisconnection,
    success: Acknowledgement,
    answer: 'anything',
    errors: ofOne,
    otherErrors,
    auth: 'basic',
    unspecified: ['success'],
  }),

  /** Deletes a webhook: it receives no further events of connected accounts. */
  delete: endpoint('POST /partner-api/v1/webhooks/{id}/delete', {
    params: ById,
    success: Acknowledgement,
    answer: 'anything',
    errors: ofOne,
    otherErrors,
    auth: 'basic',
    unspecified: ['success'],
  }),
}
