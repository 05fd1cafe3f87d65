/** `payments-rx/webhooks`: verifies the events that the service sends. Runs wherever Web Crypto is available. */
export type { EventName, KnownEvent } from '../codec/Webhook.js'
export {
  type EventAccount,
  type EventBill,
  type EventDispute,
  type EventExpense,
  type EventTransaction,
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
  hmac,
  type Scheme,
  type Signed,
  type SigningScheme,
} from './Scheme.js'
export { type DeliveryToSign, type Sign, type SignOptions, sign } from './sign.js'
export type { KnownEventName, PayloadOf, TypedEvent } from './TypedEvent.js'
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
