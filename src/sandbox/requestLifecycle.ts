/** The life of one request: on its way, at the limits, with its handler, and on its way back. */
import { firstValueFrom, Subscription } from 'rxjs'
import { O, pipe } from '../fp.js'
import { later } from '../stream/later.js'
import { until } from '../stream/ObservableEither.js'
import { apiError, invalid, notFound } from './ApiError.js'
import { account } from './account/GeneratedCharges.js'
import { hash, longHexText, randomNumbers, subSeed } from './account/hash.js'
import { arrive } from './arrive.js'
import type { Context } from './Context.js'
import { drawFault, FAULT_HEADER, type FaultName, isFaultName, STORM } from './faults.js'
import type { Service } from './handlers/index.js'
import { injectFault } from './injectFault.js'
import { type Arrival, rateLimiter } from './RateLimiter.js'
import { type Play, type Reply, refused, tooMany } from './Reply.js'
import { respond } from './respond.js'
import { initial, type Store } from './Store.js'
import type { Settings } from './settings.js'
import { counter, type SandboxStats } from './stats.js'

// model

export interface IncomingRequest {
  readonly request: Request
  /** None for a path that is no row's. */
  readonly service: O.Option<Service>
  /** What the braces of the route stand for. */
  readonly path: Readonly<Record<string, string>>
  readonly play: Play
  /** When it is aborted, nobody waits for an answer any more, and nothing is waited for. */
  readonly end: AbortSignal
}

export interface RequestLifecycle {
  readonly answer: (incoming: IncomingRequest) => Promise<Response>
  readonly stats: () => SandboxStats
}

// constructors

const unknownFault = refused(invalid('There is no fault of this name.', FAULT_HEADER))

const broken = refused(apiError(500, 'internal_error', 'Service unavailable.'))

const arrivalOf = ({ service, request }: IncomingRequest): Arrival =>
  pipe(
    service,
    O.match(
      (): Arrival => ({ _tag: 'Astray' }),
      ({ row }) =>
        row.auth === 'none'
          ? { _tag: 'Login', apiKey: request.headers.get('x-api-key') ?? '' }
          : { _tag: 'Call', endpoint: row.route },
    ),
  )

const routeOf = ({ service }: IncomingRequest): string =>
  pipe(
    service,
    O.match(
      () => 'elsewhere',
      ({ row }) => row.route,
    ),
  )

export const requestLifecycle = (settings: Settings): RequestLifecycle => {
  const { now, timer, latency, jitter, seed } = settings
  const there = account({ ...settings, since: settings.since.getTime() })
  const began = now()
  const random = randomNumbers(subSeed(seed, 7))
  const limits = rateLimiter(settings.limits)
  const counts = counter()
  const drawFaultFor = drawFault(settings.faults, random)
  let state: Store = initial(settings)
  let stormUntil = Number.NEGATIVE_INFINITY

  const pass = async (ms: number, end: AbortSignal): Promise<void> => {
    if (ms > 0) await firstValueFrom(later(ms, timer).pipe(until(end)))
  }

  const leg = (): number => latency / 2 + ((random() * 2 - 1) * jitter) / 2

  const refuse = (message: string): Reply =>
    tooMany(message, longHexText(hash(Math.floor(random() * 2 ** 32))))

  /** A reply to a request that is at the limits now, if it comes no further. */
  const refusedByLimits = (
    incoming: IncomingRequest,
    fault: FaultName | undefined,
  ): Reply | undefined => {
    const moment = now()
    const route = routeOf(incoming)
    if (fault === 'reset-before') return { ...broken, manner: 'reset' }
    if (fault === '429-storm') stormUntil = moment + STORM
    else if (moment < stormUntil) counts.fault('429-storm')
    if (fault === '429' || moment < stormUntil) return refuse('Too many requests.')
    const tier = limits.enter(arrivalOf(incoming), moment)
    if (tier === undefined) return undefined
    counts.refused(route, tier)
    return refuse(`Too many requests: the ${tier} limit is used up.`)
  }

  /** The reply of the handler, which changes the state. */
  const handled = async (
    incoming: IncomingRequest,
    fault: FaultName | undefined,
  ): Promise<Reply> => {
    const { service, request, path } = incoming
    if (fault === '500') return broken
    const body = request.method === 'POST' ? await request.text() : ''
    const context: Context = { now: now(), account: there, settings, began }
    if (fault === 'token-revoked') state = { ...state, revokedBelow: state.issued }
    const query = new URL(request.url).searchParams
    const asked = { headers: request.headers, query, path, body }
    const [reply, next] = O.isNone(service)
      ? [refused(notFound), state]
      : respond(service.value, asked)(arrive(state, context), context)
    state = next
    return fault === '500-after' ? broken : injectFault(fault)(reply)
  }

  return {
    stats: counts.stats,
    answer: async (incoming) => {
      const { request, play, end } = incoming
      const route = routeOf(incoming)
      const back = leg()
      await pass(leg(), end)
      const fated = drawFaultFor({ route, nth: counts.arrived(route) })
      const fault = request.headers.get(FAULT_HEADER) ?? fated
      if (fault !== undefined && !isFaultName(fault)) return play(unknownFault, () => {}, timer)
      if (fault !== undefined) counts.fault(fault)

      const stop = refusedByLimits(incoming, fault)
      if (stop !== undefined) {
        await pass(back, end)
        return play(stop, () => {}, timer)
      }
      const place = new Subscription(limits.leave)
      const leave = () => place.unsubscribe()
      counts.inside(limits.inside())
      try {
        const reply = await handled(incoming, fault)
        await pass(back, end)
        return await play(reply, leave, timer)
      } catch (error) {
        leave()
        throw error
      }
    },
  }
}
