/** The limits of the API as a server counts them: rolling windows of arrivals, and concurrency. */

// model

export interface Limits {
  readonly global: number
  readonly endpoint: number
  readonly concurrency: number
  /** A minute. */
  readonly logins: number
}

export interface Windows {
  /** Returns the tier that refuses a request arriving now, if any; `undefined` is the login. */
  readonly enter: (endpoint: string | undefined, now: number) => string | undefined
  /** Records that an admitted request has its response. */
  readonly leave: () => void
}

/** Copied by hand from the table in the API description. */
export const PRODUCTION: Limits = { global: 100, endpoint: 20, concurrency: 50, logins: 100 }
export const SANDBOX: Limits = { global: 20, endpoint: 10, concurrency: 10, logins: 100 }

// constructors

export const windows = (limits: Limits): Windows => {
  const arrivals = new Map<string, Array<number>>()
  let inside = 0

  const within = (name: string, per: number, now: number): Array<number> => {
    const recent = (arrivals.get(name) ?? []).filter((at) => at > now - per)
    arrivals.set(name, recent)
    return recent
  }

  return {
    enter: (endpoint, now) => {
      const global = within('global', 1_000, now)
      const own = within(endpoint ?? 'login', endpoint === undefined ? 60_000 : 1_000, now)
      if (inside >= limits.concurrency) return 'concurrency'
      if (global.length >= limits.global) return 'global'
      if (own.length >= (endpoint === undefined ? limits.logins : limits.endpoint)) {
        return endpoint ?? 'login'
      }
      global.push(now)
      own.push(now)
      inside++
      return undefined
    },
    leave: () => {
      inside--
    },
  }
}
