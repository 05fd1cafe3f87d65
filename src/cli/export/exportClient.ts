/** The client of an export: how hard it asks, and how long it waits. */
import { limits, unlimited } from '../../api/limits.js'
import { type Client, createClient } from '../../client/createClient.js'
import { withoutUndefined } from '../../fp.js'
import type { Guard, SharedQuota } from '../../scheduler/index.js'
import type { PaceFlags, SimulationFlags } from '../commonOptions.js'
import type { Connection } from '../connection.js'
import type { Terminal } from '../Terminal.js'

interface ClientFlags extends PaceFlags, Pick<SimulationFlags, 'sandbox'> {
  readonly exact: boolean
}

/** Makes a client in the slow lane that is patient, and counts drift. */
export const exportClient = (
  { timer, timeout }: Pick<Terminal, 'timer' | 'timeout'>,
  flags: ClientFlags,
  connection: Connection,
  quota?: SharedQuota,
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
    ...withoutUndefined({ quota }),
    // bookmarks and rows that come again end a list as well, and rows on stdout cannot be taken back
    lists: { maxPages: Number.POSITIVE_INFINITY },
    timer,
  })

/** A sandbox of its own is as busy as its process, and has round trips too short to gain by `learned`. */
export const guardFor = (flags: { readonly guard?: Guard; readonly sandbox?: boolean }): Guard =>
  flags.guard ?? (flags.sandbox === true ? 'safe' : 'learned')
