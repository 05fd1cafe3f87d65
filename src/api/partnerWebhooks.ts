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

/** The statuses that the API description lists; it names no codes. */
const errors = { 400: [], 401: [] } as const

const ofOne = { ...errors, 404: [] } as const

/** The other codes of all partner calls (our assumption: not in the API description). */
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

  /** Returns one webhook of the application. */
  retrieve: endpoint('GET /partner-api/v1/webhooks/{id}', {
    params: ById,
    success: Webhook,
    errors: ofOne,
    otherErrors,
    auth: 'basic',
  }),

  /** Lists the webhooks of the application. */
  list: endpoint('GET /partner-api/v1/webhooks', {
    params: PartnerWebhookFilter,
    success: Webhook,
    errors,
    otherErrors,
    paging: byNumber(20),
    auth: 'basic',
  }),

  /** Changes the URL of a webhook. Nothing else can be changed. */
  update: endpoint('POST /partner-api/v1/webhooks/{id}/update', {
    params: WebhookUpdate,
    success: Webhook,
    errors: ofOne,
    otherErrors,
    auth: 'basic',
  }),

  /** Adds an account or organization that authorized the application. The webhook then receives its events. */
  connect: endpoint('POST /partner-api/v1/webhooks/{id}/connect', {
    params: WebhookConnection,
    success: Acknowledgement,
    answer: 'anything',
    errors: ofOne,
    otherErrors,
    auth: 'basic',
    unspecified: ['success'],
  }),

  /** Stops events from a connected account. */
  disconnect: endpoint('POST /partner-api/v1/webhooks/{id}/disconnect', {
    params: WebhookDisconnection,
    success: Acknowledgement,
    answer: 'anything',
    errors: ofOne,
    otherErrors,
    auth: 'basic',
    unspecified: ['success'],
  }),

  /** Deletes a webhook of the application. */
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
