/** Judges of the requests of one account: windows written for these benchmarks, or the sandbox. */
import { createSandbox, sandboxCredentials } from 'payments-rx/sandbox'
import { judge, type Limits } from '../../test/support/simulated/judge.ts'

export interface Account {
  /** A request arrives; whether it is let in. */
  readonly arrives: (endpoint: string, now: number) => Promise<boolean>
  readonly leaves: () => void
  readonly verdict: () => Verdict
}

export interface Verdict {
  /** When the first and the last one was let in, milliseconds. */
  readonly first: number
  readonly last: number
  readonly accepted: number
  readonly refused: number
}

export const judged = (limits: Limits): Account => {
  const { arrives, leaves, arrivals, refused } = judge(limits)
  return {
    arrives: async (endpoint, now) => arrives(endpoint, now),
    leaves,
    verdict: () => ({ ...arrivals(), refused: refused() }),
  }
}

/** In place of the endpoints `0` to `7`. */
const PATHS = [
  '/api/v1/charges',
  '/api/v1/batch_transfers',
  '/api/v1/webhooks',
  '/api/v1/reference/industry_categories',
  '/api/v1/reference/supported_currencies',
  '/api/v1/reference/order_items/quota',
  '/api/v1/reference/order_items/expiring_quota',
  '/api/v1/charges/none',
]

/** Its limits are those of production. It answers at once: the network and the work are the server's. */
export const sandboxed = async (): Promise<Account> => {
  const sandbox = createSandbox({ charges: 10 })
  const login = await sandbox.fetch('http://sandbox/api/v1/authentication/login', {
    method: 'POST',
    headers: {
      'x-client-id': sandboxCredentials.clientId,
      'x-api-key': sandboxCredentials.apiKey,
    },
  })
  const { token } = await login.json()
  const headers = { authorization: `Bearer ${token}` }
  let [first, last, accepted, refused] = [Number.NaN, Number.NaN, 0, 0]
  return {
    arrives: async (endpoint, now) => {
      const path = PATHS[Number(endpoint)] ?? PATHS[0]
      const answer = await sandbox.fetch(`http://sandbox${path}`, { headers })
      if (answer.status === 429) refused++
      else {
        if (answer.status >= 400 && answer.status !== 404) throw new Error(await answer.text())
        if (accepted === 0) first = now
        last = now
        accepted++
      }
      return answer.status !== 429
    },
    leaves: () => {},
    verdict: () => ({ first, last, accepted, refused }),
  }
}
