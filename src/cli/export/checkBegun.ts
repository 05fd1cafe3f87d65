/** Whether there can be anything yet of what is asked for. */

import { toMillis } from '../../codec/times.js'
import type { Purpose } from '../../export/index.js'
import { iso } from '../../export/run/entry.js'
import type { Millis } from '../../stream/index.js'
import { secondOf } from '../../stream/snapshot/Span.js'
import { UsageError } from '../output.js'

/**
 * Throws a `WrongUse` where it begins later than now, which is when it ends unless said otherwise: the service would
 * not be asked, and the clock of this machine be believed in its place.
 */
export const checkBegun = (
  option: '--from' | '--since-last',
  { from_created_at: from, to_created_at: to }: Purpose['query'],
  now: Millis,
): void => {
  if (from === undefined || to !== undefined || secondOf(toMillis(from)) <= now) return
  const clock = `later than now: it is ${iso(now)} by the clock of this machine`
  throw new UsageError(
    option === '--from'
      ? `--from: ${from} is ${clock}`
      : `--since-last: goes on at ${from}, which is ${clock}; where a run before had a wrong one, a --lookback beyond that goes on`,
  )
}
