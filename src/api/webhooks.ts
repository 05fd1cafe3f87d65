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
  /** Subscribes a URL to events. The response contains the secret that verifies their signatures. */
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

  /** Returns one webhook. */
  retrieve: endpoint('GET /api/v1/webhooks/{id}', {
    params: ById,
    success: Webhook,
    errors: { 400: ['invalid_argument'], 401: ['unauthorized'], 404: [] },
  }),

  /** Lists the webhooks. */
  list: endpoint('GET /api/v1/webhooks', {
    params: WebhookFilter,
    success: Webhook,
    errors: { 400: ['invalid_argument'] },
    paging: byCursor(20),
  }),

  /** Changes the URL of a webhook. Nothing else can be changed. */
  update: endpoint('POST /api/v1/webhooks/{id}/update', {
    params: WebhookUpdate,
    success: Webhook,
    errors: { 400: ['field_required', 'invalid_argument'], 401: ['unauthorized'], 404: [] },
  }),

  /** Deletes a webhook. */
  delete: endpoint('POST /api/v1/webhooks/{id}/delete', {
    params: ById,
    success: DeletedWebhook,
    noContent: { deleted: true },
    errors: { 400: ['field_required', 'invalid_argument'], 404: [] },
  }),
}
