/** `payments-rx/webhooks`: the events that the service sends, verified. Runs wherever Web Crypto does. */
export type { EventName, KnownEvent } from '../codec/Webhook.js'
export {
  type Payload,
  payloadOf,
  type UndecodableEvent,
  WebhookEvent,
} from '../codec/WebhookEvent.js'
export { InvalidOption } from '../options/index.js'
export {
  createReceiver,
  type Receiver,
  type ReceiverOptions,
} from './createReceiver.js'
export { createVerifier, type Verify } from './createVerifier.js'
export type { Delivery, HeadersLike } from './Delivery.js'
export {
  type Algorithm,
  defaultScheme,
  hmac,
  type Scheme,
  type Signed,
  type SigningScheme,
} from './Scheme.js'
export { type Sign, type SignOptions, sign, type Unsent } from './sign.js'
export type { Listed, PayloadOf, TypedEvent } from './TypedEvent.js'
export type { VerifierOptions } from './VerifierOptions.js'
export type {
  DeliveryFailure,
  Forged,
  Interrupted,
  NotRaw,
  Stale,
  TooLarge,
  Unsigned,
  WebhookFailure,
} from './WebhookFailure.js'
