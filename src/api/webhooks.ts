import { ById } from '../codec/common.js'
import {
  DeletedWebhook,
  NewWebhook,
  Webhook,
  WebhookFilter,
  WebhookUpdate,
  WebhookWithSecret,
} from '../codec/Webhook.js'
import { endpoint } from './Endpoint.js'
import { byCursor } from './Paging.js'

export const webhooks = {
  /** Subscribes a URL to events; the answer has the secret that verifies signatures. */
  create: endpoint('POST /api/v1/webhooks/create', {
    params: NewWebhook,
    success: WebhookWithSecret,
    status: 201,
    errors: {
      400: ['field_required', 'invalid_argument'],
      401: ['unauthorized'],
      409: ['already_exists'],
    },
    repeatable: 'by request_id',
  }),

  /** One webhook. */
  retrieve: endpoint('GET /api/v1/webhooks/{id}', {
    params: ById,
    success: Webhook,
    errors: { 400: ['invalid_argument'], 401: ['unauthorized'], 404: [] },
  }),

  /** Every webhook. */
  list: endpoint('GET /api/v1/webhooks', {
    params: WebhookFilter,
    success: Webhook,
    errors: { 400: ['invalid_argument'] },
    paging: byCursor(20),
  }),

  /** Sends the events of a webhook to another URL; nothing else can be changed. */
  update: endpoint('POST /api/v1/webhooks/{id}/update', {
    params: WebhookUpdate,
    success: Webhook,
    errors: { 400: ['field_required', 'invalid_argument'], 401: ['unauthorized'], 404: [] },
  }),

  /** Deletes a webhook: it receives no further events. */
  delete: endpoint('POST /api/v1/webhooks/{id}/delete', {
    params: ById,
    success: DeletedWebhook,
    noContent: { deleted: true },
    errors: { 400: ['field_required', 'invalid_argument'], 404: [] },
  }),
}
