/** Listens at the URL of a webhook: a handler of requests on one side, a stream of events on the other. */
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
import type { ObservableEither } from '../stream/index.js'
import { type Verify, verifierOf } from './createVerifier.js'
import { type BodyBounds, readBody } from './readBody.js'
import {
  isNamed,
  type Listed,
  type PayloadOf,
  type TypedEvent,
  valueOfPayload,
} from './TypedEvent.js'
import { type VerifierOptions, verifierSettings, verifierTable } from './VerifierOptions.js'
import type { DeliveryFailure } from './WebhookFailure.js'

// model

// apart from the rows of a verifier: doc comments of rows that are spread from another file do not reach hovers
const table = {
  /** Bytes of the largest body that is read. Default 1,048,576. */
  maxBytes: withDefault(is.positiveIntOrInfinity, 1_048_576),
  /** Time that the whole body of a delivery may take, in ms. Default 10,000; `Infinity` for any. */
  bodyTimeout: withDefault(is.millis, 10_000),
  /**
   * How many event ids are remembered, to drop an event that is delivered again. A blank id is none. Default 10,000; 0
   * for none.
   */
  remember: withDefault(is.nonNegativeIntOrInfinity, 10_000),
  /** The clock, and the scheduler on which events are emitted. Default: RxJS's `asyncScheduler`. */
  timer: withDefault(is.rxScheduler<SchedulerLike>(), asyncScheduler),
}

/** Options of `createReceiver`. */
export interface ReceiverOptions extends Omit<VerifierOptions, 'timer'>, OptionsOf<typeof table> {}

export const receiverTable = { ...verifierTable, ...table }

/** Made by `createReceiver`: a handler for a server, and the events that it was sent. */
export interface Receiver {
  /** Answers a request, as a server made of `Request` and `Response` wants it. The body is always empty. */
  readonly fetch: (request: Request) => Promise<Response>
  /**
   * Emits deliveries that came while there was a subscriber, after their answer, to all subscribers by then: each event
   * once, in the order they came, which is not the order in which they happened; and each delivery that was not
   * believed. An event without a subscriber is emitted when it comes again.
   */
  readonly events: ObservableEither<DeliveryFailure, WebhookEvent>
  /**
   * Emits the events of one name, with their payload decoded and typed. Deliveries that were not believed, and payloads
   * that do not have the shape of their name, are in `failures` instead. While it has a subscriber, events of other names
   * are answered by 200 as well.
   */
  readonly on: <const Name extends string>(name: Listed<Name>) => Observable<TypedEvent<Name>>
  /** Emits the events of a name that is not known here yet, as they came. */
  readonly onUnlisted: (name: string) => Observable<WebhookEvent>
  /** Emits each delivery that was not believed, and each payload that does not have the shape of its name. */
  readonly failures: Observable<DeliveryFailure>
}

// constructors

/** Throws an `InvalidOption` for options that cannot work. */
export const createReceiver = (given: ReceiverOptions): Receiver => {
  const options = resolveOptions(given, receiverTable)
  const { remember, timer } = options
  const verify = verifierOf(verifierSettings(options))
  const ids = new RecentIds(remember)
  const deliveries = new Subject<ReceivedDelivery>()
  /** An event counts as emitted only if there is a subscriber. */
  const emit = (delivery: ReceivedDelivery): void => {
    if (deliveries.observed && (E.isLeft(delivery) || ids.isNew(delivery.right.id)))
      deliveries.next(delivery)
  }
  return {
    events: deliveries.asObservable(),
    on: <const Name extends string>(name: Listed<Name>) =>
      // a call that compiles has a name that is `Listed` as itself
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

// combinators

type ReceivedDelivery = E.Either<DeliveryFailure, WebhookEvent>

const typedEvent = <Name extends string>(
  delivery: ReceivedDelivery,
  name: Name,
): ReadonlyArray<TypedEvent<Name>> => {
  if (E.isLeft(delivery) || !isNamed(delivery.right, name)) return []
  const payload = payloadOf(delivery.right)
  if (E.isLeft(payload)) return []
  // `payloadOf` decodes by the name, as `PayloadOf` says of its type
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

/** The service takes no other status for success. */
const DONE = 200

/** Without a subscriber the event would be lost: the service is asked to send it again. */
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

/** Answers with nothing but the status. */
const answer = (status: number): Response => new Response(null, { status })

/** The last ids, up to a number of them. A blank id is no id: events with one are no repetitions of each other. */
class RecentIds {
  readonly #ids = new Set<string>()
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  has(id: string): boolean {
    return this.#ids.has(id)
  }

  /** Returns whether an id is new, and remembers it. */
  isNew(id: string): boolean {
    if (id.trim() === '') return true
    if (this.#ids.has(id)) return false
    this.#ids.add(id)
    const [oldest = id] = this.#ids
    if (this.#ids.size > this.#most) this.#ids.delete(oldest)
    return true
  }
}
