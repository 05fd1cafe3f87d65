import { type Limits, limits, unlimited } from '../../api/limits.js'
import { baseUrlOf } from '../../client/ClientOptions.js'
import { type Client, createClient } from '../../client/createClient.js'
import { defined } from '../../fp.js'
import { kyTransport } from '../../http/transport/kyTransport.js'
import { PAUSES, repeatsFor } from '../../stream/Backoff.js'
import type { Terminal } from '../Terminal.js'
import type { ExportFlags } from './ExportFlags.js'
import { guardFor } from './pace.js'
import { rememberingTokens, shownOf } from './shown.js'
import type { Connected } from './wantedOf.js'

export interface ExportClient {
  readonly client: Client
  /** What the client keeps. */
  readonly allowed: Limits
  /** A row as it may be written where it did not decode. */
  readonly shown: (raw: unknown) => unknown
}

/** What it is told of the flags. */
type ClientFlags = Pick<
  ExportFlags,
  'limits' | 'share' | 'patience' | 'exact' | 'guard' | 'sandbox'
>

/** The client of an export: in the slow lane, patient, and one that counts drift. */
export const clientFor = (
  { timer, timeout }: Pick<Terminal, 'timer' | 'timeout'>,
  flags: ClientFlags,
  connection: Connected,
): ExportClient => {
  const { knownAs: _, ...options } = connection
  const allowed = flags.limits ? limits[connection.environment] : unlimited
  const attempts = repeatsFor({ ...PAUSES, least: flags.patience * 1_000 })
  const { transport, sent } = rememberingTokens(kyTransport({ timer }))
  const client = createClient({
    ...options,
    baseUrl: baseUrlOf(options.baseUrl),
    ...defined({ timeout, numbers: flags.exact ? ('exact' as const) : undefined }),
    limits: allowed,
    share: flags.share,
    guard: guardFor(flags),
    priority: 'bulk',
    retry: { faults: attempts, throttled: Math.max(7, attempts) },
    drift: true,
    // bookmarks and rows that come again end a list as well, and what went to stdout cannot be gone on with
    lists: { maxPages: Number.POSITIVE_INFINITY, strictEnd: true },
    transport,
    timer,
  })
  return { client, allowed, shown: shownOf(connection, sent) }
}
