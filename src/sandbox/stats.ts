import type { SandboxTier } from './RateLimiter.js'

// model

/** Counts of one endpoint. */
export interface EndpointStats {
  readonly requests: number
  /** Requests that a limit refused (429). */
  readonly refused: number
}

/** Counts since the sandbox was created. */
export interface SandboxStats {
  /** All requests: answered, refused or broken by a fault. */
  readonly requests: number
  /** Requests refused by a limit (429), by that limit. */
  readonly refused: Readonly<Record<SandboxTier, number>>
  /** Counts by route, such as `GET /api/v1/charges`. */
  readonly endpoints: Readonly<Record<string, EndpointStats>>
  /** The highest number of requests under way at once. */
  readonly peakConcurrency: number
  /** Injected faults, by name. */
  readonly faults: Readonly<Record<string, number>>
}

export interface StatsCounter {
  /** Returns how many requests this endpoint has received, this one included. */
  readonly countRequest: (endpoint: string) => number
  readonly countRefusal: (endpoint: string, tier: SandboxTier) => void
  readonly countConcurrency: (active: number) => void
  readonly countFault: (name: string) => void
  readonly read: () => SandboxStats
}

// functions

export const createStats = (): StatsCounter => {
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
