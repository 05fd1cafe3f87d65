/**
 * One request from its arrival to the last byte of its response.
 *
 *     sent      way in       limits, fault, handler       way back      last byte
 *     |--------------------->|--------------------------->|----------->|
 *      latency / 2 + jitter   at once; the store changes   the same
 *                            [------------ counts toward concurrency ------------]
 */
import { firstValueFrom, Subscription } from 'rxjs'
import { until } from '../stream/either/ObservableEither.js'
import { later } from '../stream/later.js'
import { steadyTimer } from '../stream/steadyTimer.js'
import { hash, hex32, randomNumbers, subSeed } from './data/hash.js'
import { Deliveries, type DeliveryStats } from './events/Deliveries.js'
import {
  drawFault,
  FAULT_HEADER,
  type FaultName,
  injectFault,
  isFaultName,
  STORM,
} from './faults.js'
import type { Service } from './handlers/index.js'
import { respond } from './handlers/respond.js'
import type { Settings } from './options.js'
import { type Arrival, RateLimiter, type SandboxTier } from './RateLimiter.js'
import {
  apiError,
  dated,
  errorReply,
  invalid,
  notFound,
  type Reply,
  type SendReply,
  tooManyRequests,
} from './Reply.js'
import { addArrivals, createStore } from './Store.js'

export interface IncomingRequest {
  readonly request: Request
  /** `undefined` if no endpoint has this path. */
  readonly service: Service | undefined
  /** Path parameters: the values of the `{name}` placeholders in the route. */
  readonly path: Readonly<Record<string, string>>
  readonly sendReply: SendReply
  /** Aborted when the server closes. All waits then end. */
  readonly end: AbortSignal
}

export interface RequestLifecycle {
  readonly answer: (incoming: IncomingRequest) => Promise<Response>
  readonly stats: () => SandboxStats
  /** Cancels pending deliveries. */
  readonly close: () => void
}

const unknownFault = errorReply(invalid('There is no fault with this name.', FAULT_HEADER))

const serverError = errorReply(apiError(500, 'internal_error', 'Service unavailable.'))

const tooLarge = errorReply(apiError(413, 'request_too_large', 'The body is larger than 1 MiB.'))

/** Maximum size of a request body, in bytes. */
const MAX_BYTES = 1_048_576

export const requestLifecycle = (settings: Settings): RequestLifecycle => {
  const { now, timer, latency, jitter, seed } = settings
  const durations = steadyTimer(timer)
  const store = createStore(settings)
  const random = randomNumbers(subSeed(seed, 7))
  const limiter = new RateLimiter(settings.limits)
  const stats = createStats()
  const deliveries = new Deliveries(store, settings)
  let stormUntil = Number.NEGATIVE_INFINITY

  const wait = async (ms: number, end: AbortSignal): Promise<void> => {
    if (ms > 0) await firstValueFrom(later(ms, timer).pipe(until(end)))
  }

  /** Returns the time of one way, in ms. */
  const oneWay = (): number => latency / 2 + ((random() * 2 - 1) * jitter) / 2

  const refusal = (message: string): Reply =>
    tooManyRequests(message, hex32(hash(Math.floor(random() * 2 ** 32))))

  /** Returns the reply to a request that a limit refuses; `undefined` if it is admitted. */
  const refuse = (incoming: IncomingRequest, fault: FaultName | undefined): Reply | undefined => {
    const arrivedAt = Math.floor(durations.now())
    if (fault === 'reset-before') return { ...serverError, delivery: 'reset' }
    if (fault === '429-storm') stormUntil = arrivedAt + STORM
    else if (arrivedAt < stormUntil) stats.countFault('429-storm')
    if (fault === '429' || arrivedAt < stormUntil) return refusal('Too many requests.')
    const tier = limiter.enter(arrivalOf(incoming), arrivedAt)
    if (tier === undefined) return undefined
    stats.countRefusal(routeOf(incoming), tier)
    return refusal(`Too many requests: the ${tier} limit is used up.`)
  }

  const handle = async (
    { service, request, path }: IncomingRequest,
    fault: FaultName | undefined,
  ): Promise<Reply> => {
    if (fault === '500') return serverError
    const body = request.method === 'POST' ? await bodyOf(request) : ''
    if (body === undefined) return tooLarge
    if (fault === 'token-revoked') store.tokensRevokedBelow = store.tokensIssued
    const moment = now()
    addArrivals(store, moment, settings)
    const query = new URL(request.url).searchParams
    const parts = { headers: request.headers, query, path, body }
    const reply =
      service === undefined
        ? errorReply(notFound)
        : respond(service, parts, store, moment, settings)
    deliveries.update(moment)
    return fault === '500-after' ? serverError : injectFault(fault, reply)
  }

  return {
    stats: () => ({ ...stats.read(), deliveries: deliveries.stats() }),
    close: () => deliveries.close(),
    answer: async (incoming) => {
      const { request, end } = incoming
      const sendReply = (reply: Reply, finished: () => void): Response | Promise<Response> =>
        incoming.sendReply(dated(reply, now()), finished, timer)
      const route = routeOf(incoming)
      const wayBack = oneWay()
      await wait(oneWay(), end)
      const nth = stats.countRequest(route)
      const drawn = drawFault(settings.faults, random, { route, nth })
      const fault = request.headers.get(FAULT_HEADER) ?? drawn
      if (fault !== undefined && !isFaultName(fault)) {
        return sendReply(unknownFault, () => {})
      }
      if (fault !== undefined) stats.countFault(fault)

      const refused = refuse(incoming, fault)
      if (refused !== undefined) {
        await wait(wayBack, end)
        return sendReply(refused, () => {})
      }
      const permit = new Subscription(() => limiter.leave()) // leaves once, even if it is called repeatedly
      const leave = () => permit.unsubscribe()
      stats.countConcurrency(limiter.concurrency)
      try {
        const reply = await handle(incoming, fault)
        await wait(wayBack, end)
        return await sendReply(reply, leave)
      } catch (error) {
        leave()
        throw error
      }
    },
  }
}

const routeOf = ({ service }: IncomingRequest): string => service?.row.route ?? 'elsewhere'

const arrivalOf = ({ service, request }: IncomingRequest): Arrival => {
  if (service === undefined) return { _tag: 'UnknownRoute' }
  return service.row.auth === 'none'
    ? { _tag: 'Login', apiKey: request.headers.get('x-api-key') ?? '' }
    : { _tag: 'Call', endpoint: service.row.route }
}

/** Returns the text of a body; `undefined` if it is larger than `MAX_BYTES`. */
const bodyOf = async ({ body }: Request): Promise<string | undefined> => {
  const decoder = new TextDecoder()
  let text = ''
  let length = 0
  for await (const part of body ?? []) {
    length += part.length
    if (length > MAX_BYTES) return undefined
    text += decoder.decode(part, { stream: true })
  }
  return text + decoder.decode()
}

// statistics

/** Counts of one endpoint. */
export interface EndpointStats {
  /** All requests. */
  readonly requests: number
  /** Requests that a limit refused (429). */
  readonly refused: number
}

/** Counts since the sandbox was created. */
export interface SandboxStats {
  /** All requests: answered, refused or broken by a fault. */
  readonly requests: number
  /** Requests refused by a limit (429), by limit. */
  readonly refused: Readonly<Record<SandboxTier, number>>
  /** Counts by route, such as `GET /api/v1/charges`. */
  readonly endpoints: Readonly<Record<string, EndpointStats>>
  /** Maximum number of concurrent requests. */
  readonly peakConcurrency: number
  /** Injected faults, by name. */
  readonly faults: Readonly<Record<string, number>>
  /** Deliveries to webhooks. */
  readonly deliveries: DeliveryStats
}

export interface StatsCounter {
  /** Counts a request, and returns the number of requests that this endpoint has received. */
  readonly countRequest: (endpoint: string) => number
  readonly countRefusal: (endpoint: string, tier: SandboxTier) => void
  readonly countConcurrency: (active: number) => void
  readonly countFault: (name: string) => void
  readonly read: () => Omit<SandboxStats, 'deliveries'>
}

const createStats = (): StatsCounter => {
  const refused = { concurrency: 0, logins: 0, endpoint: 0, global: 0 }
  const endpoints = new Map<string, { requests: number; refused: number }>()
  const faults = new Map<string, number>()
  let requests = 0
  let peakConcurrency = 0

  const endpointOf = (name: string) => {
    const counts = endpoints.get(name) ?? { requests: 0, refused: 0 }
    endpoints.set(name, counts)
    return counts
  }

  return {
    countRequest: (endpoint) => {
      requests++
      return ++endpointOf(endpoint).requests
    },
    countRefusal: (endpoint, tier) => {
      refused[tier]++
      endpointOf(endpoint).refused++
    },
    countConcurrency: (active) => {
      peakConcurrency = Math.max(peakConcurrency, active)
    },
    countFault: (name) => {
      faults.set(name, (faults.get(name) ?? 0) + 1)
    },
    read: () => ({
      requests,
      refused: { ...refused },
      endpoints: Object.fromEntries(
        Array.from(endpoints, ([name, counts]) => [name, { ...counts }]),
      ),
      peakConcurrency,
      faults: Object.fromEntries(faults),
    }),
  }
}
