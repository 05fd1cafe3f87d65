import type { SandboxTier } from './RateLimiter.js'

// model

/** What arrived at one endpoint. */
export interface EndpointStats {
  /** All that arrived there. */
  readonly requests: number
  /** Requests that a limit refused (429). */
  readonly refused: number
}

/** What arrived and what was refused, for tests and benches. */
export interface SandboxStats {
  /** All that arrived: answered, refused or broken by a fault. */
  readonly requests: number
  /** Requests that were refused (429), by the limit that did. */
  readonly refused: Readonly<Record<SandboxTier, number>>
  /** What each endpoint counted, by route, such as `GET /api/v1/charges`. */
  readonly endpoints: Readonly<Record<string, EndpointStats>>
  /** The most that were inside at the same time. */
  readonly peakConcurrency: number
  /** Faults played, by name. */
  readonly faults: Readonly<Record<string, number>>
}

export interface Counter {
  /** How many requests this endpoint has had now. */
  readonly arrived: (endpoint: string) => number
  readonly refused: (endpoint: string, tier: SandboxTier) => void
  readonly inside: (count: number) => void
  readonly fault: (name: string) => void
  readonly stats: () => SandboxStats
}

// constructors

export const counter = (): Counter => {
  const refused = { concurrency: 0, logins: 0, endpoint: 0, global: 0 }
  const endpoints = new Map<string, { requests: number; refused: number }>()
  const faults = new Map<string, number>()
  let requests = 0
  let peakConcurrency = 0

  const endpointOf = (name: string) => {
    const known = endpoints.get(name) ?? { requests: 0, refused: 0 }
    endpoints.set(name, known)
    return known
  }

  return {
    arrived: (endpoint) => {
      requests++
      return ++endpointOf(endpoint).requests
    },
    refused: (endpoint, tier) => {
      refused[tier]++
      endpointOf(endpoint).refused++
    },
    inside: (count) => {
      peakConcurrency = Math.max(peakConcurrency, count)
    },
    fault: (name) => {
      faults.set(name, (faults.get(name) ?? 0) + 1)
    },
    stats: () => ({
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
