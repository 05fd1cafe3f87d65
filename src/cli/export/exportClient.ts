/** The client of an export: how hard it asks, and how long it waits. */
import { type Limits, limits, unlimited } from '../../api/limits.js'
import { type Client, createClient } from '../../client/createClient.js'
import { defined } from '../../fp.js'
import type { Guard } from '../../scheduler/index.js'
import type { Connection } from '../connection.js'
import type { Terminal } from '../Terminal.js'
import type { ExportFlags } from './exportFlags.js'

type ClientFlags = Pick<
  ExportFlags,
  'limits' | 'share' | 'patience' | 'timeout' | 'exact' | 'guard' | 'sandbox' | 'parallel'
>

/** The time that a page of 2,000 charges takes, in ms, before one was read. */
const PAGE_MS = 400

/** Requests at a time where nothing limits them: one is on its way while another is worked on. */
const UNLIMITED = 2

/** The client of an export, and how many requests it has under way. */
export interface ExportClient {
  readonly client: Client
  readonly requests: number
}

/** Makes a client in the slow lane that is patient, and counts drift. */
export const exportClient = (
  { timer, timeout }: Pick<Terminal, 'timer' | 'timeout'>,
  flags: ClientFlags,
  connection: Connection,
): ExportClient => {
  const allowed = flags.limits ? limits[connection.environment] : unlimited
  const client = createClient({
    ...connection,
    timeout: { ...timeout, ...defined({ headers: flags.timeout && flags.timeout * 1_000 }) },
    ...defined({ numbers: flags.exact ? ('exact' as const) : undefined }),
    limits: allowed,
    share: flags.share,
    guard: guardFor(flags),
    priority: 'bulk',
    retry: {
      faults: Number.POSITIVE_INFINITY,
      throttled: Number.POSITIVE_INFINITY,
      patience: flags.patience * 1_000,
    },
    drift: true,
    // bookmarks and rows that come again end a list as well, and rows on stdout cannot be taken back
    lists: { maxPages: Number.POSITIVE_INFINITY, strictEnd: true },
    timer,
  })
  return { client, requests: flags.parallel ?? requestsFor(allowed, flags.share) }
}

/** Requests at a time that use the quota up, and no more than there may be. */
export const requestsFor = (
  { global, endpoint, concurrency }: Pick<Limits, 'global' | 'endpoint' | 'concurrency'>,
  share: number,
): number => {
  const underWay = (Math.min(global, endpoint) * share * PAGE_MS) / 1_000
  const requests = Math.floor(Math.min(underWay, concurrency * share))
  return requests === Number.POSITIVE_INFINITY ? UNLIMITED : Math.max(1, requests)
}

/** A sandbox of its own is as busy as its process, and has round trips too short to gain by `learned`. */
export const guardFor = (flags: { readonly guard?: Guard; readonly sandbox?: boolean }): Guard =>
  flags.guard ?? (flags.sandbox === true ? 'safe' : 'learned')
