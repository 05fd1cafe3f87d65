/**
 * The limits of the interface, judged when a request arrives. What is refused takes no place: default,
 * not specified by the interface document.
 */
import { type Limits, MINUTE, SECOND } from '../api/limits.js'
import { type RollingWindow, rollingWindow } from './RollingWindow.js'

// model

/** The limit of a sandbox that refused a request. */
export type SandboxTier = 'concurrency' | 'logins' | 'endpoint' | 'global'

/** Who arrives: at a named endpoint, or as a login of an API key. */
export type Arrival =
  | { readonly _tag: 'Call'; readonly endpoint: string }
  | { readonly _tag: 'Login'; readonly apiKey: string }
  | { readonly _tag: 'Astray' }

export interface RateLimiter {
  /** Lets a request in, which takes a place in every limit, or names the limit that is used up. */
  readonly enter: (arrival: Arrival, now: number) => SandboxTier | undefined
  /** One that was let in has its answer. */
  readonly leave: () => void
  /** How many are inside. */
  readonly inside: () => number
}

// constructors

const byKey = (make: () => RollingWindow): ((key: string) => RollingWindow) => {
  const all = new Map<string, RollingWindow>()
  return (key) => {
    const known = all.get(key) ?? make()
    all.set(key, known)
    return known
  }
}

export const rateLimiter = (limits: Limits): RateLimiter => {
  const global = rollingWindow(limits.global, SECOND)
  const endpoints = byKey(() => rollingWindow(limits.endpoint, SECOND))
  const logins = byKey(() => rollingWindow(limits.logins, MINUTE))
  let inside = 0

  const own = (arrival: Arrival): readonly [SandboxTier, RollingWindow] => {
    switch (arrival._tag) {
      case 'Call':
        return ['endpoint', endpoints(arrival.endpoint)]
      case 'Login':
        return ['logins', logins(arrival.apiKey)]
      case 'Astray':
        return ['global', global]
    }
  }

  return {
    enter: (arrival, now) => {
      const [tier, window] = own(arrival)
      if (inside >= limits.concurrency) return 'concurrency'
      if (window.isFull(now)) return tier
      if (global.isFull(now)) return 'global'
      inside++
      global.enter(now)
      if (window !== global) window.enter(now)
      return undefined
    },
    leave: () => {
      inside--
    },
    inside: () => inside,
  }
}
