import * as t from 'io-ts'
import { type Codec, noted } from './Codec.js'
import { EventName } from './EventName.js'
import { Instant } from './Instant.js'
import { rule, ruled } from './Rule.js'
import { intFrom, textOf } from './scalars.js'
import { nullable } from './shapes.js'
import { PlainDate } from './times.js'

// model

const webhook = t.intersection([
  t.type({
    /** Made by the service. */
    id: t.string,
    /** Where events are sent to. */
    url: t.string,
    /** What is subscribed to; fixed when it is made. */
    events: t.array(EventName),
    /** The API version of the payloads, as YYYY-MM-DD. */
    version: t.string,
    /** When it was made. */
    created_at: Instant,
    /** When it last changed. */
    updated_at: Instant,
  }),
  t.partial({
    /** Chosen by the client, unique. */
    request_id: nullable(t.string),
    /** What the signatures of its events are made with. */
    secret: nullable(t.string),
  }),
])

/** A URL that events are sent to. */
export interface Webhook extends t.TypeOf<typeof webhook> {}

export const Webhook: Codec<Webhook> = webhook

const webhookWithSecret = t.intersection([webhook, t.type({ secret: t.string })])

/** A webhook as it was made: with the secret that its signatures are verified by. */
export interface WebhookWithSecret extends t.TypeOf<typeof webhookWithSecret> {}

export const WebhookWithSecret: Codec<WebhookWithSecret> = webhookWithSecret

const deleted = t.type({
  /** The id of the webhook. */
  id: t.string,
  /** Whether it is gone. */
  deleted: t.boolean,
})

/** What became of a webhook that was to be deleted. */
export interface DeletedWebhook extends t.TypeOf<typeof deleted> {}

export const DeletedWebhook: Codec<DeletedWebhook> = deleted

// what is sent to make and to change one

const newWebhook = t.intersection([
  t.type({
    /** What to subscribe to. The scopes of the credentials decide what is accepted. */
    events: t.readonlyArray(EventName, 'a list of event types'),
    /** Where events are to be sent. */
    url: t.string,
    /** The API version of the payloads, as YYYY-MM-DD. */
    version: PlainDate,
  }),
  t.partial({
    /**
     * Up to 50 characters, unique. Generated when left out: one for each call, the same in every attempt
     * and whenever the stream of that call is subscribed to again.
     */
    request_id: textOf(1, 50),
  }),
])

/** A webhook to make. */
export interface NewWebhook extends t.TypeOf<typeof newWebhook> {}

export const NewWebhook: Codec<NewWebhook> = newWebhook

const webhookUpdate = t.exact(
  t.type({
    /** The id of the webhook. */
    id: t.string,
    /** Where its events are to be sent. */
    url: t.string,
  }),
)

/**
 * Where the events of a webhook go from now on; nothing else can be changed. The webhook itself will do,
 * with another `url`: nothing else of it is sent.
 */
export interface WebhookUpdate extends t.TypeOf<typeof webhookUpdate> {}

export const WebhookUpdate: Codec<WebhookUpdate> = webhookUpdate

// whose events a partner's webhook receives

const connection = t.exact(
  t.intersection([
    t.type({
      /** The id of the webhook. */
      id: t.string,
    }),
    t.partial({
      /** The account that authorized the application. */
      account_id: t.string,
      /** The organization that did; needed for Billing and Spend events. */
      org_id: t.string,
    }),
  ]),
)

/** Whose events a webhook is to receive. Of the webhook itself nothing else is sent. */
export interface WebhookConnection extends t.TypeOf<typeof connection> {}

export const WebhookConnection: Codec<WebhookConnection> = ruled<WebhookConnection>({
  ...rule<WebhookConnection>(
    'account_id',
    'given when org_id is not',
    ({ account_id, org_id }) => account_id !== undefined || org_id !== undefined,
  ),
  unspecified: true,
})(connection)

const disconnection = t.exact(
  t.type({
    /** The id of the webhook. */
    id: t.string,
    /** The account whose events are not wanted any more. */
    account_id: t.string,
  }),
)

/** Whose events a webhook is no longer to receive. Of the webhook itself nothing else is sent. */
export interface WebhookDisconnection extends t.TypeOf<typeof disconnection> {}

export const WebhookDisconnection: Codec<WebhookDisconnection> = disconnection

// what a list of them is narrowed by

const webhookFilter = noted(
  t.partial({
    /** A bookmark: `page_after` or `page_before` of an earlier page. */
    page: t.string,
    /** Rows a page; the service takes 20 when it is left out. */
    page_size: intFrom(1),
  }),
  { page_size: { default: 20 } },
)

/** Where to start, and how much to read at a time. */
export interface WebhookFilter extends t.TypeOf<typeof webhookFilter> {}

export const WebhookFilter: Codec<WebhookFilter> = webhookFilter

const partnerWebhookFilter = noted(
  t.partial({
    /** The first page to read; counted from 0. */
    page_num: intFrom(0),
    /** Rows a page; the service takes 20 when it is left out. */
    page_size: intFrom(1),
  }),
  { page_num: { default: 0 }, page_size: { default: 20 } },
)

/** Where to start, and how much to read at a time. */
export interface PartnerWebhookFilter extends t.TypeOf<typeof partnerWebhookFilter> {}

export const PartnerWebhookFilter: Codec<PartnerWebhookFilter> = partnerWebhookFilter
