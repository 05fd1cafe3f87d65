/** Receives requests at the URL of a webhook: a handler of requests, and a stream of events. */
import {
  asyncScheduler,
  firstValueFrom,
  mergeMap,
  type Observable,
  type SchedulerLike,
  Subject,
} from 'rxjs'
import { payloadOf, type WebhookEvent } from '../codec/WebhookEvent.js'
import { E, pipe } from '../fp.js'
import { is, type OptionsOf, resolveOptions, withDefault } from '../options/index.js'
import type { ObservableEither } from '../stream/either/ObservableEither.js'
import { type Verify, verifierOf } from './createVerifier.js'
import { type BodyBounds, readBody } from './readBody.js'
import {
  isNamed,
  type KnownEventName,
  type PayloadOf,
  type TypedEvent,
  valueOfPayload,
} from './TypedEvent.js'
import { type VerifierOptions, verifierSettings, verifierTable } from './VerifierOptions.js'
import type { DeliveryFailure } from './WebhookFailure.js'

// not spread from the options of a verifier: doc comments of options that are spread from another file do not reach hovers
const table = {
  /** Maximum size of a body, in bytes. Default 1,048,576. */
  maxBytes: withDefault(is.positiveIntOrInfinity, 1_048_576),
  /** Maximum time to receive a whole body, in ms. Default 10,000; `Infinity` for no limit. */
  bodyTimeout: withDefault(is.millis, 10_000),
  /**
   * Number of event ids to remember, so that repeated deliveries can be dropped. Blank ids are ignored. Default 10,000; 0 turns
   * this off.
   */
  remember: withDefault(is.nonNegativeIntOrInfinity, 10_000),
  /** The clock, and the scheduler that emits events. Default: RxJS's `asyncScheduler`. */
  timer: withDefault(is.rxScheduler<SchedulerLike>(), asyncScheduler),
}

/** Options of `createReceiver`. */
export interface ReceiverOptions extends Omit<VerifierOptions, 'timer'>, OptionsOf<typeof table> {}

export const receiverTable = { ...verifierTable, ...table }

/** Returned by `createReceiver`: a handler for a server, and the events it receives. */
export interface Receiver {
  /** Handles a request in servers that use `Request` and `Response`. The response body is always empty. */
  readonly fetch: (request: Request) => Promise<Response>
  /**
   * Emits the deliveries that arrive while there is a subscriber, after responding to them. Emits each event once, in order of
   * arrival (not the order in which the events happened), and each rejected delivery. An event that arrives without a
   * subscriber is emitted when the service delivers it again.
   */
  readonly events: ObservableEither<DeliveryFailure, WebhookEvent>
  /**
   * Emits the events of one name, with their payload decoded and typed. Rejected deliveries, and payloads that do not match
   * their name, are in `failures` instead. While it has a subscriber, events with other names are also answered with 200.
   */
  readonly on: <const Name extends string>(
    name: KnownEventName<Name>,
  ) => Observable<TypedEvent<Name>>
  /** Emits the events that this version does not know, undecoded. */
  readonly onUnlisted: (name: string) => Observable<WebhookEvent>
  /** Emits each rejected delivery, and each payload that does not match its event name. */
  readonly failures: Observable<DeliveryFailure>
}

/** Creates a receiver. Throws an `InvalidOption` for invalid options. */
export const createReceiver = (given: ReceiverOptions): Receiver => {
  const options = resolveOptions(given, receiverTable)
  const { remember, timer } = options
  const verify = verifierOf(verifierSettings(options))
  const ids = new RecentIds(remember)
  const deliveries = new Subject<ReceivedDelivery>()
  /** Emits a delivery. An event counts as emitted only if there is a subscriber. */
  const emit = (delivery: ReceivedDelivery): void => {
    if (deliveries.observed && (E.isLeft(delivery) || ids.isNew(delivery.right.id)))
      deliveries.next(delivery)
  }
  return {
    events: deliveries.asObservable(),
    on: <const Name extends string>(name: KnownEventName<Name>) =>
      // a call compiles only if `KnownEventName` of its name is that name
      deliveries.pipe(mergeMap((delivery) => typedEvent(delivery, name as Name))),
    onUnlisted: (name) =>
      deliveries.pipe(
        mergeMap((delivery) =>
          E.isRight(delivery) && delivery.right.name === name ? [delivery.right] : [],
        ),
      ),
    failures: deliveries.pipe(mergeMap(failureOf)),
    fetch: async (request) => {
      const delivery = await received(verify, options, request)
      if (E.isRight(delivery) && !deliveries.observed) {
        return answer(ids.has(delivery.right.id) ? DONE : UNHEARD)
      }
      timer.schedule(() => emit(delivery))
      return answer(E.isLeft(delivery) ? statusOf(delivery.left) : DONE)
    },
  }
}

type ReceivedDelivery = E.Either<DeliveryFailure, WebhookEvent>

const typedEvent = <Name extends string>(
  delivery: ReceivedDelivery,
  name: Name,
): ReadonlyArray<TypedEvent<Name>> => {
  if (E.isLeft(delivery) || !isNamed(delivery.right, name)) return []
  const payload = payloadOf(delivery.right)
  if (E.isLeft(payload)) return []
  // `payloadOf` decodes by name, and `PayloadOf` has the matching type
  const value = valueOfPayload(payload.right) as PayloadOf<Name>
  return [{ ...delivery.right, name, payload: value }]
}

const failureOf = (delivery: ReceivedDelivery): ReadonlyArray<DeliveryFailure> => {
  const payload: E.Either<DeliveryFailure, unknown> = pipe(delivery, E.chainW(payloadOf))
  return E.isLeft(payload) ? [payload.left] : []
}

const received = async (
  verify: Verify,
  bounds: BodyBounds,
  request: Request,
): Promise<E.Either<DeliveryFailure, WebhookEvent>> => {
  const body = await readBody(request, bounds)
  if (E.isLeft(body)) return body
  return firstValueFrom(verify({ headers: request.headers, body: body.right }))
}

/** The only status that the service accepts as success. */
const DONE = 200

/** The status if there is no subscriber. The service then sends the event again, so it is not lost. */
const UNHEARD = 503

const statusOf = ({ _tag }: DeliveryFailure): number => {
  switch (_tag) {
    case 'Unsigned':
    case 'Forged':
    case 'Stale':
      return 401
    case 'Undecodable':
      return 400
    case 'Interrupted':
      return 408
    case 'TooLarge':
      return 413
    case 'NotRaw':
      return 500
  }
}

const answer = (status: number): Response => new Response(null, { status })

/** The most recent ids. Blank ids are not remembered, because events with a blank id are not repetitions of each other. */
class RecentIds {
  readonly #ids = new Set<string>()
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  has(id: string): boolean {
    return this.#ids.has(id)
  }

  /** Returns true if an id is new. Also remembers the id. */
  isNew(id: string): boolean {
    if (id.trim() === '') return true
    if (this.#ids.has(id)) return false
    this.#ids.add(id)
    const [oldest = id] = this.#ids
    if (this.#ids.size > this.#most) this.#ids.delete(oldest)
    return true
  }
}
