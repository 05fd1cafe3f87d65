import type { Millis } from './Clock.js'
import type { LimiterSet } from './LimiterSet.js'
import type { AdaptiveLimit, SendWindow } from './limiters/AdaptiveLimit.js'
import type { Limiter } from './limiters/Limiter.js'

/** Number of sent requests that are remembered. */
const REMEMBERED = 256
/** Number of windows considered when judging a burst. Refusals in this many consecutive ones are a burst, even if few. */
const WINDOWS = 3
/** Minimum number of refusals that can point to a resource. */
const FEWEST = 3
/** Share of the other requests that may be refused. If more are refused, it is a burst even without the suspects. */
const CHANCE = 1 / 5
/** Maximum number of resources that are limited at the same time. */
const MOST = 256

/** A sent request and its outcome. */
export interface SentRequest {
  /** The request from which tiers take their keys. */
  readonly request: unknown
  readonly set: LimiterSet
  readonly windows: ReadonlyArray<SendWindow>
  /** True if it was admitted or refused. */
  readonly isAnswered: boolean
  readonly isRefused: boolean
}

/** An answered request in the windows that are considered when judging a burst. */
interface ResourceDeparture {
  readonly resources: ReadonlyArray<string>
  readonly window: SendWindow
  readonly isRefused: boolean
}

/**
 * Resources that the server limits separately although no tier names them, such as a path, or an account at an endpoint.
 *
 * A refusal does not name the exceeded limit. A burst of refusals is therefore attributed to the narrowest cause that explains
 * its window: to a few resources, if these were refused while others were admitted. Each of them gets its own limiter, which
 * starts at the admitted number, and the shared limit keeps its level.
 */
export class Resources {
  /** Returns the resources of a request, the narrowest first. */
  readonly #of: (request: unknown) => ReadonlyArray<string>
  /** Creates the limiter of a resource that was refused under a limit. */
  readonly #create: (resource: string, limit: AdaptiveLimit) => Limiter
  readonly #limiters = new Map<string, Limiter>()
  readonly #departures: Array<SentRequest> = []
  #oldest = 0

  constructor(
    of: (request: unknown) => ReadonlyArray<string>,
    create: (resource: string, limit: AdaptiveLimit) => Limiter,
  ) {
    this.#of = of
    this.#create = create
  }

  /** Number of resources that have a limiter. */
  get size(): number {
    return this.#limiters.size
  }

  /** Returns the limiters of those resources of a request that are being slowed down. */
  limitersOf(request: unknown): ReadonlyArray<Limiter> {
    if (this.size === 0) return []
    return this.#of(request).flatMap((resource) => {
      const limiter = this.#limiters.get(resource)
      return limiter?.limit.isLowered() ? [limiter] : []
    })
  }

  sent(sent: SentRequest): void {
    this.#departures[this.#oldest] = sent
    this.#oldest = (this.#oldest + 1) % REMEMBERED
  }

  /** Attributes the refusals of a window to a few resources if these explain the refusals. Returns true if they do. */
  explain(window: SendWindow, limit: AdaptiveLimit, now: Millis): boolean {
    const recent = this.#recent(window, limit)
    const before = recent.map((one) => (one.window === window ? 0 : one.window.letIn))
    const isMoreThanNow = Math.max(0, ...before) > window.letInSince()
    const unexplained = recent.filter((one) => one.window.index > limit.lastBurst)
    const depth = Math.max(0, ...unexplained.map(({ resources }) => resources.length))
    const suspects = new Set<string>()
    const isSuspect = ({ resources }: ResourceDeparture) =>
      resources.some((one) => suspects.has(one))
    for (let level = 0; level < depth; level++) {
      const rest = unexplained.filter((one) => !isSuspect(one))
      for (const suspect of suspectsOf(rest, level)) suspects.add(suspect)
      if (suspects.size === 0 || this.size + suspects.size > MOST) continue
      const others = unexplained.filter((one) => !isSuspect(one))
      const suspected = unexplained.filter(isSuspect)
      if (
        others.length === 0
          ? !isEachLetIn(suspects, suspected)
          : !areLetIn(others, suspected, isMoreThanNow)
      ) {
        continue
      }
      // If nothing else was sent, the cause may be the shared limit after all, or an outage: then return to the level that
      // worked.
      const worked = others.length === 0 ? limit.worked : 0
      const inWindow = suspected.filter((one) => one.window === window)
      for (const suspect of suspects) this.#limit(suspect, limit, inWindow, worked, now)
      return true
    }
    return false
  }

  /** Forgets limiters of resources that were not used for this long, or that admit everything again. */
  forgetUnused(now: Millis, after: Millis): void {
    for (const [resource, limiter] of this.#limiters) {
      const isKnown = limiter.limit.isLowered() && now - limiter.acquiredAt <= after
      if (limiter.sharedBy > 0 || limiter.permitsHeld(now) > 0 || isKnown) continue
      this.#limiters.delete(resource)
    }
  }

  /** Gives a resource a limiter, unless its current one has not yet admitted a whole window. */
  #limit(
    resource: string,
    shared: AdaptiveLimit,
    departures: ReadonlyArray<ResourceDeparture>,
    worked: number,
    now: Millis,
  ): void {
    if (this.#limiters.get(resource)?.limit.isLowered()) return
    const limiter = this.#create(resource, shared)
    limiter.limit.beginAt(lettingIn(departures, resource), worked, now)
    this.#limiters.set(resource, limiter)
  }

  /** Returns the answered requests under a limit, from this window and the ones before. */
  #recent({ index }: SendWindow, limit: AdaptiveLimit): ReadonlyArray<ResourceDeparture> {
    return this.#departures.flatMap(({ request, set, windows, isAnswered, isRefused }) => {
      const window = windows[set.limiters.findIndex((limiter) => limiter.limit === limit)]
      if (!isAnswered || window === undefined || window.index <= index - WINDOWS) return []
      return [{ resources: this.#of(request), window, isRefused }]
    })
  }
}

const lettingIn = (departures: ReadonlyArray<ResourceDeparture>, resource: string): number =>
  departures.filter((one) => !one.isRefused && one.resources.includes(resource)).length

/** Returns the resources at one level that were refused repeatedly, and at least as often as they were admitted. */
const suspectsOf = (
  departures: ReadonlyArray<ResourceDeparture>,
  level: number,
): ReadonlyArray<string> => {
  const refusals = new Map<string, number>()
  for (const { resources, isRefused } of departures) {
    const resource = resources[level]
    if (!isRefused || resource === undefined) continue
    refusals.set(resource, (refusals.get(resource) ?? 0) + 1)
  }
  return [...refusals].flatMap(([resource, refused]) =>
    refused >= Math.max(FEWEST, lettingIn(departures, resource)) ? [resource] : [],
  )
}

/** Returns true if each suspect was admitted at least once. Otherwise, a limit that they share might admit only the first. */
const isEachLetIn = (
  suspects: ReadonlySet<string>,
  suspected: ReadonlyArray<ResourceDeparture>,
): boolean => [...suspects].every((suspect) => lettingIn(suspected, suspect) > 0)

/**
 * Returns true if others were admitted while suspects were refused: in a window in which suspects were refused, or if the
 * shared limit used to admit more than now and therefore cannot be the cause.
 */
const areLetIn = (
  others: ReadonlyArray<ResourceDeparture>,
  suspected: ReadonlyArray<ResourceDeparture>,
  isMoreThanNow: boolean,
): boolean => {
  const refusing = new Set(
    suspected.flatMap(({ isRefused, window }) => (isRefused ? [window] : [])),
  )
  const refused = others.filter(({ isRefused }) => isRefused).length
  const letIn = others.filter(
    ({ isRefused, window }) => !isRefused && (isMoreThanNow || refusing.has(window)),
  ).length
  return letIn > 0 && refused <= CHANCE * letIn
}
