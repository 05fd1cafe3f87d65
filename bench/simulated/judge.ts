/** The limits of a server: requests within any `per` milliseconds, in total and by endpoint. */
export interface Limits {
  readonly global: number
  readonly endpoint: number
  readonly per: number
  readonly concurrent: number
  /** True if a refused request counts in the windows. */
  readonly countsRefused?: boolean
}

export interface Judge {
  /** Returns true if a request that arrives now is admitted. */
  readonly arrives: (endpoint: string, now: number) => boolean
  readonly leaves: () => void
  readonly arrivals: () => {
    readonly first: number
    readonly last: number
    readonly accepted: number
  }
  readonly refused: () => number
}

/** Keeps rolling windows of arrivals. Knows nothing about the code that it judges. */
export const judge = ({
  global,
  endpoint,
  per,
  concurrent,
  countsRefused = false,
}: Limits): Judge => {
  const windows = new Map<string, Array<number>>()
  let [inside, refused, accepted, first, last] = [0, 0, 0, Number.NaN, Number.NaN]

  const recent = (key: string, now: number): Array<number> => {
    const window = (windows.get(key) ?? []).filter((at) => now - at < per)
    windows.set(key, window)
    return window
  }

  return {
    arrives: (key, now) => {
      const [all, own] = [recent('', now), recent(`:${key}`, now)]
      const room = all.length < global && own.length < endpoint
      if (room || countsRefused) {
        all.push(now)
        own.push(now)
      }
      if (!room || inside >= concurrent) {
        refused++
        return false
      }
      inside++
      accepted++
      if (Number.isNaN(first)) first = now
      last = now
      return true
    },
    leaves: () => {
      inside--
    },
    arrivals: () => ({ first, last, accepted }),
    refused: () => refused,
  }
}
