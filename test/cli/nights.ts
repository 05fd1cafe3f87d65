/** A service for nights of a sync, whose command is killed in them. */
import { asyncScheduler } from 'rxjs'
import type { Service } from '../../bench/kills/syncNights.js'
import { createSandbox, listen, type SandboxOptions } from '../../src/sandbox/index.js'

const DAY = 86_400_000

/** Charges come twice an hour, and change after a day and a half: later than a lookback of a day. */
export const serveNights = async (
  options: SandboxOptions,
): Promise<Service & { readonly close: () => Promise<void> }> => {
  let now = Date.UTC(2026, 0, 1)
  const timer = Object.assign(Object.create(asyncScheduler), { now: () => now })
  const often = { arrivals: 1_800_000, settleAfter: 1.5 * DAY }
  const sandbox = createSandbox({ charges: 600, limits: false, ...often, ...options, timer })
  const { url, close } = await listen(sandbox)
  return {
    ...{ url, close },
    requests: () => sandbox.stats().requests,
    nextNight: () => {
      now += DAY
    },
  }
}
