/** The client of an export, with its rate limits and patience. */
import { limits, unlimited } from '../../api/limits.js'
import { type Client, createClient } from '../../client/createClient.js'
import { withoutUndefined } from '../../fp.js'
import type { Guard } from '../../scheduler/index.js'
import type { PaceFlags, SimulationFlags } from '../commonOptions.js'
import type { Connection } from '../connection.js'
import type { Terminal } from '../Terminal.js'

interface ClientFlags extends PaceFlags, Pick<SimulationFlags, 'sandbox'> {
  readonly exact: boolean
}

/** Creates a patient client with low priority that counts drift. */
export const exportClient = (
  { timer, timeout }: Pick<Terminal, 'timer' | 'timeout'>,
  flags: ClientFlags,
  connection: Connection,
): Client =>
  createClient({
    ...connection,
    timeout: {
      ...timeout,
      ...withoutUndefined({ headers: flags.timeout && flags.timeout * 1_000 }),
    },
    ...withoutUndefined({ numbers: flags.exact ? ('exact' as const) : undefined }),
    limits: flags.limits ? limits[connection.environment] : unlimited,
    share: flags.share,
    guard: guardFor(flags),
    priority: 'bulk',
    retry: {
      faults: Number.POSITIVE_INFINITY,
      throttled: Number.POSITIVE_INFINITY,
      patience: flags.patience * 1_000,
    },
    drift: true,
    // repeated bookmarks and rows also end a list, and rows on stdout cannot be withdrawn
    lists: { maxPages: Number.POSITIVE_INFINITY },
    timer,
  })

/**
 * Returns the `guard` option. A sandbox in this process is as busy as the process itself, and its round trips are too short to
 * benefit from `learned`.
 */
export const guardFor = (flags: { readonly guard?: Guard; readonly sandbox?: boolean }): Guard =>
  flags.guard ?? (flags.sandbox === true ? 'safe' : 'learned')
