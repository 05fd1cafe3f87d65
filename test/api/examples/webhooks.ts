import type { Example } from './Example.js'

const webhook = {
  id: 'wh_1',
  url: 'https://shop.test/events',
  events: ['account.active', 'spend.bill.paid', 'issuing.transaction_dispute.won'],
  version: '2026-08-21',
  request_id: 'hook-1',
  secret: 'whsec_example',
  created_at: '2026-01-10T08:30:00+0000',
  updated_at: '2026-01-10T08:30:00+0000',
}

const { secret: _, ...withoutSecret } = webhook

const { events, request_id, url, version } = webhook

const newWebhook = { events, request_id, url, version }

export const webhooks: ReadonlyArray<Example> = [
  {
    route: 'POST /api/v1/webhooks/create',
    params: newWebhook,
    sent: { target: '/api/v1/webhooks/create', body: newWebhook },
    answer: webhook,
  },
  {
    route: 'GET /api/v1/webhooks/{id}',
    params: { id: 'wh_1' },
    sent: { target: '/api/v1/webhooks/wh_1' },
    answer: withoutSecret,
  },
  {
    route: 'GET /api/v1/webhooks',
    params: { page: 'bmV4dA', page_size: 20 },
    sent: { target: '/api/v1/webhooks?page=bmV4dA&page_size=20' },
    answer: { items: [webhook, withoutSecret], page_after: '', page_before: 'YmVmb3Jl' },
  },
  {
    route: 'POST /api/v1/webhooks/{id}/update',
    params: { id: 'wh_1', url: 'https://shop.test/v2' },
    sent: { target: '/api/v1/webhooks/wh_1/update', body: { url: 'https://shop.test/v2' } },
    answer: { ...webhook, url: 'https://shop.test/v2' },
  },
  {
    route: 'POST /api/v1/webhooks/{id}/delete',
    params: { id: 'wh_1' },
    sent: { target: '/api/v1/webhooks/wh_1/delete', body: {} },
    answer: { id: 'wh_1', deleted: true },
  },
]

export const partnerWebhooks: ReadonlyArray<Example> = [
  {
    route: 'POST /partner-api/v1/webhooks/create',
    params: newWebhook,
    sent: { target: '/partner-api/v1/webhooks/create', body: newWebhook },
    answer: webhook,
  },
  {
    route: 'GET /partner-api/v1/webhooks/{id}',
    params: { id: 'wh_1' },
    sent: { target: '/partner-api/v1/webhooks/wh_1' },
    answer: webhook,
  },
  {
    route: 'GET /partner-api/v1/webhooks',
    params: { page_num: 0, page_size: 20 },
    sent: { target: '/partner-api/v1/webhooks?page_num=0&page_size=20' },
    answer: { has_more: true, items: [webhook] },
  },
  {
    route: 'POST /partner-api/v1/webhooks/{id}/update',
    params: { id: 'wh_1', url: 'https://shop.test/v2' },
    sent: {
      target: '/partner-api/v1/webhooks/wh_1/update',
      body: { url: 'https://shop.test/v2' },
    },
    answer: webhook,
  },
  {
    route: 'POST /partner-api/v1/webhooks/{id}/connect',
    params: { id: 'wh_1', account_id: 'acct_1', org_id: 'org_1' },
    sent: {
      target: '/partner-api/v1/webhooks/wh_1/connect',
      body: { account_id: 'acct_1', org_id: 'org_1' },
    },
    answer: 'OK',
  },
  {
    route: 'POST /partner-api/v1/webhooks/{id}/disconnect',
    params: { id: 'wh_1', account_id: 'acct_1' },
    sent: {
      target: '/partner-api/v1/webhooks/wh_1/disconnect',
      body: { account_id: 'acct_1' },
    },
    answer: undefined,
  },
  {
    route: 'POST /partner-api/v1/webhooks/{id}/delete',
    params: { id: 'wh_1' },
    sent: { target: '/partner-api/v1/webhooks/wh_1/delete', body: {} },
    answer: { id: 'wh_1', deleted: true },
  },
]
